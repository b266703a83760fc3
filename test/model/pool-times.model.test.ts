/** Tasks with times: who waits for them, and how those that run again get back into the queue. Rules: docs/spec/platform.md. */
import { load, store } from "#atomics"
import { InterruptedError } from "#src/errors.js"
import { COMPLETING, NEW } from "#src/future/task-state.js"
import { DelayedTaskQueue } from "#src/platform/queue/delayed-task-queue.js"
import { BY_TIME } from "#src/platform/memory/layout.js"
import { isOrphan } from "#src/platform/member/orphans.js"
import { PeriodicRuns } from "#src/platform/worker/periodic-runs.js"
import { slotTimetable } from "#src/platform/queue/slot-timetable.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { flowOf, hire, member, type Member, type PoolModel, poolOf, sorted } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

/** A note: the task that a worker had in hand when it died. */
const FAILED = 0

/** Slots 1 and 2 are due, slot 3 never will be: with a time it would be waited for with a timer, which is not of the model. */
const LATER = 3

const WORKERS = ["a", "b"]

const setup =
  (...inside: number[]) =>
  (): PoolModel => {
    const shared = poolOf({ threads: ["s", ...WORKERS, "owner"], tasks: 3, ordering: BY_TIME })
    const { tasks } = member(shared, "owner")
    for (const slot of [1, 2]) tasks.enroll(slot, slot, 1)
    tasks.enroll(LATER, Infinity, 0)
    hire(shared, ...WORKERS)
    const { queue } = timed(shared, "owner")
    for (const slot of inside) assert.ok(queue.offer(slot))
    return shared
  }

type TimedMember = Omit<Member, "queue"> & { readonly queue: DelayedTaskQueue; readonly number: number }

/** Without spinning: looking for the lock twice shows nothing that looking once does not. */
function timed(shared: PoolModel, thread: string): TimedMember {
  const number = WORKERS.indexOf(thread) + 1
  const it = member(shared, thread, number)
  const claim = number === 0 ? 0 : it.workerTable.at(number).claim
  return { ...it, number, queue: new DelayedTaskQueue(it.memory, it.tasks, claim, 0) }
}

/** Takes one task, as a worker does; stays in line if there is none. */
const worker =
  (thread: string) =>
  (shared: PoolModel): number[] => {
    const { queue, workerTable, number } = timed(shared, thread)
    const flow = flowOf(shared, thread)
    const got: number[] = []
    const accept = (slot: number | undefined): void => {
      if (slot === undefined) return
      workerTable.at(number).accept(slot)
      got.push(slot)
    }
    const polled = queue.poll()
    const reject = (error: unknown): void => {
      if (!(error instanceof InterruptedError)) throw error
    }
    if (polled === undefined) queue.receive({ resolve: accept, reject }, flow, Infinity)
    else accept(polled)
    return got
  }

const submitter =
  (thread: string, ...slots: number[]) =>
  (shared: PoolModel): void => {
    const { queue } = timed(shared, thread)
    for (const slot of slots) assert.ok(queue.offer(slot))
  }

/** What the owner does about a worker that has died. */
function reap(shared: PoolModel, thread: string): void {
  const { memory, queue, workerTable, tasks } = timed(shared, "owner")
  const dead = workerTable.at(WORKERS.indexOf(thread) + 1)
  const { claimed, currentSlot, returning } = dead
  shared.program.reap(thread)
  dead.release()
  const lost = returning === 0 ? claimed : returning
  if (currentSlot !== 0) {
    if (tasks.leaveNew(currentSlot, COMPLETING)) store(shared.notes, FAILED, currentSlot)
  } else if (lost !== 0 && isOrphan(lost, memory, tasks, queue, workerTable)) queue.restore(lost)
}

/** Each is taken once, or was in the hand of the dead; what is not due waits. */
function assertTaken(shared: PoolModel, expected: readonly number[], ...taken: (number[] | undefined)[]): void {
  const { queue } = timed(shared, "owner")
  assert.deepEqual(
    queue.toArray().filter((slot) => slot !== LATER),
    [],
    "a task is due, and all workers wait",
  )
  const failed = load(shared.notes, FAILED)
  const all = taken.flatMap((slots) => slots ?? [])
  assert.deepEqual(sorted(failed === 0 ? all : [...all, failed]), [...expected])
}

