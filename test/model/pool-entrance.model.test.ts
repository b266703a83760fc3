/** The entrance of the queue of tasks with times: the owner adds and removes without the lock. Rules: docs/spec/platform.md. */
import { load, store } from "#atomics"
import { BY_TIME } from "#src/platform/memory/layout.js"
import { SlotHeap } from "#src/platform/memory/slot-heap.js"
import { DelayedTaskQueue } from "#src/platform/queue/delayed-task-queue.js"
import { toShared } from "#src/time/shared-clock.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { flowOf, hire, member, type PoolModel, poolOf, sorted } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

const WORKERS = ["a", "b"]

/**
 * Slots 1 to 3 are due, each so much later than the one before that a leader who waits for one is in time for the next. In a
 * model no time passes from the beginning of the clock on.
 */
const DUE = toShared(0) - 1_000

/** Never is: a leader that waits for it has promised something that only another task of this kind is in time for. */
const LATER = 4

/** A note: what the owner has removed. */
const REMOVED = 0

const setup =
  (...inside: number[]) =>
  (): PoolModel => {
    const shared = poolOf({ threads: ["s", ...WORKERS, "owner"], tasks: LATER, ordering: BY_TIME })
    const { tasks } = member(shared, "owner")
    for (const slot of [1, 2, 3]) tasks.enroll(slot, DUE + slot * 100, 0)
    tasks.enroll(LATER, Infinity, 0)
    hire(shared, ...WORKERS)
    const heap = heapOf(shared, "owner")
    for (const slot of inside) assert.ok(heap.offer(slot))
    heap.lead()
    return shared
  }

function heapOf(shared: PoolModel, thread: string): SlotHeap {
  const { threadContext, memory, tasks } = member(shared, thread)
  return new SlotHeap(threadContext, memory.order as Int32Array, memory.words, LATER, tasks, BY_TIME, 0)
}

/** The heap of the thread that plays the owner of the pool. */
function open(shared: PoolModel): SlotHeap {
  const heap = heapOf(shared, "s")
  heap.openEntrance()
  return heap
}

function add(heap: SlotHeap, slot: number): boolean {
  return heap.enter(slot) || heap.offer(slot)
}

function claimOf(shared: PoolModel, thread: string): number {
  return member(shared, "owner").workerTable.at(WORKERS.indexOf(thread) + 1).claim
}

const poller = (thread: string) => (shared: PoolModel) => {
  const claim = claimOf(shared, thread)
  return heapOf(shared, thread).poll(claim)
}

/** Each is in one place: still inside, taken, removed, or claimed by the dead. */
function assertPlaces(shared: PoolModel, expected: readonly number[], taken: (number | undefined)[]): void {
  const inside = heapOf(shared, "owner").toArray()
  const claimed = taken.includes(undefined) ? [load(shared.memory.words, claimOf(shared, "a"))] : []
  const places = [...inside, ...taken.filter((slot) => slot !== undefined), load(shared.notes, REMOVED)]
  for (const slot of claimed) if (!places.includes(slot)) places.push(slot)
  assert.deepEqual(sorted(places.filter((slot) => slot !== 0)), [...expected])
  assert.deepEqual(inside, sorted(inside), "out of order")
}

test("[PP30] a task is inside as soon as it is added, and out as soon as it is removed", () =>
  check(1, {
    setup: setup(1),
    threads: {
      s: (shared) => {
        const heap = open(shared)
        assert.ok(heap.enter(3) && heap.enter(2), "the leader is in time for both")
        assert.deepEqual([heap.isUrgent, heap.withdraw(3), heap.withdraw(3)], [false, true, false])
        assert.deepEqual([heap.size, heap.isEmpty, heap.toArray()], [2, false, [1, 2]])
        assert.equal(heap.withdraw(2), false, "it has been let in")
        assert.ok(heap.remove(2) && heap.remove(1) && heap.enter(3) && heap.withdraw(3))
        assert.ok(heap.isEmpty)
      },
    },
    finally: () => undefined,
  }))

test("[PP30] who adds and who takes: each task is taken once, or still inside, in order", () =>
  check(1_000, {
    setup: setup(1),
    threads: {
      s: (shared) => {
        const heap = open(shared)
        assert.ok(add(heap, 2) && add(heap, 3))
      },
      a: poller("a"),
      b: poller("b"),
    },
    ...upTo(2),
    finally: (shared, { a = 0, b = 0 }) => assertPlaces(shared, [1, 2, 3], [a, b]),
  }))

/** Adds two, and removes the first of them again. */
function addAndRemove(shared: PoolModel): void {
  const heap = open(shared)
  assert.ok(add(heap, 2) && add(heap, 3))
  if (heap.withdraw(2) || heap.remove(2)) store(shared.notes, REMOVED, 2)
}

