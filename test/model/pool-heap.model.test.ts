/** Tasks by priority in shared memory, and deaths in the midst of it. Rules: docs/spec/platform.md. */
import { load } from "#atomics"
import { BY_PRIORITY } from "#src/platform/memory/layout.js"
import { SlotHeap } from "#src/platform/memory/slot-heap.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { hire, member, type PoolModel, poolOf, sorted } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

const TASKS = 4

/** Slot 2 comes first, then 1, 4 and 3. */
const PRIORITIES = [5, 9, 1, 3]

const setup =
  (...inside: number[]) =>
  (): PoolModel => {
    const shared = poolOf({ threads: ["a", "b", "owner"], tasks: TASKS, ordering: BY_PRIORITY })
    const { tasks } = member(shared, "owner")
    for (const [i, priority] of PRIORITIES.entries()) tasks.setRank(i + 1, priority)
    hire(shared, "a", "b")
    const heap = heapOf(shared, "owner")
    for (const slot of inside) assert.ok(heap.offer(slot))
    return shared
  }

/** Without spinning: looking for the lock twice shows nothing that looking once does not. */
function heapOf(shared: PoolModel, thread: string): SlotHeap {
  const { threadContext, memory, tasks } = member(shared, thread)
  return new SlotHeap(threadContext, memory.order as Int32Array, memory.words, TASKS, tasks, BY_PRIORITY, 0)
}

function claimOf(shared: PoolModel, number: number): number {
  return member(shared, "owner").workerTable.at(number).claim
}

const poller = (thread: string, number: number) => (shared: PoolModel) =>
  heapOf(shared, thread).poll(claimOf(shared, number))

function drain(heap: SlotHeap): number[] {
  const slots: number[] = []
  for (let slot = heap.poll(); slot !== 0; slot = heap.poll()) slots.push(slot)
  return slots
}

const ORDER = [2, 1, 4, 3]

/** In order, and each of these once; those in `perhaps` at most once. */
function assertInside(found: readonly number[], certain: readonly number[], perhaps: readonly number[]): void {
  assert.deepEqual(
    found,
    ORDER.filter((slot) => found.includes(slot)),
    "out of order, or double",
  )
  for (const slot of certain) assert.ok(found.includes(slot), `${slot} is lost`)
  for (const slot of found) assert.ok(certain.includes(slot) || perhaps.includes(slot), `${slot} came from nowhere`)
}

for (const [what, certain, perhaps, body] of [
  ["offers", [1, 3], [2], (heap: SlotHeap) => heap.offer(2)],
  ["removes", [1, 4], [3], (heap: SlotHeap) => heap.remove(3)],
] as const) {
  test(`[PP15] who dies while it ${what} has done so or not, and the next one finds all others in order`, () =>
    check(30, {
      setup: setup(...(what === "offers" ? [1, 3] : [1, 3, 4])),
      threads: { a: (shared) => body(heapOf(shared, "a")) },
      kill: "a",
      onKill: (shared) => {
        shared.program.reap("a")
        assertInside(drain(heapOf(shared, "owner")), certain, perhaps)
      },
    }))
}

test("[PP15] what a worker was taking when it died is in its claim, or still inside", () =>
  check(30, {
    setup: setup(1, 2, 3, 4),
    threads: { a: poller("a", 1) },
    kill: "a",
    onKill: (shared) => {
      shared.program.reap("a")
      const claimed = load(shared.memory.words, claimOf(shared, 1))
      const found = drain(heapOf(shared, "owner"))
      assertInside(found, [1, 4, 3], [2])
      if (!found.includes(2)) assert.equal(claimed, 2)
    },
  }))

test("[PP15] two take while one of them dies: nothing is taken twice, and nothing lost but what is claimed", () =>
  check(500, {
    setup: setup(1, 2, 3),
    threads: { a: poller("a", 1), b: poller("b", 2) },
    kill: "a",
    ...upTo(2),
    finally: (shared, { a, b = 0 }) => {
      const found = drain(heapOf(shared, "owner"))
      const taken = a === undefined ? [b] : [a, b]
      const claimed = load(shared.memory.words, claimOf(shared, 1))
      for (const slot of [1, 2, 3]) {
        const places = [...taken, ...found].filter((each) => each === slot).length
        assert.ok(
          places === 1 || (places === 0 && a === undefined && claimed === slot),
          `${slot} is in ${places} places`,
        )
      }
    },
  }))

test("[PP15] one that offers and one that takes", () =>
  check(500, {
    setup: setup(1),
    threads: { a: (shared) => heapOf(shared, "a").offer(2), b: poller("b", 2) },
    finally: (shared, { b = 0 }) => {
      const found = drain(heapOf(shared, "owner"))
      assert.deepEqual(sorted([b, ...found]), [1, 2])
    },
  }))
