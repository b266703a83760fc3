/** Rule ids are those of docs/spec/queue.md. */
import { Heap } from "#src/queue/local/heap.js"
import * as fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"

const change = fc.record({
  what: fc.oneof(
    { weight: 16, arbitrary: fc.constant("push" as const) },
    { weight: 4, arbitrary: fc.constantFrom("pop", "removeAt", "removeAt") },
    { weight: 1, arbitrary: fc.constantFrom("removeWhere", "clear") },
  ),
  key: fc.nat(100),
  pick: fc.nat(1000),
  /** At which comparison of this change the comparator throws. */
  breaksAt: fc.option(fc.nat(4), { freq: 4 }),
})

interface Entry {
  readonly key: number
  readonly n: number
}

test("[PQ3][PQ7][PQ11] a heap is a list kept sorted, also if comparisons fail", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200, size: "max" }), (changes) => {
      let left = Infinity
      const byKey = (a: Entry, b: Entry) => a.key - b.key
      const heap = new Heap<Entry>((a, b) => {
        if (left-- <= 0) throw new RangeError("cannot compare")
        return byKey(a, b)
      })
      let model: Entry[] = []
      let n = 0
      for (const { what, key, pick, breaksAt } of changes) {
        const before = model
        left = breaksAt ?? Infinity
        try {
          switch (what) {
            case "push": {
              const entry = { key, n: ++n }
              model = [...model, entry].toSorted(byKey)
              heap.push(entry)
              break
            }
            case "pop":
              model = model.slice(1)
              assert.equal(heap.pop(), before[0])
              break
            case "removeAt": {
              const doomed = model[pick % Math.max(model.length, 1)]
              if (doomed === undefined) break
              model = model.filter((entry) => entry !== doomed)
              heap.removeAt(heap.indexOf((entry) => entry === doomed))
              break
            }
            case "removeWhere": {
              const isDoomed = (entry: Entry) => entry.key % 5 === key % 5
              model = model.filter((entry) => !isDoomed(entry))
              assert.equal(heap.removeWhere(isDoomed), before.length - model.length)
              break
            }
            case "clear":
              model = []
              heap.clear()
          }
        } catch (error) {
          if (!(error instanceof RangeError)) throw error
          model = before
        }
        assert.equal(heap.size, model.length)
        assert.equal(heap.first, model[0])
        assert.deepEqual(new Set(heap.toArray()), new Set(model))
      }
      left = Infinity
      for (const entry of model) assert.equal(heap.pop(), entry)
      assert.equal(heap.pop(), undefined)
    }),
    { numRuns: 500 },
  )
})
