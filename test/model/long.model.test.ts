/** Words of 64 bits in models. */
import assert from "node:assert/strict"
import test from "node:test"
import { compareAndSetLong, exchangeLong, load, loadLong, sharedWords } from "#atomics"
import { explore } from "./explore.ts"
import { assertExplored } from "./support.ts"

const ONES = -1n

function longs(): BigInt64Array {
  return new BigInt64Array(sharedWords(4).buffer)
}

test("[MC1] both halves of a 64-bit word are seen and changed at once", () => {
  const seen = new Set<bigint>()
  const report = explore({
    setup: longs,
    threads: {
      writer: (words) => {
        exchangeLong(words, 1, ONES)
        exchangeLong(words, 1, 7n << 40n)
      },
      reader: (words) => loadLong(words, 1),
    },
    finally: (words, { reader }) => {
      assert.ok(reader !== undefined)
      seen.add(reader)
      assert.equal(loadLong(words, 1), 7n << 40n)
      assert.equal(loadLong(words, 0), 0n)
    },
  })
  assert.deepEqual(seen, new Set([0n, ONES, 7n << 40n]))
  assertExplored(report, 4)
})

test("[MC1] of two who compare and set a 64-bit word, one or both succeed, as the order has it", () => {
  const count = (words: BigInt64Array): boolean => {
    const before = loadLong(words, 0)
    return compareAndSetLong(words, 0, before, before + (1n << 32n))
  }
  const ends = new Set<string>()
  explore({
    setup: longs,
    threads: { a: count, b: count },
    finally: (words, { a, b }) => void ends.add(`${String(a)} ${String(b)} ${loadLong(words, 0) >> 32n}`),
  })
  assert.deepEqual([...ends].sort(), ["false true 1", "true false 1", "true true 2"])
})

test("[MC7] a 64-bit word is the two words that it consists of", () => {
  explore({
    setup: () => {
      const words = sharedWords(2)
      exchangeLong(new BigInt64Array(words.buffer), 0, (5n << 32n) | 6n)
      return words
    },
    threads: { a: (words) => [load(words, 0), load(words, 1)] },
    finally: (_, { a }) => assert.deepEqual(a, [6, 5]),
  })
})

test("[MC23] nobody dies in the middle of a 64-bit word", () => {
  const left = new Set<bigint>()
  explore({
    setup: longs,
    threads: { mortal: (words) => void exchangeLong(words, 0, ONES) },
    kill: "mortal",
    finally: (words) => void left.add(loadLong(words, 0)),
  })
  assert.deepEqual(left, new Set([0n, ONES]))
})
