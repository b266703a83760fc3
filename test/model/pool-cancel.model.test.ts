/** Cancelling against completing, and killing against leaving the user's code. Rules: docs/spec/platform.md. */
import { add, load, store } from "#atomics"
import { CANCELLED, INTERRUPTED, INTERRUPTING, NEW, NORMAL } from "#src/future/task-state.js"
import type { FunctionTable } from "#src/platform/memory/function-table.js"
import { RunningTasks } from "#src/platform/worker/running-tasks.js"
import { SlotRunner } from "#src/platform/worker/slot-runner.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { flowOf, hire, member, type Member, type PoolModel, poolOf } from "./pool.ts"
import { check } from "./synchronizers.ts"

/** Notes: how often each task was run. */
const RUNS = 0
const STRUCK = 3

function setup(): PoolModel {
  const shared = poolOf({ threads: ["s", "a", "owner"], tasks: 2 })
  hire(shared, "a")
  return shared
}

/** Runs both tasks, one after the other, with the library's own runner. */
function worker(shared: PoolModel): void {
  const { memory, tasks, completionQueues, workerTable } = member(shared, "a", 1)
  const self = workerTable.at(1)
  const flow = flowOf(shared, "a")
  let slot = 0
  const fn = (): void => {
    add(shared.notes, RUNS + slot, 1)
    if (slot === 2) assert.ok(!flow.isInterrupted, "the interrupt was meant for the task before")
  }
  const functions = { resolve: () => ({ fn, explain: (error: unknown) => error }) } as unknown as FunctionTable
  const runner = new SlotRunner({ memory, tasks, completionQueues, functions, workerTable, self })
  for (slot of [1, 2]) {
    self.accept(slot)
    flow.renew()
    assert.equal(runner.begin(self, slot), undefined)
    assert.ok(!(slot === 2 && flow.isInterrupted), "the interrupt came late")
    self.release()
  }
}

/** What `cancel` of a future comes down to: see Submissions.cancel and PoolMember.stop. */
function cancel({ tasks, workerTable }: Member, mayInterrupt: boolean): boolean {
  if (!tasks.leaveNew(1, mayInterrupt ? INTERRUPTING : CANCELLED)) return false
  if (mayInterrupt) {
    const handle = tasks.handleOf(1)
    workerTable.runnerOf(1, handle, tasks)?.interrupt()
    tasks.settle(1, INTERRUPTED)
  }
  return true
}

const canceller =
  (mayInterrupt: boolean) =>
  (shared: PoolModel): boolean =>
    cancel(member(shared, "s"), mayInterrupt)

for (const mayInterrupt of [false, true]) {
  test(`[PP10][PP11] cancel(${mayInterrupt}) or the worker decides, and the next task is not interrupted`, () =>
    check(10, {
      setup,
      threads: { s: canceller(mayInterrupt), a: worker },
      finally: (shared, { s: cancelled }) => {
        const { tasks, completionQueues } = member(shared, "owner")
        assert.equal(tasks.stateOf(1), cancelled === true ? (mayInterrupt ? INTERRUPTED : CANCELLED) : NORMAL)
        assert.equal(tasks.stateOf(2), NORMAL)
        const arrived: number[] = []
        completionQueues.empty(1, (slots) => arrived.push(...slots))
        assert.deepEqual(arrived, [1, 2])
      },
    }))
}

test("[PP11] a submitter that dies while it cancels does not hold up the worker", () =>
  check(200, {
    setup,
    threads: { s: canceller(true), a: worker },
    kill: "s",
    finally: (shared) => {
      assert.equal(load(shared.notes, RUNS + 2), 1)
      assert.notEqual(member(shared, "owner").tasks.stateOf(1), NEW)
    },
  }))

test("[PP11] nor is one whose worker has not yet let go of a slot that is in use again", () =>
  check(100, {
    setup,
    threads: {
      s: (shared) => {
        const submitter = member(shared, "s")
        const { completionQueues, tasks } = submitter
        completionQueues.empty(1, (slots) => {
          if (slots[0] !== 1) return
          tasks.free(1)
          assert.equal(tasks.slotOf(tasks.take(1, 0, 0)), 1)
          assert.ok(cancel(submitter, true))
        })
      },
      a: worker,
    },
  }))

test("[PP31] a worker that goes into another task, and comes out of it, is found", () =>
  check(50, {
    setup: () => {
      const shared = setup()
      member(shared, "a", 1).workerTable.at(1).accept(1)
      return shared
    },
    threads: {
      s: (shared) => {
        const { tasks, workerTable } = member(shared, "s")
        assert.equal(workerTable.runnerOf(1, tasks.handleOf(1), tasks)?.number, 1)
      },
      a: (shared) => {
        const { tasks, workerTable } = member(shared, "a", 1)
        const running = new RunningTasks(tasks, workerTable.at(1))
        running.takeOnTop(2, 1)
        running.returnTo(1, 2)
      },
    },
  }))

for (const isLeaving of [true, false]) {
  test(`[PP28] a worker without a task ${isLeaving ? "leaves" : "begins one"}, or is terminated, never both`, () =>
    check(20, {
      setup,
      threads: {
        a: (shared) => {
          const self = member(shared, "a", 1).workerTable.at(1)
          const isDead = load(shared.notes, STRUCK) === 1
          if (isLeaving) self.depart()
          else self.enterUserCode()
          add(shared.notes, RUNS, 1)
          assert.ok(!isDead, "it goes on in the pool, though it is as good as dead")
          if (isLeaving) assert.equal(load(shared.notes, STRUCK), 0, "it is terminated, though it leaves")
          else self.leaveUserCode()
        },
        owner: (shared) => {
          const victim = member(shared, "owner").workerTable.at(1)
          if (!victim.markStaying()) return
          if (isLeaving) assert.equal(load(shared.notes, RUNS), 0, "it has begun to leave")
          store(shared.notes, STRUCK, 1)
        },
      },
    }))
}

test("[PP12][PP25] a thread is killed in the user's code, or not at all; one that comes back from there has not been", () =>
  check(20, {
    setup,
    threads: {
      a: (shared) => {
        const self = member(shared, "a", 1).workerTable.at(1)
        for (let i = 0; i < 2; i++) {
          self.enterUserCode()
          add(shared.notes, RUNS, 1)
          self.leaveUserCode()
          assert.equal(load(shared.notes, STRUCK), 0, "it goes on in the pool, though it is as good as dead")
        }
      },
      owner: (shared) => {
        const victim = member(shared, "owner").workerTable.at(1)
        if (!victim.markTerminating()) return
        store(shared.notes, STRUCK, 1)
        // Another one comes in its stead, who then runs code of the user's in turn; in its place as soon as it has stopped.
        victim.release()
        victim.retire()
        const { workerTable } = member(shared, "s")
        const hasStopped = !victim.isAlive
        if (hasStopped) victim.free()
        const next = workerTable.enlist(undefined)
        assert.equal(next?.number, hasStopped ? 1 : 2)
        next.request()
        assert.equal(workerTable.size, 1)
        assert.ok(next.take())
        next.begin()
        next.enterUserCode()
        add(shared.notes, RUNS, 1)
        next.leaveUserCode()
      },
    },
  }))
