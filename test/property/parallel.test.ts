/** Parallel algorithms on random arrays, divided at random: always what a loop in one thread gives. Rules: docs/spec/parallel.md. */
import { ForkJoinPool, parallelMap, parallelPrefix, parallelReduce, parallelSort, type TypedArray } from "corepool"
import * as fc from "fast-check"
import assert from "node:assert/strict"
import test, { after } from "node:test"
import { STRESS } from "../support/stress.ts"

const RUNS = { numRuns: 60 * STRESS }

const pool = new ForkJoinPool({ parallelism: 2 })
after(() => pool.close())

const size = { maxLength: 300 }
const doubles = fc.float64Array({ ...size }).map((array) => array as TypedArray)
const arrays: fc.Arbitrary<TypedArray> = fc.oneof(
  doubles,
  // Few values, so that there are many that are equal, and all that are special.
  fc.array(fc.constantFrom(0, -0, Number.NaN, 1, -1, 1 / 0, -1 / 0), size).map((values) => Float64Array.from(values)),
  fc.float32Array(size),
  fc.int8Array(size),
  fc.uint8ClampedArray(size),
  fc.uint16Array(size),
  fc.int32Array(size),
  fc.bigInt64Array(size),
  fc.bigUint64Array(size),
)
const grain = fc.integer({ min: 1, max: 60 })

function inSharedMemory<A extends TypedArray>(array: A): A {
  const Kind = array.constructor as new (memory: ArrayBufferLike) => A
  const copy = new Kind(new SharedArrayBuffer(array.byteLength))
  copy.set(array as never)
  return copy
}

const places = fc
  .boolean()
  .map((isShared) => (isShared ? inSharedMemory : <A extends TypedArray>(array: A) => array.slice() as A))

test("[PA1] sorted as by the engine", async () => {
  await fc.assert(
    fc.asyncProperty(arrays, grain, places, async (array, parts, place) => {
      const expected = array.slice().sort()
      assert.deepEqual([...(await parallelSort(place(array), { pool, grain: parts }))], [...expected])
    }),
    RUNS,
  )
})

const orders = fc.constantFrom<(a: number, b: number) => number>(
  (a, b) => a - b,
  (a, b) => b - a,
  (a, b) => Math.abs(a % 2) - Math.abs(b % 2),
  (a, b) => Math.abs(a % 7) - Math.abs(b % 7),
  () => 0,
  () => Number.NaN,
)

test("[PA2] sorted stably by any order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.int32Array(size), grain, orders, async (array, parts, compare) => {
      const expected = array.slice().sort(compare)
      assert.deepEqual([...(await parallelSort(array, { pool, grain: parts, compare }))], [...expected])
    }),
    RUNS,
  )
})

test("[PA3] reduced as by a loop", async () => {
  await fc.assert(
    fc.asyncProperty(fc.int32Array({ ...size, minLength: 1 }), grain, places, async (array, parts, place) => {
      const given = place(array)
      const sum = await parallelReduce(given, (a, b) => a + b, { pool, grain: parts })
      assert.equal(
        sum,
        array.reduce((a, b) => a + b),
      )
      const last = await parallelReduce(given, (_, b) => b, { pool, grain: parts, initial: 1 })
      assert.equal(last, array.at(-1))
      const texts = { pool, grain: parts, map: (x: number) => `${x},`, initial: ":" }
      assert.equal(await parallelReduce(given, (a, b) => a + b, texts), `:${array.join(",")},`)
    }),
    RUNS,
  )
})

test("[PA5] cumulated as by a loop", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.int8Array(size), fc.uint32Array(size)), grain, places, async (array, parts, place) => {
      const expected = array.slice()
      for (let i = 1; i < array.length; i++) expected[i] = (expected[i - 1] as number) + (expected[i] as number)
      const actual = await parallelPrefix(place(array), (a, b) => a + b, { pool, grain: parts })
      assert.deepEqual([...actual], [...expected])
    }),
    RUNS,
  )
})

test("[PA6] mapped as by a loop", async () => {
  await fc.assert(
    fc.asyncProperty(fc.float64Array(size), grain, places, async (array, parts, place) => {
      const expected = array.map((x, i) => x / 2 + i)
      const actual = await parallelMap(place(array), (x, i) => x / 2 + i, { pool, grain: parts })
      assert.deepEqual([...actual], [...expected])
      const cut = new Uint8Array(array.length)
      await parallelMap(place(array), (x, i) => x / 2 + i, { pool, grain: parts, into: cut })
      assert.deepEqual(cut, Uint8Array.from(expected))
    }),
    RUNS,
  )
})
