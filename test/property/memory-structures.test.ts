/**
 * Random operations on the structures of src/memory, each beside a model that is too simple to be wrong. Ids such as
 * [RG2] refer to docs/spec/memory-structures.md. A failure prints the seed and the shortest operations that bring
 * it back: `fc.assert(…, { seed, path })`.
 */
import { HEAP, IndexedHeap } from "#src/memory/structures/indexed-heap.js"
import { Ring } from "#src/memory/structures/ring.js"
import { SLOT, Slots } from "#src/memory/structures/slots.js"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { POSITIONS, startRingAt } from "../spec/memory/fenced.ts"

/** Operations of one run, and runs: 20 000 operations a property. */
const LENGTH = 200
const RUNS = 100

interface Operation {
  readonly what: "add" | "take" | "takeOther" | "remove" | "look"
  /** Chooses a value, or among those that are in. */
  readonly pick: number
}

/** Adding and taking by turns prevails, so that a small structure is often empty and often full. */
function operations(add: number, take: number): fc.Arbitrary<Operation[]> {
  const operation = fc.record({
    what: fc.oneof(
      { weight: add, arbitrary: fc.constant("add" as const) },
      { weight: take, arbitrary: fc.constant("take" as const) },
      { weight: 3, arbitrary: fc.constant("takeOther" as const) },
      { weight: 3, arbitrary: fc.constant("remove" as const) },
      { weight: 1, arbitrary: fc.constant("look" as const) },
    ),
    pick: fc.nat(1_000_000),
  })
  return fc.array(operation, { minLength: LENGTH, maxLength: LENGTH, size: "max" })
}

/** Some runs are mostly near full, some mostly near empty. */
const mixed = fc.oneof(operations(10, 6), operations(8, 8), operations(6, 8))
const capacity = fc.constantFrom(2, 4, 8, 32)
const position = fc.constantFrom(...POSITIONS)

test("[RG2][RG4][RG5][RG6][RG13] a ring is a list with holes", () => {
  let performed = 0
  const property = fc.property(
    mixed,
    capacity,
    position,
    fc.constantFrom(40, 2 ** 24 - 1),
    (steps, size, start, max) => {
      const words = new Int32Array(Ring.wordsFor(size))
      const aligned = start - (start % size)
      startRingAt(words, 0, aligned, size, max)
      const ring = new Ring(words, 0, size, max)
      // 0 is a hole. Those in front vanish at once, the others when they come there.
      const places: number[] = []
      const trim = (): void => {
        while (places[0] === 0) places.shift()
      }
      for (const { what, pick } of steps) {
        performed++
        switch (what) {
          case "add": {
            const value = (pick % 40) + 1
            assert.equal(ring.offer(value), places.length < size)
            if (places.length < size) places.push(value)
            break
          }
          case "take":
          case "takeOther":
            trim()
            assert.equal(ring.poll(), places.shift() ?? 0)
            trim()
            break
          case "remove": {
            const value = places[pick % (size + 1)] ?? (pick % 40) + 1
            const index = value === 0 ? -1 : places.indexOf(value)
            assert.equal(ring.remove(value), index >= 0)
            if (index >= 0) places[index] = 0
            if (index === 0) trim()
            break
          }
          case "look":
        }
        // Looking moves HEAD past holes, as polling does.
        const values = places.filter((value) => value !== 0)
        if (what === "look") {
          assert.equal(ring.size, values.length)
          assert.equal(ring.isEmpty, values.length === 0)
          trim()
        }
      }
      assert.equal(ring.size, places.filter((value) => value !== 0).length)
    },
  )
  fc.assert(property, { numRuns: RUNS })
  assert.ok(performed >= 10_000)
})

