/** What becomes of the task that a worker has claimed when it dies. Rules: docs/spec/platform.md. */
import { add, load, store } from "#atomics"
import { COMPLETING, NEW, NORMAL } from "#src/future/task-state.js"
import { isOrphan, isUndelivered } from "#src/platform/member/orphans.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { bellOf, hire, member, type PoolModel, poolOf } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

/** Notes: how often the task was run; what the dead one had in its hand. */
const RUNS = 0
const IN_HAND = 1

const WORKERS = ["a", "b", "c"]

function setup(): PoolModel {
  const shared = poolOf({ threads: ["s", ...WORKERS, "owner"], tasks: 1 })
  hire(shared, ...WORKERS)
  assert.ok(member(shared, "s").queue.offer(1))
  return shared
}

/** Looks for a task once, and completes what it gets. */
const worker =
  (thread: string) =>
  (shared: PoolModel): void => {
    const number = WORKERS.indexOf(thread) + 1
    const { queue, workerTable, tasks } = member(shared, thread, number)
    const self = workerTable.at(number)
    const slot = queue.poll()
    if (slot === undefined) return
    self.accept(slot)
    assert.ok(tasks.leaveNew(slot, COMPLETING), "it has been run already")
    add(shared.notes, RUNS, 1)
    tasks.settle(slot, NORMAL)
    self.release()
  }

/** As the owner does. */
function reap(shared: PoolModel, thread: string): void {
  const { memory, workerTable, queue, tasks } = member(shared, "owner")
  const dead = workerTable.at(WORKERS.indexOf(thread) + 1)
  const { claimed, currentSlot } = dead
  shared.program.reap(thread)
  dead.release()
  if (currentSlot !== 0) store(shared.notes, IN_HAND, currentSlot)
  else if (claimed !== 0 && isOrphan(claimed, memory, tasks, queue, workerTable)) queue.restore(claimed)
}

/** It has been run, or waits, or was in the hand of the dead: one of these. */
function assertThere(shared: PoolModel): void {
  const { queue, tasks } = member(shared, "owner")
  const waiting = queue.toArray()
  const isDone = tasks.stateOf(1) !== NEW
  assert.deepEqual(waiting, isDone || load(shared.notes, IN_HAND) !== 0 ? [] : [1])
  assert.equal(load(shared.notes, RUNS), tasks.stateOf(1) === NORMAL ? 1 : load(shared.notes, RUNS))
}

test("[PP9] what a dead worker was about to take, or had taken and not accepted, is restored once", () =>
  check(500, {
    setup,
    threads: { a: worker("a"), b: worker("b") },
    kill: "a",
    onKill: reap,
    finally: assertThere,
  }))

test("[PP9] three workers reach for one task, and one of them dies", () =>
  check(500, {
    setup,
    threads: { a: worker("a"), b: worker("b"), c: worker("c") },
    kill: "a",
    onKill: reap,
    ...upTo(1),
    finally: assertThere,
  }))

test("[PP16] the thread that made the pool hears once of a task of its own whose worker died, wherever that was", () =>
  check(30, {
    setup: () => {
      const shared = poolOf({ threads: ["s", "a"], tasks: 1 })
      hire(shared, "a")
      return shared
    },
    threads: {
      a: (shared) => {
        const { workerTable, tasks, completionQueues } = member(shared, "a", 1)
        const self = workerTable.at(1)
        self.accept(1)
        if (tasks.leaveNew(1, COMPLETING)) tasks.settle(1, NORMAL)
        completionQueues.put(1)
        self.release()
      },
    },
    kill: "a",
    onKill: (shared) => {
      const { threadContext, workerTable, tasks, completionQueues } = member(shared, "s")
      const got: number[] = []
      const look = (): void =>
        completionQueues.empty(1, (slots) => {
          for (const slot of slots) tasks.free(slot)
          got.push(...slots)
        })
      bellOf(shared, threadContext, look)
      const wasInHand = workerTable.at(1).currentSlot !== 0
      shared.program.reap("a")
      look()
      // The slot may be in use again by now.
      if (got.length > 0) assert.equal(tasks.slotOf(tasks.take(1, 0, 0)), 1)
      if (isUndelivered(workerTable.at(1), tasks, completionQueues)) completionQueues.put(1)
      look()
      assert.ok(got.length <= 1, "it heard of it twice")
      assert.ok(got.length === 1 || !wasInHand, "it did not hear of it")
    },
  }))