test("[PP30] who removes and who takes: one of them has the task", () =>
  check(1_000, {
    setup: setup(1),
    threads: { s: addAndRemove, a: poller("a"), b: poller("b") },
    ...upTo(2),
    finally: (shared, { a = 0, b = 0 }) => assertPlaces(shared, [1, 2, 3], [a, b]),
  }))

for (const [what, dies] of [
  ["takes", poller("a")],
  [
    "leads",
    (shared: PoolModel) => {
      heapOf(shared, "a").lead()
      return 0
    },
  ],
] as const) {
  test(`[PP30] [PP15] who dies while it ${what} loses no task that it was letting in`, () =>
    check(1_000, {
      setup: setup(1),
      threads: { s: addAndRemove, a: dies },
      kill: "a",
      onKill: (shared) => shared.program.reap("a"),
      ...upTo(2),
      finally: (shared, { a }) => assertPlaces(shared, [1, 2, 3], [a]),
    }))
}

test("[PP30] if the entrance is full, tasks get in by the lock", () =>
  check(1, {
    setup: setup(LATER),
    threads: {
      s: (shared) => {
        const heap = open(shared)
        const { tasks } = member(shared, "s")
        for (const slot of [1, 2, 3]) tasks.setRank(slot, Infinity)
        for (let round = 0; round < 20; round++) {
          assert.ok(add(heap, 1))
          assert.ok(heap.withdraw(1) || heap.remove(1))
        }
        for (const slot of [1, 2, 3]) assert.ok(add(heap, slot))
        assert.deepEqual(heap.toArray(), [LATER, 1, 2, 3])
      },
    },
    finally: () => undefined,
  }))

// ------------------------------------------------------------------ nothing is overslept

/** Takes one task, as a worker does; stays in line if there is none. */
const worker =
  (thread: string) =>
  (shared: PoolModel): number[] => {
    const number = WORKERS.indexOf(thread) + 1
    const { memory, tasks, workerTable } = member(shared, thread, number)
    const queue = new DelayedTaskQueue(memory, tasks, workerTable.at(number).claim, 0)
    const flow = flowOf(shared, thread)
    const got: number[] = []
    const accept = (slot: number | undefined): void => {
      if (slot === undefined) return
      workerTable.at(number).accept(slot)
      got.push(slot)
    }
    const reject = (error: unknown): void => {
      throw error
    }
    const polled = queue.poll()
    if (polled === undefined) queue.receive({ resolve: accept, reject }, flow, Infinity)
    else accept(polled)
    return got
  }

function submitter(shared: PoolModel): void {
  const { memory, tasks } = member(shared, "s")
  const queue = new DelayedTaskQueue(memory, tasks, 0, 0)
  queue.openEntrance()
  for (const slot of [1, 2]) assert.ok(queue.offer(slot))
}

for (const inside of [[], [LATER]]) {
  const waitsFor = inside.length === 0 ? "anything" : "a task that is due later"
  for (const [workers, most] of [
    [["a"], 2],
    [["a", "b"], 1],
  ] as const) {
    test(`[PP17] [PP30] no task in the entrance is overslept: ${workers.length} of two workers wait for ${waitsFor}`, () =>
      check(1_000, {
        setup: setup(...inside),
        threads: { s: submitter, ...Object.fromEntries(workers.map((thread) => [thread, worker(thread)])) },
        ...upTo(most),
        finally: (shared, results) => {
          const taken = Object.values(results as Record<string, number[] | undefined>).flatMap((slots) => slots ?? [])
          assert.equal(taken.length, workers.length, "a task is due, and a worker waits")
          const left = heapOf(shared, "owner").toArray()
          assert.deepEqual(sorted([...taken, ...left]), [1, 2, ...inside])
        },
      }))
  }
}

test("[PP17] [PP30] a leader that was in time for a task finds it in the entrance before it waits for a later one", () =>
  check(1_000, {
    setup: setup(1, LATER),
    threads: {
      s: (shared) => {
        const { memory, tasks } = member(shared, "s")
        const queue = new DelayedTaskQueue(memory, tasks, 0, 0)
        queue.openEntrance()
        if (queue.remove(1)) store(shared.notes, REMOVED, 1)
        assert.ok(queue.offer(2))
      },
      a: worker("a"),
    },
    ...upTo(2),
    finally: (shared, { a }) => {
      assert.equal(a?.length, 1, "a task is due, and a worker waits")
      const left = heapOf(shared, "owner").toArray()
      const removed = load(shared.notes, REMOVED)
      assert.deepEqual(sorted([...(a ?? []), ...left, ...(removed === 0 ? [] : [removed])]), [1, 2, LATER])
    },
  }))
