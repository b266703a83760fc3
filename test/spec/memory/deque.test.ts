/** The deque, one operation at a time. Ids such as [WD1] refer to docs/spec/memory-structures.md. */
import { DEQUE, Deque, EMPTY, RETRY } from "#src/memory/deque.js"
import { LINE } from "#src/memory/layout.js"
import assert from "node:assert/strict"
import test from "node:test"
import { Fenced, MEMORIES, POSITIONS, startDequeAt } from "./fenced.ts"

function dequeOf(capacity: number): Deque {
  return new Deque(new Int32Array(Deque.wordsFor(capacity)), 0, capacity)
}

test("[WD1] words that are all 0 are an empty deque", () => {
  const deque = dequeOf(4)
  assert.equal(deque.size, 0)
  assert.equal(deque.steal(), EMPTY)
  for (let i = 0; i < 3; i++) assert.equal(deque.pop(), EMPTY)
  assert.equal(deque.steal(), EMPTY)
  assert.equal(deque.size, 0)
  assert.equal(deque.capacity, 4)
})

test("[WD1] several objects over the same words are one deque", () => {
  const words = new Int32Array(7 + Deque.wordsFor(2))
  const owner = new Deque(words, 7, 2)
  const thief = new Deque(words, 7, 2)
  owner.push(1)
  owner.push(2)
  assert.equal(thief.size, 2)
  assert.equal(thief.steal(), 1)
  assert.equal(owner.pop(), 2)
  assert.equal(thief.steal(), EMPTY)
})

test("[WD2] the owner takes the newest, a thief the oldest", () => {
  const deque = dequeOf(8)
  for (const value of [1, 2, 3, 4, 5]) deque.push(value)
  assert.equal(deque.pop(), 5)
  assert.equal(deque.steal(), 1)
  deque.push(6)
  assert.equal(deque.steal(), 2)
  assert.equal(deque.pop(), 6)
  assert.equal(deque.pop(), 4)
  assert.equal(deque.pop(), 3)
  assert.equal(deque.pop(), EMPTY)
})

test("[WD2] any positive value is kept", () => {
  const deque = dequeOf(2)
  for (const value of [1, 2 ** 20, 2 ** 31 - 1]) {
    deque.push(value)
    assert.equal(deque.pop(), value)
    deque.push(value)
    assert.equal(deque.steal(), value)
  }
})

test("[WD3] a full deque refuses more until one was taken, at whichever end", () => {
  const deque = dequeOf(4)
  for (let round = 0; round < 10; round++) {
    for (const value of [1, 2, 3, 4]) assert.equal(deque.push(value), true)
    assert.equal(deque.push(5), false)
    assert.equal(deque.size, 4)
    assert.equal(deque.steal(), 1)
    assert.equal(deque.push(5), true)
    assert.equal(deque.push(6), false)
    assert.equal(deque.pop(), 5)
    assert.equal(deque.push(7), true)
    assert.equal(deque.push(8), false)
    assert.deepEqual([deque.steal(), deque.steal(), deque.steal(), deque.steal()], [2, 3, 4, 7])
    assert.equal(deque.steal(), EMPTY)
  }
})

test("[WD4] alone a thief need not try again, and the signs are no values", () => {
  const deque = dequeOf(4)
  assert.notEqual(EMPTY, RETRY)
  for (const sign of [EMPTY, RETRY]) assert.throws(() => deque.push(sign), RangeError)
  for (let value = 1; value <= 100; value++) {
    deque.push(value)
    assert.equal(deque.steal(), value)
  }
})

for (const position of POSITIONS) {
  test(`[WD5] a deque goes over position ${position}, upwards and back`, () => {
    const words = new Int32Array(Deque.wordsFor(4))
    startDequeAt(words, 0, position)
    const deque = new Deque(words, 0, 4)
    for (let round = 0; round < 20; round++) {
      assert.equal(deque.pop(), EMPTY)
      for (const value of [1, 2, 3, 4]) assert.ok(deque.push(value))
      assert.equal(deque.push(5), false)
      assert.equal(deque.size, 4)
      assert.equal(deque.pop(), 4)
      assert.equal(deque.steal(), 1)
      assert.equal(deque.pop(), 3)
      assert.equal(round % 2 === 0 ? deque.pop() : deque.steal(), 2)
      assert.equal(deque.size, 0)
      assert.equal(deque.steal(), EMPTY)
    }
  })
}

test("[WD6] capacities and values are checked, and a refused value changes nothing", () => {
  const words = new Int32Array(1000)
  for (const capacity of [0, 1, 3, -2, 2.5, NaN, 2 ** 25]) {
    assert.throws(() => new Deque(words, 0, capacity), RangeError)
    assert.throws(() => Deque.wordsFor(capacity), RangeError)
  }
  assert.throws(() => new Deque(words, 0, "4" as never), TypeError)
  const deque = new Deque(words, 0, 2)
  for (const value of [0, -1, 1.5, NaN, 2 ** 31, 2 ** 32 + 1]) assert.throws(() => deque.push(value), RangeError)
  assert.ok(words.every((word) => word === 0))
})

for (const [kind, memory] of Object.entries(MEMORIES)) {
  test(`[WD7] nothing outside of its words is touched, in ${kind} memory`, () => {
    const fenced = new Fenced(Deque.wordsFor(4), memory)
    const deque = new Deque(fenced.words, fenced.index, 4)
    for (let i = 1; i < 100; i++) {
      while (deque.push(i)) assert.ok(deque.size <= 4)
      while ((i % 2 === 0 ? deque.pop() : deque.steal()) !== EMPTY) assert.ok(deque.size < 4)
    }
    fenced.assertUntouched()
  })
}

test("[WD7] owner and thieves write to different cache lines", () => {
  const lines = [DEQUE.TOP, DEQUE.BOTTOM, DEQUE.CELLS].map((word) => Math.floor(word / LINE))
  assert.equal(new Set(lines).size, 3)
  assert.equal(Math.floor(DEQUE.SEEN / LINE), Math.floor(DEQUE.BOTTOM / LINE))
})

test("[WD13] a deque that is in order is adopted as it is", () => {
  const deque = dequeOf(4)
  deque.adopt()
  for (const value of [1, 2, 3]) deque.push(value)
  deque.steal()
  deque.adopt()
  assert.equal(deque.size, 2)
  deque.push(4)
  assert.deepEqual([deque.pop(), deque.steal(), deque.pop(), deque.pop()], [4, 2, 3, EMPTY])
})

test("[WD13][WD14] a deque whose owner died while it found nothing to pop", () => {
  const words = new Int32Array(Deque.wordsFor(4))
  const deque = new Deque(words, 0, 4)
  deque.push(1)
  deque.steal()
  words[DEQUE.BOTTOM] = 0 // lowered below TOP, and there it stayed
  assert.equal(deque.size, 0)
  assert.equal(deque.steal(), EMPTY)
  deque.adopt()
  for (const value of [1, 2, 3, 4]) assert.equal(deque.push(value), true)
  assert.equal(deque.push(5), false)
  assert.deepEqual([deque.steal(), deque.pop(), deque.pop(), deque.pop(), deque.pop()], [1, 4, 3, 2, EMPTY])
})
