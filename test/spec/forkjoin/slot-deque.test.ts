/** The deque of a worker. Rules: docs/spec/forkjoin.md. */
import { sharedWords } from "#atomics"
import { SlotDeque } from "#src/platform/queue/slot-deque.js"
import { MOST_TASKS } from "#src/platform/memory/layout.js"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { Fenced, MEMORIES, POSITIONS, startRingAt } from "../memory/fenced.ts"

/** Deques at the beginning, and where positions and laps are about to wrap. */
function deques(capacity: number): SlotDeque[] {
  return POSITIONS.map((position) => {
    const words = sharedWords(SlotDeque.wordsFor(capacity))
    startRingAt(words, 0, position - (position % capacity), capacity, MOST_TASKS)
    const deque = new SlotDeque(words, 0, capacity)
    deque.adopt()
    return deque
  })
}

const claims = sharedWords(2)

test("[FJ60] the owner takes the newest, thieves the oldest", () => {
  for (const deque of deques(8)) {
    for (const slot of [3, 1, 2]) assert.equal(deque.push(slot), true)
    assert.deepEqual([deque.size, deque.isEmpty, deque.toArray()], [3, false, [3, 1, 2]])
    assert.equal(deque.unpush(1), false)
    assert.equal(deque.unpush(2), true)
    assert.equal(deque.steal(1, claims), 3)
    assert.equal(claims[1], 3)
    assert.deepEqual([deque.pop(), deque.pop(), deque.steal(0, claims), deque.isEmpty], [1, 0, 0, true])
    assert.equal(deque.unpush(1), false)
  }
})

test("[FJ61] it is full when all cells are, and room is made at either end", () => {
  for (const deque of deques(2)) {
    for (let round = 1; round < 20; round++) {
      assert.deepEqual([deque.push(MOST_TASKS), deque.push(1), deque.push(2)], [true, true, false])
      assert.equal(round % 2 === 0 ? deque.pop() : deque.steal(0, claims), round % 2 === 0 ? 1 : MOST_TASKS)
      assert.deepEqual([deque.push(round), deque.push(2)], [true, false])
      assert.equal(deque.pop(), round)
      assert.equal(deque.steal(0, claims), round % 2 === 0 ? MOST_TASKS : 1)
    }
  }
})

test("[FJ65] words that are all 0 are an empty deque", () => {
  const deque = new SlotDeque(sharedWords(SlotDeque.wordsFor(4)), 0, 4)
  deque.adopt()
  for (let i = 0; i < 3; i++) assert.deepEqual([deque.pop(), deque.unpush(1), deque.steal(0, claims)], [0, false, 0])
  assert.deepEqual([deque.size, deque.isEmpty, deque.capacity], [0, true, 4])
})

test("[FJ65] several objects over the same words are one deque", () => {
  const words = sharedWords(7 + SlotDeque.wordsFor(2))
  const owner = new SlotDeque(words, 7, 2)
  const thief = new SlotDeque(words, 7, 2)
  owner.adopt()
  assert.deepEqual([owner.push(1), owner.push(2)], [true, true])
  assert.deepEqual([thief.size, thief.steal(0, claims), owner.pop(), thief.steal(0, claims)], [2, 1, 2, 0])
})

for (const [kind, memory] of Object.entries(MEMORIES)) {
  test(`[FJ65] nothing outside of its words is touched, in ${kind} memory`, () => {
    const fenced = new Fenced(SlotDeque.wordsFor(4), memory)
    const deque = new SlotDeque(fenced.words, fenced.index, 4)
    deque.adopt()
    for (let i = 1; i < 100; i++) {
      while (deque.push(i)) assert.ok(deque.size <= 4)
      while ((i % 2 === 0 ? deque.pop() : deque.steal(0, claims)) !== 0) assert.ok(deque.size < 4)
      if (i % 3 === 0) deque.adopt()
    }
    fenced.assertUntouched()
  })
}

test("[FJ65] capacities are checked", () => {
  const words = sharedWords(1000)
  for (const capacity of [0, 1, 3, -2, 2.5, NaN, 2 ** 25]) {
    assert.throws(() => new SlotDeque(words, 0, capacity), RangeError)
    assert.throws(() => SlotDeque.wordsFor(capacity), RangeError)
  }
  assert.throws(() => new SlotDeque(words, 0, "4" as never), TypeError)
})

test("[FJ62] a deque that is in order is adopted as it is, also by another object", () => {
  const words = sharedWords(SlotDeque.wordsFor(4))
  const first = new SlotDeque(words, 0, 4)
  first.adopt()
  for (const slot of [1, 2, 3]) first.push(slot)
  first.steal(0, claims)
  const next = new SlotDeque(words, 0, 4)
  next.adopt()
  assert.deepEqual([next.size, next.push(4)], [2, true])
  assert.deepEqual([next.pop(), next.steal(0, claims), next.pop(), next.pop()], [4, 2, 3, 0])
})

test("[FJ60][FJ61][FJ66] it is a list of which one end is the owner's", () => {
  const step = fc.oneof(
    fc.record({ what: fc.constant("push" as const), slot: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ what: fc.constantFrom("pop" as const, "steal" as const, "adopt" as const), slot: fc.constant(0) }),
    fc.record({ what: fc.constant("unpush" as const), slot: fc.integer({ min: 1, max: 9 }) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
      for (const deque of deques(4)) {
        const list: number[] = []
        for (const each of steps) {
          if (each.what === "push") {
            assert.equal(deque.push(each.slot), list.length < 4)
            if (list.length < 4) list.push(each.slot)
          } else if (each.what === "pop") assert.equal(deque.pop(), list.pop() ?? 0)
          else if (each.what === "steal") assert.equal(deque.steal(0, claims), list.shift() ?? 0)
          else if (each.what === "adopt") deque.adopt()
          else {
            const isTop = list.at(-1) === each.slot
            assert.equal(deque.unpush(each.slot), isTop)
            if (isTop) list.pop()
          }
          assert.deepEqual([deque.size, deque.toArray()], [list.length, list])
        }
      }
    }),
  )
})