for (const inside of [[], [LATER]]) {
  const waitsFor = inside.length === 0 ? "anything" : "a task that is due later"
  test(`[PP17] a task that is due wakes who waits, or is about to wait, for ${waitsFor}`, () =>
    check(300, {
      setup: setup(...inside),
      threads: { s: submitter("s", 1), a: worker("a") },
      ...upTo(2),
      finally: (shared, { a }) => assertTaken(shared, [1], a),
    }))
}

test("[PP17] one that comes second, due before the first, is not overlooked", () =>
  check(300, {
    setup: setup(),
    threads: { s: submitter("s", LATER, 1), a: worker("a") },
    ...upTo(2),
    finally: (shared, { a }) => assertTaken(shared, [1], a),
  }))

test("[PP17] who leads and gets a task leaves the next one to who stands behind", () =>
  check(1_000, {
    setup: setup(LATER),
    threads: { s: submitter("s", 1, 2), a: worker("a"), b: worker("b") },
    ...upTo(1),
    finally: (shared, { a, b }) => assertTaken(shared, [1, 2], a, b),
  }))

test("[PP17] who leads and gives up leaves it to the next", () =>
  check(1_000, {
    setup: setup(LATER),
    threads: {
      s: (shared) => {
        shared.program.registry.interrupt(shared.program.token("a"))
        submitter("s", 1)(shared)
      },
      a: worker("a"),
      b: worker("b"),
    },
    ...upTo(1),
    finally: (shared, { a, b }) => assertTaken(shared, [1], a, b),
  }))

test("[PP18] one that dies, as leader or behind it, costs at most the task that it has accepted", () =>
  check(1_000, {
    setup: setup(LATER),
    threads: { s: submitter("s", 1), a: worker("a"), b: worker("b") },
    kill: "a",
    onKill: reap,
    ...upTo(0),
    finally: (shared, { a, b }) => assertTaken(shared, [1], a, b),
  }))

// ------------------------------------------------------------------ tasks that run again

/** The first worker has the first task in hand. */
function busy(): PoolModel {
  const shared = setup()()
  member(shared, "a", 1).workerTable.at(1).accept(1)
  return shared
}

/** Has run the task, and puts it back. */
function returner(shared: PoolModel): void {
  const { memory, tasks, completionQueues, workerTable, queue } = timed(shared, "a")
  const self = workerTable.at(1)
  const timetable = slotTimetable(memory, tasks, completionQueues, queue, {
    ensureWorker: () => undefined,
    tryTerminate: () => undefined,
    reportUncaught: () => assert.fail(),
  })
  self.accept(1)
  new PeriodicRuns(tasks, completionQueues, self, timetable).goOn(1)
  self.release()
}

/** Looks once whether there is something to do, and has it in hand then. */
function poller(shared: PoolModel): number[] {
  const { queue, workerTable } = timed(shared, "b")
  const slot = queue.poll()
  if (slot === undefined) return []
  workerTable.at(2).accept(slot)
  return [slot]
}

test("[PP19] a series whose thread dies as it puts it back is in the queue once, in another's hand, or has failed", () =>
  check(1_000, {
    setup: busy,
    threads: { a: returner, b: poller },
    kill: "a",
    onKill: reap,
    ...upTo(2),
    finally: (shared, { b = [] }) => {
      const { queue, tasks } = timed(shared, "owner")
      const failed = load(shared.notes, FAILED) === 0 ? [] : [1]
      assert.deepEqual([...queue.toArray(), ...b, ...failed], [1])
      assert.equal(tasks.stateOf(1) === NEW, failed.length === 0)
    },
  }))

test("[PP19] and one whose thread does not die is in the queue, or in another's hand", () =>
  check(100, {
    setup: busy,
    threads: { a: returner, b: poller },
    ...upTo(4),
    finally: (shared, { b = [] }) => assert.deepEqual([...timed(shared, "owner").queue.toArray(), ...b], [1]),
  }))
