/** The indexed heap. Ids such as [IH1] refer to docs/spec/memory-structures.md. Deaths are in a file of their own. */
import { HEAP, IndexedHeap } from "#src/memory/structures/indexed-heap.js"
import { sortedBy } from "#src/memory/structures/sorted-by.js"
import { IllegalStateError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { Fenced, MEMORIES } from "./fenced.ts"

/** A heap whose slots are ordered by what `keys` says, and all it needs. */
function heapOf(capacity: number, keys: readonly number[] = [], words = new Int32Array(10 + 200 + capacity)) {
  let comparisons = 0
  const compare = (a: number, b: number): number => {
    comparisons++
    return (keys[a] ?? a) - (keys[b] ?? b)
  }
  const indices = { words, index: 10 + HEAP.ENTRIES + capacity, stride: 1 }
  const heap = new IndexedHeap(words, 10, capacity, compare, indices)
  return { heap, words, indices, counted: () => comparisons }
}

function drain(heap: IndexedHeap): number[] {
  const slots: number[] = []
  for (let slot = heap.poll(); slot !== 0; slot = heap.poll()) slots.push(slot)
  return slots
}

test("[IH1] words that are all 0 are an empty heap", () => {
  const { heap } = heapOf(4)
  assert.equal(heap.size, 0)
  assert.equal(heap.peek(), 0)
  assert.equal(heap.poll(), 0)
  assert.equal(heap.contains(1), false)
  assert.deepEqual(heap.toArray(), [])
  assert.equal(heap.capacity, 4)
})

test("[IH1] several objects over the same words are one heap", () => {
  const { heap, words } = heapOf(4)
  const other = heapOf(4, [], words).heap
  heap.offer(3)
  other.offer(2)
  assert.equal(heap.peek(), 2)
  assert.equal(heap.size, 2)
  assert.ok(heap.remove(2))
  assert.equal(other.poll(), 3)
  assert.equal(heap.size, 0)
})

test("[IH2] slots come out in the order of the comparator", () => {
  const keys = [0, 50, 20, 90, 10, 70, 30, 80, 40, 60]
  const { heap } = heapOf(9, keys)
  for (let slot = 1; slot <= 9; slot++) {
    assert.ok(heap.offer(slot))
    assert.equal(heap.size, slot)
  }
  assert.equal(heap.peek(), 4)
  assert.deepEqual(
    heap.toArray().sort((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  )
  assert.deepEqual(drain(heap), [4, 2, 6, 8, 1, 9, 5, 7, 3])
})

test("[IH3] any slot can be taken out, and the others keep their order", () => {
  for (let victim = 1; victim <= 12; victim++) {
    const { heap } = heapOf(12)
    // Two branches of very different size, so that what fills the gap has to rise in some cases.
    for (const slot of [1, 9, 2, 10, 11, 3, 4, 12, 7, 8, 5, 6]) heap.offer(slot)
    assert.ok(heap.contains(victim))
    assert.equal(heap.remove(victim), true)
    assert.equal(heap.contains(victim), false)
    assert.equal(heap.remove(victim), false)
    const rest = Array.from({ length: 12 }, (_, i) => i + 1).filter((slot) => slot !== victim)
    assert.deepEqual(drain(heap), rest)
  }
})

test("[IH4] an index word is not believed", () => {
  const { heap, words, indices } = heapOf(4)
  for (const slot of [1, 2, 3]) heap.offer(slot)
  for (const lie of [1, 2, 3, 4, 5, -1, 2 ** 31 - 1]) {
    words[indices.index + 7] = lie
    assert.equal(heap.contains(7), false)
    assert.equal(heap.remove(7), false)
  }
  assert.ok(heap.offer(7))
  assert.ok(heap.remove(7))
  assert.deepEqual(drain(heap), [1, 2, 3])
})

test("[IH5] a full heap refuses more until one was taken out", () => {
  const { heap } = heapOf(2)
  assert.ok(heap.offer(5))
  assert.ok(heap.offer(6))
  assert.equal(heap.offer(1), false)
  assert.equal(heap.peek(), 5)
  assert.equal(heap.contains(1), false)
  heap.remove(6)
  assert.ok(heap.offer(1))
  assert.deepEqual(drain(heap), [1, 5])
})

test("[IH6] a slot goes in once, and what is no slot not at all", () => {
  const { heap, words } = heapOf(4)
  heap.offer(2)
  heap.offer(1)
  const before = words.slice()
  assert.throws(() => heap.offer(2), IllegalStateError)
  for (const slot of [0, -1, 1.5, NaN, 2 ** 31]) assert.throws(() => heap.offer(slot), RangeError)
  assert.throws(() => heap.offer("1" as never), TypeError)
  assert.deepEqual(words, before)
  for (const capacity of [0, -1, 1.5]) {
    assert.throws(() => heapOf(capacity, [], words), RangeError)
    assert.throws(() => IndexedHeap.wordsFor(capacity), RangeError)
  }
})

test("[IH7] a comparator that throws leaves the heap as it was", () => {
  const words = new Int32Array(200)
  let left = Infinity
  const compare = (a: number, b: number): number => {
    if (left-- <= 0) throw new Error("no order")
    return a - b
  }
  const heap = new IndexedHeap(words, 0, 20, compare, { words, index: 100, stride: 1 })
  for (const slot of [10, 2, 12, 4, 14, 6, 16, 8, 18, 9]) heap.offer(slot)
  const before = words.slice()
  for (const operation of [() => heap.offer(1), () => heap.poll(), () => heap.remove(4), () => heap.remove(16)]) {
    for (let allowed = 0; ; allowed++) {
      left = allowed
      let finished = true
      try {
        operation()
      } catch {
        finished = false
      }
      if (finished) break
      assert.deepEqual(words, before)
    }
    left = Infinity
    words.set(before)
  }
})

test("[IH8] operations take logarithmically many comparisons", () => {
  const size = 1000
  const keys = Array.from({ length: size + 1 }, (_, i) => (i * 619) % 1009)
  const words = new Int32Array(3000)
  const { heap, counted } = heapOf(size, keys, words)
  const within = (operation: () => void): void => {
    const limit = 2 * Math.floor(Math.log2(Math.max(heap.size, 1))) + 3
    const before = counted()
    operation()
    assert.ok(counted() - before <= limit)
  }
  for (let slot = 1; slot <= size; slot++) within(() => heap.offer(slot))
  for (let slot = 3; slot <= size; slot += 3) within(() => heap.remove(slot))
  while (heap.size > 0) within(() => heap.poll())
})

for (const [kind, memory] of Object.entries(MEMORIES)) {
  test(`[IH9] only the words of the heap and the index words are touched, in ${kind} memory`, () => {
    const fenced = new Fenced(IndexedHeap.wordsFor(8), memory)
    // Index words as one word each of records of five, with the first record that of slot 1.
    const records = new Fenced(8 * 5, memory)
    records.words.fill(0x5afe)
    const indices = { words: records.words, index: records.index + 3 - 5, stride: 5 }
    const heap = new IndexedHeap(fenced.words, fenced.index, 8, (a, b) => b - a, indices)
    for (let round = 0; round < 3; round++) {
      for (let slot = 1; slot <= 8; slot++) assert.ok(heap.offer(slot))
      heap.remove(5)
      heap.repair()
      assert.deepEqual(drain(heap), [8, 7, 6, 4, 3, 2, 1])
    }
    fenced.assertUntouched()
    for (let i = 0; i < 8 * 5; i++) {
      if (i % 5 !== 3) assert.equal(records.words[records.index + i], 0x5afe)
    }
    records.assertUntouched()
  })
}

test("[IH13] the keys by which items are put in order are read once each, and equals stay in their order", () => {
  const items = Array.from({ length: 1000 }, (_, i) => i)
  const asked: number[] = []
  const keyOf = (item: number): number => {
    asked.push(item)
    return (item * 7919) % 10
  }
  const sorted = sortedBy(items, keyOf, (a, b) => a - b)
  assert.deepEqual(asked, items)
  assert.deepEqual(
    sorted,
    items.toSorted((a, b) => ((a * 7919) % 10) - ((b * 7919) % 10) || a - b),
  )
})

test("[IH12] repairing a heap in order changes nothing that can be seen", () => {
  const { heap } = heapOf(12)
  heap.repair()
  assert.equal(heap.size, 0)
  for (const slot of [5, 3, 8, 1, 9, 2]) heap.offer(slot)
  heap.repair()
  assert.equal(heap.size, 6)
  for (let slot = 1; slot <= 9; slot++) assert.equal(heap.contains(slot), [5, 3, 8, 1, 9, 2].includes(slot))
  assert.ok(heap.remove(5))
  assert.deepEqual(drain(heap), [1, 2, 3, 8, 9])
})
