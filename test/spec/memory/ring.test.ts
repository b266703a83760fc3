/** The ring, one operation at a time. Ids such as [RG1] refer to docs/spec/memory-structures.md. */
import { LINE } from "#src/memory/layout.js"
import { RING, Ring } from "#src/memory/structures/ring.js"
import assert from "node:assert/strict"
import test from "node:test"
import { Fenced, MEMORIES, POSITIONS, startRingAt } from "./fenced.ts"

function ringOf(capacity: number): Ring {
  return new Ring(new Int32Array(Ring.wordsFor(capacity)), 0, capacity)
}

function drain(ring: Ring): number[] {
  const values: number[] = []
  for (let value = ring.poll(); value !== 0; value = ring.poll()) values.push(value)
  return values
}

test("[RG1] words that are all 0 are an empty ring", () => {
  const ring = ringOf(4)
  assert.equal(ring.poll(), 0)
  assert.equal(ring.size, 0)
  assert.equal(ring.isEmpty, true)
  assert.equal(ring.capacity, 4)
})

test("[RG1] several objects over the same words are one ring", () => {
  const words = new Int32Array(10 + Ring.wordsFor(2))
  const one = new Ring(words, 10, 2)
  const other = new Ring(words, 10, 2)
  assert.ok(one.offer(5))
  assert.equal(other.size, 1)
  assert.ok(other.offer(6))
  assert.equal(one.offer(7), false)
  assert.equal(one.poll(), 5)
  assert.equal(other.poll(), 6)
  assert.equal(one.poll(), 0)
})

test("[RG2][RG3] values come out in order, and a full ring refuses more until there is room", () => {
  const ring = ringOf(4)
  for (let round = 0; round < 10; round++) {
    for (let value = 1; value <= 4; value++) {
      assert.equal(ring.offer(value), true)
      assert.equal(ring.size, value)
      assert.equal(ring.isEmpty, false)
    }
    assert.equal(ring.offer(5), false)
    assert.equal(ring.poll(), 1)
    assert.equal(ring.offer(6), true)
    assert.equal(ring.offer(7), false)
    assert.deepEqual(drain(ring), [2, 3, 4, 6])
    assert.equal(ring.isEmpty, true)
  }
})

test("[RG4] a value is removed wherever it stands, and the others keep their order", () => {
  for (const [victim, rest] of [
    [1, [2, 3, 4]],
    [2, [1, 3, 4]],
    [4, [1, 2, 3]],
  ] as const) {
    const ring = ringOf(4)
    for (const value of [1, 2, 3, 4]) ring.offer(value)
    assert.equal(ring.remove(victim), true)
    assert.equal(ring.remove(victim), false)
    assert.deepEqual(drain(ring), rest)
  }
})

test("[RG4] of equal values the foremost goes", () => {
  const ring = ringOf(8)
  for (const value of [7, 5, 7, 6, 7]) ring.offer(value)
  assert.equal(ring.remove(7), true)
  assert.equal(ring.poll(), 5)
  assert.equal(ring.remove(7), true)
  assert.deepEqual(drain(ring), [6, 7])
})

test("[RG4] what is not there, or could not be, is not removed", () => {
  const ring = ringOf(2)
  assert.equal(ring.remove(1), false)
  ring.offer(1)
  for (const absent of [2, 0, -1, 1.5, NaN, 2 ** 20, 2 ** 32 + 1]) assert.equal(ring.remove(absent), false)
  ring.poll()
  assert.equal(ring.remove(1), false)
})

test("[RG5] a hole keeps its room until those before it are gone", () => {
  const ring = ringOf(2)
  ring.offer(1)
  ring.offer(2)
  ring.remove(2)
  assert.equal(ring.size, 1)
  assert.equal(ring.offer(3), false)
  assert.equal(ring.poll(), 1)
  assert.equal(ring.isEmpty, true)
  assert.equal(ring.offer(3), true)
  assert.equal(ring.offer(4), true)
  assert.deepEqual(drain(ring), [3, 4])
})

