/**
 * A thread dies at work on an indexed heap, before each of its writes in turn, and the next one repairs it.
 *
 * The heap makes plain accesses only, so words that refuse to be written after so many times are enough: the exception
 * passes through the operation, which catches nothing, and leaves memory as a death would.
 */
import { HEAP, IndexedHeap } from "#src/memory/structures/indexed-heap.js"
import assert from "node:assert/strict"
import test from "node:test"

const CAPACITY = 16
const INDICES = HEAP.ENTRIES + CAPACITY

class Death extends Error {}

/** The same words, which can be written so many times. */
function mortal(words: Int32Array, writes: number): Int32Array {
  let left = writes
  return new Proxy(words, {
    get: (target, key) => Reflect.get(target, key) as unknown,
    set: (target, key, value: number) => {
      if (left-- <= 0) throw new Death()
      return Reflect.set(target, key, value)
    },
  })
}

function heapOver(words: Int32Array): IndexedHeap {
  // Slots 2n and 2n+1 are equals.
  return new IndexedHeap(words, 0, CAPACITY, (a, b) => (a >> 1) - (b >> 1), { words, index: INDICES, stride: 1 })
}

function wordsHolding(slots: readonly number[]): Int32Array {
  const words = new Int32Array(INDICES + 64)
  const heap = heapOver(words)
  for (const slot of slots) heap.offer(slot)
  return words
}

/** True if it came to its end. */
function survives(operation: () => unknown): boolean {
  try {
    operation()
    return true
  } catch (error) {
    if (!(error instanceof Death)) throw error
    return false
  }
}

/** All the slots of a heap, which is left empty, having checked that it is in order. */
function contentOf(words: Int32Array): number[] {
  const heap = heapOver(words)
  const claimed = Array.from({ length: 63 }, (_, i) => i + 1).filter((slot) => heap.contains(slot))
  assert.equal(claimed.length, heap.size)
  const slots: number[] = []
  for (let slot = heap.poll(); slot !== 0; slot = heap.poll()) {
    assert.ok((slots.at(-1) ?? 0) >> 1 <= slot >> 1)
    slots.push(slot)
  }
  slots.sort((a, b) => a - b)
  assert.deepEqual(slots, claimed)
  return slots
}

interface Scenario {
  readonly name: string
  readonly slots: readonly number[]
  readonly operation: (heap: IndexedHeap) => unknown
  /** The slot on its way in or out. */
  readonly inHand: number
}

const MANY = [20, 8, 30, 10, 12, 32, 34, 14, 16, 18, 40, 9, 42]

const SCENARIOS: readonly Scenario[] = [
  { name: "the first offer", slots: [], operation: (heap) => heap.offer(5), inHand: 5 },
  { name: "an offer that rises to the top", slots: MANY, operation: (heap) => heap.offer(2), inHand: 2 },
  { name: "an offer that rises half-way", slots: MANY, operation: (heap) => heap.offer(11), inHand: 11 },
  { name: "an offer that stays below", slots: MANY, operation: (heap) => heap.offer(50), inHand: 50 },
  { name: "an offer of the last one that fits", slots: [...MANY, 3, 4], operation: (heap) => heap.offer(1), inHand: 1 },
  { name: "the poll of the only one", slots: [5], operation: (heap) => heap.poll(), inHand: 5 },
  { name: "a poll", slots: MANY, operation: (heap) => heap.poll(), inHand: 8 },
  { name: "a poll of a full heap", slots: [...MANY, 1, 3, 2], operation: (heap) => heap.poll(), inHand: 1 },
  { name: "the removal of the last entry", slots: MANY, operation: (heap) => heap.remove(42), inHand: 42 },
  { name: "a removal after which the last entry sinks", slots: MANY, operation: (heap) => heap.remove(10), inHand: 10 },
  {
    name: "a removal after which the last entry rises",
    // The last entry, 7, belongs above the gap that 40 leaves in the other branch.
    slots: [2, 30, 4, 40, 32, 5, 6, 42, 44, 34, 36, 8, 10, 12, 7],
    operation: (heap) => heap.remove(40),
    inHand: 40,
  },
]

for (const { name, slots, operation, inHand } of SCENARIOS) {
  const others = slots.filter((slot) => slot !== inHand).sort((a, b) => a - b)

  test(`[IH10] a death in ${name} loses nothing`, () => {
    let deaths = 0
    for (; ; deaths++) {
      const words = wordsHolding(slots)
      const survived = survives(() => operation(heapOver(mortal(words, deaths))))
      heapOver(words).repair()
      const content = contentOf(words)
      assert.deepEqual(
        content.filter((slot) => slot !== inHand),
        others,
      )
      if (!survived) continue
      assert.equal(content.includes(inHand), !slots.includes(inHand))
      break
    }
    assert.ok(deaths >= 2)
  })

  test(`[IH11] nor does the death of whoever repairs it after ${name}`, () => {
    let repairs = 0
    for (let first = 0, survivedFirst = false; !survivedFirst; first++) {
      for (let second = 0, survivedSecond = false; !survivedSecond; second++, repairs++) {
        const words = wordsHolding(slots)
        survivedFirst = survives(() => operation(heapOver(mortal(words, first))))
        const before = new Set(words.subarray(HEAP.ENTRIES, HEAP.ENTRIES + (words[HEAP.SIZE] as number)))
        before.add(words[HEAP.MOVING] as number)
        survivedSecond = survives(() => heapOver(mortal(words, second)).repair())
        heapOver(words).repair()
        const content = contentOf(words)
        assert.deepEqual(
          content.filter((slot) => slot !== inHand),
          others,
        )
        // Once it is in it stays in, whoever dies later; and once out, out.
        assert.equal(content.includes(inHand), before.has(inHand))
      }
    }
    assert.ok(repairs > slots.length)
  })
}
