/** Rule ids are those of docs/spec/queue.md. */
import { ChunkedList } from "#src/queue/local/chunked-list.js"
import * as fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"

/**
 * Changes of a list by many elements at once, so that chunks come, go and are joined, and steps of cursors in
 * between.
 */
const change = fc.record({
  what: fc.constantFrom("push", "unshift", "shift", "pop", "thin", "removeWhere", "clear", "step", "stepBack"),
  count: fc.nat(1500),
  /** Of so many elements one stays when the list is thinned. */
  every: fc.integer({ min: 2, max: 700 }),
  /** Which cursor steps. */
  pick: fc.nat(2),
  removes: fc.boolean(),
})

/**
 * A cursor and what must be true of it: it shows what is there, nothing twice, and of what was there when it began it
 * leaves nothing out and keeps the order. (What came later it may show wherever it comes upon it.)
 */
class Watch {
  readonly #cursor: { next(): number | undefined; remove(): boolean }
  readonly #backwards: boolean
  readonly #atStart: Set<number>
  readonly #seen = new Set<number>()
  #latest: number | undefined

  constructor(list: ChunkedList<number>, model: readonly number[], backwards: boolean) {
    this.#cursor = list.walk(backwards)
    this.#backwards = backwards
    this.#atStart = new Set(model)
  }

  step(model: readonly number[]): number | undefined {
    const next = this.#cursor.next()
    if (next === undefined) return undefined
    assert.ok(includes(model, next), "shows what is not there")
    assert.ok(!this.#seen.has(next), "shows twice")
    this.#seen.add(next)
    if (this.#atStart.has(next)) {
      const before = this.#latest ?? (this.#backwards ? Infinity : -Infinity)
      assert.ok(this.#backwards ? next < before : next > before, "goes back")
      this.#latest = next
    }
    return next
  }

  remove(): boolean {
    return this.#cursor.remove()
  }

  end(model: readonly number[]): void {
    while (this.step(model) !== undefined);
    for (const n of model) if (this.#atStart.has(n)) assert.ok(this.#seen.has(n), `${n} stayed and was left out`)
  }
}

/** Elements are numbers, ascending from head to tail, whichever end they came in at. */
function includes(model: readonly number[], n: number): boolean {
  let [low, high] = [0, model.length - 1]
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = model[middle] as number
    if (found === n) return true
    if (found < n) low = middle + 1
    else high = middle - 1
  }
  return false
}

test("[BQ49][BQ59] the list is what it should be and its cursors see it so, whatever happens", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40, size: "max" }), (changes) => {
      const list = new ChunkedList<number>()
      let model: number[] = []
      let [lowest, highest] = [0, 0]
      const fresh = (i: number) => new Watch(list, model, i === 1)
      const watches = [0, 1, 2].map(fresh)
      for (const { what, count, every, pick, removes } of changes) {
        const watch = watches[pick] as Watch
        switch (what) {
          case "push":
            for (let i = 0; i < count; i++) {
              list.push(++highest)
              model.push(highest)
            }
            break
          case "unshift": {
            const added: number[] = []
            for (let i = 0; i < count; i++) {
              list.unshift(--lowest)
              added.push(lowest)
            }
            model = added.reverse().concat(model)
            break
          }
          case "shift":
            for (let i = 0; i < count; i++) assert.equal(list.shift(), model[i])
            model = model.slice(count)
            break
          case "pop":
            for (let i = 0; i < count; i++) assert.equal(list.pop(), model.pop())
            break
          case "thin": {
            const cursor = list.walk(removes)
            let i = count
            for (let n = cursor.next(); n !== undefined; n = cursor.next()) {
              if (i++ % every !== 0) assert.equal(cursor.remove(), true)
            }
            i = count
            const kept = (removes ? model.toReversed() : model).filter(() => i++ % every === 0)
            model = removes ? kept.reverse() : kept
            break
          }
          case "removeWhere": {
            const doomed = model.filter((n) => n % every !== 0)
            assert.deepEqual(
              list.removeWhere((n) => n % every !== 0),
              doomed,
            )
            model = model.filter((n) => n % every === 0)
            break
          }
          case "clear":
            list.clear()
            model = []
            break
          default:
            for (let i = 0; i < count % 100; i++) {
              const n = watch.step(model)
              if (n === undefined || !removes || i % 3 !== 0) continue
              assert.equal(watch.remove(), true)
              assert.equal(watch.remove(), false)
              model = model.filter((other) => other !== n)
            }
            if (what === "stepBack") watches[pick] = fresh(pick)
        }
        assert.equal(list.size, model.length)
        assert.equal(list.first, model[0])
        assert.equal(list.last, model.at(-1))
      }
      const all: number[] = []
      const cursor = list.walk()
      for (let n = cursor.next(); n !== undefined; n = cursor.next()) all.push(n)
      assert.deepEqual(all, model)
      for (const watch of watches) watch.end(model)
    }),
    { numRuns: 250 },
  )
})

test("[BQ51] a cursor removes nothing if its element has gone, though its slot was used again", () => {
  const list = new ChunkedList<number>()
  list.push(1)
  list.push(2)
  const cursor = list.walk()
  cursor.next()
  list.shift()
  list.unshift(3)
  assert.equal(cursor.remove(), false)
  assert.equal(list.first, 3)
  assert.equal(list.size, 2)
})

test("[BQ51] a cursor removes nothing if its element has gone, though its chunk was joined with another", () => {
  const list = new ChunkedList<number>()
  for (let i = 0; i < 10_000; i++) list.push(7)
  const cursor = list.walk()
  for (let i = 0; i < 3000; i++) cursor.next()
  const other = list.walk()
  let kept = 0
  // The element the cursor stands at goes too; all others look the same.
  for (let i = 0; other.next() !== undefined; i++) {
    if (i % 100 === 0) kept++
    else other.remove()
  }
  assert.equal(cursor.remove(), false)
  assert.equal(list.size, kept)
})
