/**
 * Random operations on an arena, beside a list of what was taken and what was written into it. Ids such as [AR2] refer to
 * docs/spec/memory-structures.md. A failure prints the seed and the shortest operations that bring it back:
 * `fc.assert(…, { seed, path })`.
 */
import { Arena } from "#src/memory/structures/arena.js"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"

const UNIT = 128
const HEADER = 8
/** The largest size that is asked for: 2^7 units. */
const LARGEST = UNIT * 2 ** 7

interface Operation {
  readonly what: "take" | "give" | "write" | "read" | "wrong"
  readonly size: number
  /** Chooses among what is taken, and what is written. */
  readonly pick: number
}

interface Taken {
  readonly block: number
  readonly bytes: number
  /** What its user has written: so many bytes of this. */
  content: Uint8Array
}

/** Small sizes as often as large ones. */
const size = fc
  .tuple(fc.integer({ min: 0, max: 13 }), fc.nat(2 ** 13))
  .map(([bits, mantissa]) => mantissa >> (13 - bits))

function operations(take: number, give: number): fc.Arbitrary<Operation[]> {
  const what = fc.oneof(
    { weight: take, arbitrary: fc.constant("take" as const) },
    { weight: give, arbitrary: fc.constant("give" as const) },
    { weight: 4, arbitrary: fc.constant("write" as const) },
    { weight: 2, arbitrary: fc.constant("read" as const) },
    { weight: 1, arbitrary: fc.constant("wrong" as const) },
  )
  return fc.array(fc.record({ what, size, pick: fc.nat(1_000_000) }), { minLength: 200, maxLength: 200, size: "max" })
}

const mixed = fc.oneof(operations(9, 6), operations(7, 7), operations(6, 8))

/** The whole block for so many bytes. */
function wholeOf(bytes: number): number {
  let whole = UNIT
  while (whole < bytes + HEADER) whole *= 2
  return whole
}

class Books {
  readonly taken: Taken[] = []
  /** By the size of whole blocks: how many are in use, and were at most. */
  readonly #inUse = new Map<number, number>()
  readonly #most = new Map<number, number>()
  used = 0

  enter(taken: Taken): void {
    const start = taken.block * 4
    const end = start + wholeOf(taken.bytes)
    for (const { block, bytes } of this.taken) {
      assert.ok(block * 4 >= end || block * 4 + wholeOf(bytes) <= start, `${block} and ${taken.block} overlap`)
    }
    this.taken.push(taken)
    this.#count(wholeOf(taken.bytes), 1)
  }

  strike(taken: Taken): void {
    this.taken.splice(this.taken.indexOf(taken), 1)
    this.#count(wholeOf(taken.bytes), -1)
  }

  #count(whole: number, amount: number): void {
    const count = (this.#inUse.get(whole) ?? 0) + amount
    this.#inUse.set(whole, count)
    this.#most.set(whole, Math.max(this.#most.get(whole) ?? 0, count))
    this.used += amount * whole
  }

  /** How large the arena may have become. */
  get bound(): number {
    let sum = 0
    for (let whole = UNIT; whole <= LARGEST; whole *= 2) sum += whole * ((this.#most.get(whole) ?? 0) + 1)
    return sum
  }

  choose(pick: number): Taken | undefined {
    return this.taken[pick % Math.max(this.taken.length, 1)]
  }
}

function contentOf(length: number, pick: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i ^ pick) & 255)
}

function perform(arenas: readonly Arena[], books: Books, { what, size: bytes, pick }: Operation): void {
  const arena = arenas[pick % arenas.length] as Arena
  const chosen = books.choose(pick)
  switch (what) {
    case "take": {
      const block = arena.take(bytes)
      if (block === 0) return
      assert.ok(block * 4 + wholeOf(bytes) <= arena.buffer.byteLength)
      assert.ok(arena.roomIn(block) >= bytes)
      books.enter({ block, bytes, content: new Uint8Array(0) })
      break
    }
    case "give":
      if (chosen === undefined) return
      assert.equal(arena.give(chosen.block), true)
      assert.equal(arena.give(chosen.block), false)
      books.strike(chosen)
      break
    case "write":
      if (chosen === undefined) return
      chosen.content = contentOf(pick % (chosen.bytes + 1), pick)
      arena.write(chosen.block, chosen.content)
      break
    case "read":
      if (chosen === undefined) return
      assert.deepEqual(arena.read(chosen.block, chosen.content.length), chosen.content)
      break
    case "wrong": {
      const wrong = pick % 2 === 0 ? pick : (chosen?.block ?? 0) + 32 * (pick % 7)
      if (!books.taken.some(({ block }) => block === wrong)) assert.equal(arena.give(wrong), false)
    }
  }
}

for (const [kind, room] of [
  ["plenty of", 2 ** 24],
  ["little", 2 ** 14],
] as const) {
  test(`[AR2][AR3][AR4][AR5][AR6][AR7][AR9] blocks do not overlap and keep what they hold; with ${kind} room`, () => {
    let refused = 0
    let taken = 0
    const property = fc.property(mixed, (steps) => {
      const first = Arena.reserve(room)
      const arenas = [first, new Arena(first.buffer)]
      const books = new Books()
      for (const step of steps) {
        const before = books.taken.length
        perform(arenas, books, step)
        assert.equal(first.used, books.used)
        assert.ok(first.extent <= books.bound, `${first.extent} > ${books.bound}`)
        if (step.what !== "take") continue
        if (books.taken.length > before) taken++
        else refused++
      }
      for (const { block, content } of books.taken) assert.deepEqual(first.read(block, content.length), content)
      for (const { block } of books.taken) assert.ok(first.give(block))
      assert.equal(first.used, 0)
      // Everything that ever was a block can be taken in the smallest ones.
      const { extent } = first
      for (let left = extent; left > 0; left -= UNIT) assert.notEqual(first.take(0), 0)
      assert.equal(first.extent, extent)
    })
    fc.assert(property, { numRuns: 60 })
    assert.ok(taken > 1000)
    assert.equal(refused > 0, room < 2 ** 20)
  })
}