test("[IH2][IH3][IH5][IH12] an indexed heap is a sorted list", () => {
  let performed = 0
  const property = fc.property(mixed, fc.constantFrom(1, 3, 10, 40), (steps, size) => {
    // Slots 1 to 50; the key of each changes while it is not in. Records of three words: key, index, nothing.
    const words = new Int32Array(IndexedHeap.wordsFor(size) + 51 * 3)
    const records = HEAP.ENTRIES + size
    const key = (slot: number): number => words[records + 3 * slot] ?? 0
    const compare = (a: number, b: number): number => key(a) - key(b) || a - b
    const heap = new IndexedHeap(words, 0, size, compare, { words, index: records + 1, stride: 3 })
    const list: number[] = []
    for (const { what, pick } of steps) {
      performed++
      const slot = (pick % 50) + 1
      switch (what) {
        case "add":
          if (list.includes(slot)) break
          words[records + 3 * slot] = pick % 17
          assert.equal(heap.offer(slot), list.length < size)
          if (list.length < size) list.push(slot)
          list.sort(compare)
          break
        case "take":
          assert.equal(heap.poll(), list.shift() ?? 0)
          break
        case "takeOther":
        case "remove": {
          const victim = list[pick % (size + 1)] ?? slot
          assert.equal(heap.remove(victim), list.includes(victim))
          if (list.includes(victim)) list.splice(list.indexOf(victim), 1)
          break
        }
        case "look":
          if (pick % 2 === 0) heap.repair()
          assert.deepEqual(heap.toArray().sort(compare), list)
          assert.equal(heap.contains(slot), list.includes(slot))
      }
      assert.equal(heap.peek(), list[0] ?? 0)
      assert.equal(heap.size, list.length)
    }
  })
  fc.assert(property, { numRuns: RUNS })
  assert.ok(performed >= 10_000)
})

test("[SL1][SL2][SL3][SL4][SL11] slots are a queue of numbers that remembers its handles", () => {
  let performed = 0
  const property = fc.property(mixed, fc.constantFrom(1, 2, 5, 16), (steps, size) => {
    const words = new Int32Array(Slots.wordsFor(size, 1))
    const slots = new Slots(words, 0, size, 1)
    const free: number[] = []
    let fresh = 0
    const owners = new Map<number, number>()
    const past: number[] = []
    const release = (handle: number): void => {
      owners.delete(handle)
      past.push(handle)
      free.push(slots.slotOf(handle))
    }
    for (const { what, pick } of steps) {
      performed++
      const used = [...owners.keys()]
      switch (what) {
        case "add": {
          const handle = slots.take(pick % 4)
          assert.equal(slots.slotOf(handle), free.shift() ?? (fresh < size ? ++fresh : 0))
          if (handle === 0) break
          assert.ok(!owners.has(handle) && !past.includes(handle))
          owners.set(handle, pick % 4)
          break
        }
        case "take": {
          const handle = used[pick % size]
          if (handle === undefined) break
          assert.equal(slots.free(handle), true)
          release(handle)
          break
        }
        case "takeOther": {
          const handle = used[pick % size]
          if (handle === undefined) break
          const renewed = slots.renew(slots.slotOf(handle))
          owners.set(renewed, owners.get(handle) ?? 0)
          owners.delete(handle)
          past.push(handle)
          break
        }
        case "remove":
          if (past.length > 0) assert.equal(slots.free(past[pick % past.length] ?? 0), false)
          break
        case "look": {
          const dead = (pick % 3) + 1
          // In the order in which a sweep comes by.
          const doomed = used.filter((handle) => owners.get(handle) === dead)
          doomed.sort((a, b) => slots.slotOf(a) - slots.slotOf(b))
          assert.equal(
            slots.reclaim((owner) => owner === dead),
            doomed.length,
          )
          for (const handle of doomed) release(handle)
        }
      }
      for (const [handle, owner] of owners) {
        assert.ok(slots.isCurrent(handle))
        assert.equal(words[slots.bodyOf(handle) - SLOT.BODY + SLOT.OWNER], owner)
      }
      for (const handle of past.slice(-size)) assert.equal(slots.isCurrent(handle), false)
    }
  })
  fc.assert(property, { numRuns: RUNS })
  assert.ok(performed >= 10_000)
})