test("[RG5] the room of a removed first value is free at once, also that of holes behind it", () => {
  const ring = ringOf(4)
  for (const value of [1, 2, 3, 4]) ring.offer(value)
  ring.remove(2)
  ring.remove(3)
  ring.remove(1)
  assert.equal(ring.size, 1)
  for (const value of [5, 6, 7]) assert.equal(ring.offer(value), true)
  assert.equal(ring.offer(8), false)
  assert.equal(ring.size, 4)
  assert.deepEqual(drain(ring), [4, 5, 6, 7])
})

test("[RG5] a ring that nobody polls can be filled and emptied for ever", () => {
  const ring = ringOf(4)
  for (let i = 0; i < 50_000; i++) {
    const value = (i % 1000) + 1
    assert.equal(ring.offer(value), true)
    assert.equal(ring.remove(value), true)
  }
  assert.equal(ring.size, 0)
  assert.equal(ring.poll(), 0)
})

test("[RG5] holes count only as long as they are between first and last", () => {
  const ring = ringOf(8)
  for (let round = 0; round < 100; round++) {
    for (const value of [1, 2, 3, 4, 5]) ring.offer(value)
    ring.remove(2)
    ring.remove(4)
    assert.equal(ring.size, 3)
    ring.poll()
    assert.equal(ring.size, 2)
    ring.poll()
    assert.equal(ring.size, 1)
    ring.poll()
    assert.equal(ring.size, 0)
  }
})

for (const position of POSITIONS) {
  for (const [capacity, maxValue] of [
    [2, 2 ** 28 - 1],
    [4, 2 ** 20 - 1],
    [4, 3],
  ] as const) {
    test(`[RG6] a ring of ${capacity} with values to ${maxValue} goes over position ${position}`, () => {
      const words = new Int32Array(Ring.wordsFor(capacity))
      startRingAt(words, 0, position, capacity, maxValue)
      const ring = new Ring(words, 0, capacity, maxValue)
      for (let round = 0; round < 600; round++) {
        assert.equal(ring.poll(), 0)
        assert.ok(ring.offer(maxValue))
        assert.ok(ring.offer(1))
        if (capacity === 2) assert.equal(ring.offer(2), false)
        assert.equal(ring.size, 2)
        assert.equal(ring.poll(), maxValue)
        if (round % 3 === 0) assert.ok(ring.remove(1))
        else assert.equal(ring.poll(), 1)
        assert.ok(ring.isEmpty)
      }
    })
  }
}

test("[RG7] capacities and largest values are checked", () => {
  const words = new Int32Array(1000)
  for (const capacity of [0, 1, 3, 6, -2, 2.5, NaN, 2 ** 25, 2 ** 32]) {
    assert.throws(() => new Ring(words, 0, capacity), RangeError)
    assert.throws(() => Ring.wordsFor(capacity), RangeError)
  }
  assert.throws(() => new Ring(words, 0, "4" as never), TypeError)
  for (const maxValue of [0, -1, 1.5, 2 ** 28]) assert.throws(() => new Ring(words, 0, 2, maxValue), RangeError)
  assert.equal(new Ring(words, 0, 2, 5).maxValue, 5)
})

test("[RG7] a value out of range is refused and nothing happens", () => {
  const ring = new Ring(new Int32Array(Ring.wordsFor(2)), 0, 2, 5)
  for (const value of [0, -1, 6, 7, 1.5, NaN, 2 ** 32 + 1]) assert.throws(() => ring.offer(value), RangeError)
  assert.equal(ring.size, 0)
  assert.ok(ring.offer(5))
  assert.equal(ring.poll(), 5)
})

for (const [kind, memory] of Object.entries(MEMORIES)) {
  test(`[RG8] nothing outside of its words is touched, in ${kind} memory`, () => {
    const fenced = new Fenced(Ring.wordsFor(4), memory)
    const ring = new Ring(fenced.words, fenced.index, 4)
    for (let i = 1; i < 100; i++) {
      while (ring.offer(i)) assert.ok(ring.size <= 4)
      ring.remove(i)
      while (ring.poll() !== 0) assert.ok(ring.size <= 4)
    }
    fenced.assertUntouched()
  })
}

test("[RG8] head and tail lie on different cache lines, the cells on others", () => {
  const lines = [RING.HEAD, RING.TAIL, RING.CELLS].map((word) => Math.floor(word / LINE))
  assert.equal(new Set(lines).size, 3)
})
