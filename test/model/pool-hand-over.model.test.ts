/** A pool without a queue ends while a task is handed over to an idle worker. Rules: docs/spec/platform.md. */
import { add, load, store } from "#atomics"
import { InterruptedError } from "#src/errors.js"
import { isOrphan } from "#src/platform/member/orphans.js"
import { Taker } from "#src/platform/queue/taker.js"
import { PoolCore } from "#src/core/pool-core.js"
import { atLeast, SHUTDOWN, STOP } from "#src/core/control-word.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import type { Self } from "./explore.ts"
import { flowOf, hire, member, type Member, type PoolModel, poolOf } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

/** Notes: how often the task came to an end of each kind. */
const RUN = 0
const REJECTED = 1
const HANDED_BACK = 2
const FAILED = 3

const TASK = 1

function setup(): PoolModel {
  const shared = poolOf({ threads: ["s", "a", "guest", "owner"], tasks: 1, bound: 0 })
  hire(shared, "a")
  const { control } = shared.memory.state
  assert.ok(control.tryAddWorker(control.snapshot))
  shared.memory.state.maximumPoolSize = 1
  return shared
}

/** The pool as this thread has it, by the library's own algorithms; there are no other threads to be had. */
function coreOf({ memory, queue, workerTable }: Member): PoolCore<number> {
  return new PoolCore<number>(
    memory.state,
    queue,
    { newWorker: () => undefined, mayEnd: () => false, endPool: () => assert.fail("of workers only") },
    workerTable,
  )
}

const submitter = (shared: PoolModel): void => {
  const opened = member(shared, "s")
  opened.queue.taker = new Taker(opened.memory, opened.tasks, 1)
  if (!coreOf(opened).admit(TASK)) add(shared.notes, REJECTED, 1)
}

/** Waits for a task, and runs it; or leaves, if the pool ends: see WorkerLoop. The thread has not finished before. */
const worker = (shared: PoolModel, self: Self): void => {
  const { queue, workerTable, memory } = member(shared, "a", 1)
  const flow = flowOf(shared, "a")
  let isOver = false
  self.until(() => isOver)
  const leave = (): void => {
    memory.state.control.removeWorker()
    isOver = true
  }
  const next = (): void => {
    const seen = memory.state.control.snapshot
    if (atLeast(seen, SHUTDOWN) && (atLeast(seen, STOP) || queue.isEmpty)) leave()
    else
      queue.receive(
        {
          resolve: (slot) => {
            if (slot === undefined) next()
            else {
              workerTable.at(1).accept(slot)
              add(shared.notes, RUN, 1)
              workerTable.at(1).release()
              leave()
            }
          },
          reject: (error) => {
            if (!(error instanceof InterruptedError)) throw error
            next()
          },
        },
        flow,
        Infinity,
      )
  }
  next()
}

/** What `shutdownNow` or `shutdown` comes down to: see ThreadPoolExecutor and PoolOwner.finishEnding. */
function end(shared: PoolModel, thread: "guest" | "owner", state: number): void {
  const { memory, queue, workerTable } = member(shared, thread)
  memory.state.control.advanceTo(state)
  workerTable.at(1).interrupt()
  if (state === STOP) drain(shared, queue)
}

function drain({ notes }: PoolModel, queue: Member["queue"]): void {
  while (queue.draw() !== undefined) add(notes, HANDED_BACK, 1)
}

/** What the owner does about a thread that has died. A worker is not replaced. */
const reap =
  (state: number) =>
  (shared: PoolModel, thread: string): void => {
    shared.program.reap(thread)
    if (thread === "guest") end(shared, "owner", state)
    if (thread !== "a") return
    const { memory, queue, workerTable, tasks } = member(shared, "owner")
    const dead = workerTable.at(1)
    const { claimed, currentSlot, waits } = dead
    dead.release()
    if (waits) queue.forgetWaiter()
    if (load(shared.notes, RUN) !== 0) assert.equal(queue.isEmpty, true)
    else if (currentSlot !== 0) store(shared.notes, FAILED, 1)
    else if (claimed !== 0 && isOrphan(claimed, memory, tasks, queue, workerTable)) queue.restore(claimed)
    const { control } = memory.state
    if (control.workerCount > 0) control.removeWorker() // else it had left before
  }

/** The worker has left. What is inside now the owner takes, before the pool ends: see PoolOwner.mayEnd. */
function assertSettled(shared: PoolModel, isSubmitted: boolean): void {
  const { queue, memory } = member(shared, "owner")
  if (memory.state.control.workerCount === 0) drain(shared, queue)
  const ends = [RUN, REJECTED, HANDED_BACK, FAILED].map((note) => load(shared.notes, note))
  const count = ends.reduce((sum, it) => sum + it, 0)
  assert.ok(isSubmitted ? count === 1 : count <= 1, `the task came to ${count} ends: ${ends.join()}`)
}

for (const [what, state] of [
  ["shutdownNow", STOP],
  ["shutdown", SHUTDOWN],
] as const) {
  test(`[PP26] ${what}, and a task for an idle worker: the worker runs it or the pool refuses it, and the worker leaves`, () =>
    check(500, {
      setup,
      threads: { s: submitter, a: worker, guest: (shared) => end(shared, "guest", state) },
      ...upTo(2),
      finally: (shared) => {
        assertSettled(shared, true)
        assert.equal(load(shared.notes, HANDED_BACK), 0)
      },
    }))

  test(`[PP26] ${what} right after the task, by the thread that has submitted it: the worker runs it`, () =>
    check(100, {
      setup,
      threads: {
        s: (shared) => {
          const isTaken = member(shared, "s").queue.offer(TASK)
          if (!isTaken) add(shared.notes, REJECTED, 1)
          shared.memory.state.control.advanceTo(state)
          const { workerTable, queue } = member(shared, "s")
          workerTable.at(1).interrupt()
          if (state === STOP) drain(shared, queue)
          return isTaken
        },
        a: worker,
      },
      finally: (shared, { s }) => assert.equal(load(shared.notes, RUN), s === true ? 1 : 0),
    }))

  for (const mortal of ["s", "a", "guest"] as const) {
    const dead = { s: "the submitter", a: "the worker", guest: `the thread in ${what}` }[mortal]
    test(`[PP26] ${what}, a task for an idle worker, and the death of ${dead} at any step: no worker waits for ever`, () =>
      check(500, {
        setup,
        threads: { s: submitter, a: worker, guest: (shared) => end(shared, "guest", state) },
        kill: mortal,
        onKill: reap(state),
        ...upTo(1),
        finally: (shared) => assertSettled(shared, mortal !== "s"),
      }))
  }
}
