/** What comes out of parallel algorithms. Rules: docs/spec/parallel.md. */
import {
  ForkJoinPool,
  parallelForEach,
  parallelForEachSync,
  parallelMap,
  parallelMapSync,
  parallelPrefix,
  parallelPrefixSync,
  parallelReduce,
  parallelReduceSync,
  parallelSort,
  parallelSortSync,
} from "corepool"
import assert from "node:assert/strict"
import test, { after } from "node:test"
import { reserve, words } from "../../support/inherited-words.ts"
import * as tasks from "./tasks.ts"

const pool = new ForkJoinPool({ parallelism: 2 })
after(() => pool.close())

function shared(values: readonly number[]): Float64Array {
  const array = new Float64Array(new SharedArrayBuffer(values.length * 8))
  array.set(values)
  return array
}

/** The same each time, and without order. */
function scattered(length: number, modulus = 1009): number[] {
  return Array.from({ length }, (_, i) => (i * 7919) % modulus)
}

const NUMBER_KINDS = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
]

test("[PA1] every kind of array is sorted as the engine sorts it", async () => {
  for (const Kind of NUMBER_KINDS) {
    const array = Kind.from(scattered(3000))
    assert.deepEqual(await parallelSort(array.slice(), { pool, grain: 100 }), array.slice().sort(), Kind.name)
  }
  for (const Kind of [BigInt64Array, BigUint64Array]) {
    const array = Kind.from(scattered(3000).map((x) => BigInt(x) - 500n))
    assert.deepEqual(parallelSortSync(array.slice(), { pool, grain: 100 }), array.slice().sort(), Kind.name)
  }
})

test("[PA1] negative zeros come before zeros, and NaN comes last, wherever they were", async () => {
  const odd = [0, Number.NaN, -0, 1, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const values = scattered(2000, odd.length).map((i) => odd[i] as number)
  for (const array of [shared(values), Float32Array.from(values)]) {
    const expected = array.slice().sort()
    assert.deepEqual(await parallelSort(array, { pool, grain: 50 }), expected) // which tells −0 from 0
  }
  const nothing = shared(Array.from({ length: 500 }, () => Number.NaN))
  assert.deepEqual(await parallelSort(nothing, { pool, grain: 50 }), nothing.slice())
})

test("[PA1] an array that is large enough is divided by itself", async () => {
  const array = shared(Array.from({ length: 300_000 }, (_, i) => Math.sin(i) * 1e6))
  const expected = array.slice().sort()
  const before = pool.stealCount
  assert.deepEqual(await parallelSort(array, { pool }), expected)
  assert.ok(pool.stealCount > before)
})

test("[PA2] what is equal by the comparison stays in order", async () => {
  const array = Int32Array.from(scattered(5000))
  const expected = array.slice().sort(tasks.compareLastDigits)
  const actual = await parallelSort(array, { pool, compare: tasks.compareLastDigits, grain: 100 })
  assert.deepEqual(actual, expected)
  assert.deepEqual(parallelSortSync(actual, { pool, compare: (a, b) => b - a, grain: 64 }), expected.sort().reverse())
})

test("[PA3] neighbours are combined from left to right, and the initial value comes once", async () => {
  const array = Int32Array.from(scattered(1000))
  const expected = array.reduce((a, b) => a + b)
  assert.equal(await parallelReduce(array, tasks.sum, { pool, grain: 7 }), expected)
  assert.equal(parallelReduceSync(array, tasks.sum, { pool, grain: 7, initial: 5 }), expected + 5)
  assert.equal(await parallelReduce(BigInt64Array.of(3n, 4n, 5n), (a, b) => a * b, { pool, grain: 1 }), 60n)
  const first = await parallelReduce(Float64Array.from(array), (a) => a, { pool, grain: 7, initial: -1 })
  assert.equal(first, -1)
})

test("[PA4] values of any kind are made of elements and of numbers, and combined in order", async () => {
  const letters = Array.from({ length: 100 }, (_, i) => tasks.encoded(i)).join("")
  assert.equal(await parallelReduce(100, tasks.chain, { pool, map: tasks.encoded }), letters)
  assert.equal(parallelReduceSync(100, tasks.chain, { pool, map: tasks.encoded, initial: ">" }), `>${letters}`)
  const pairs = await parallelReduce(Uint8Array.of(5, 6, 7), (a, b) => [...a, ...b], {
    pool,
    grain: 1,
    map: (element: number, index: number): [number, number][] => [[index, element]],
  })
  assert.deepEqual(pairs, [
    [0, 5],
    [1, 6],
    [2, 7],
  ])
})

test("[PA5] prefixes are those of a loop, cut down to what fits into the array", async () => {
  for (const Kind of NUMBER_KINDS) {
    const array = Kind.from(scattered(1000, 97))
    const expected = array.slice()
    for (let i = 1; i < expected.length; i++) expected[i] = (expected[i - 1] as number) + (expected[i] as number)
    assert.deepEqual(await parallelPrefix(array.slice(), tasks.sum, { pool, grain: 13 }), expected, Kind.name)
    assert.deepEqual(parallelPrefixSync(array, tasks.sum, { pool, grain: 1 }), expected, Kind.name)
  }
  const maxima = await parallelPrefix(BigInt64Array.of(3n, 1n, 4n, 1n, 5n), (a, b) => (a > b ? a : b), {
    pool,
    grain: 2,
  })
  assert.deepEqual(maxima, BigInt64Array.of(3n, 3n, 4n, 4n, 5n))
})

test("[PA6] elements are mapped into a new array, another one, or the array itself", async () => {
  const array = Int32Array.from(scattered(1000))
  const squares = array.map((x) => x * x)
  assert.deepEqual(await parallelMap(array, tasks.square, { pool, grain: 10 }), squares)
  const into = new Float32Array(new SharedArrayBuffer(4 * 1002)).fill(-1)
  assert.equal(await parallelMap(array, tasks.square, { pool, grain: 10, into }), into)
  assert.deepEqual(into, Float32Array.from([...squares, -1, -1]))
  const ordinary = new Float64Array(1001).fill(-1)
  assert.deepEqual(
    parallelMapSync(array, tasks.square, { pool, grain: 10, into: ordinary }),
    Float64Array.from([...squares, -1]),
  )
  assert.deepEqual(await parallelMap(array, (x, i) => x * x - i + i, { pool, grain: 10, into: array }), squares)
  assert.deepEqual(array, squares)
})

test("[PA7] the function is called once for each number, and each element", async () => {
  const first = reserve(600)
  await parallelForEach(200, tasks.visit, { pool, args: [first] })
  parallelForEachSync({ from: 200, to: 400 }, tasks.visit, { pool, args: [first], grain: 3 })
  const numbers = Int32Array.from({ length: 200 }, (_, i) => i)
  await parallelForEach(numbers, (element: number, index: number, seen: Int32Array) => (seen[index] = element + 1), {
    pool,
    grain: 9,
    args: [words.subarray(first + 400, first + 600)],
  })
  const expected = [...Array.from({ length: 400 }, () => 1), ...Array.from({ length: 200 }, (_, i) => i + 1)]
  assert.deepEqual([...words.subarray(first, first + 600)], expected)
})

test("[PA8] a range begins and ends where it says", async () => {
  const numbers = (range: number | { from?: number; to: number }): Promise<number[]> =>
    parallelReduce(range, (a, b) => [...a, ...b], { pool, map: (i: number) => [i], initial: [] as number[] })
  assert.deepEqual(await numbers(3), [0, 1, 2])
  assert.deepEqual(await numbers({ to: 2 }), [0, 1])
  assert.deepEqual(await numbers({ from: -2, to: 1 }), [-2, -1, 0])
  assert.deepEqual(await numbers({ from: 5, to: 2 }), [])
  assert.deepEqual(await numbers(0), [])
  const into = await parallelMap({ from: 10, to: 14 }, tasks.square, { pool, into: new Int32Array(4) })
  assert.deepEqual(into, Int32Array.of(100, 121, 144, 169))
})

test("[PA9] sums of fractions are the same whoever adds them", async () => {
  await using single = new ForkJoinPool({ parallelism: 1 })
  await using three = new ForkJoinPool({ parallelism: 3 })
  const array = shared(Array.from({ length: 50_000 }, (_, i) => 1 / (i + 1)))
  const [sum, ...others] = await Promise.all(
    [single, pool, three, three].map((each) => parallelReduce(array, tasks.sum, { pool: each })),
  )
  for (const other of others) assert.equal(other, sum)
  const [totals, ...rest] = await Promise.all(
    [single, pool, three].map((each) => parallelPrefix(array.slice(), tasks.sum, { pool: each })),
  )
  for (const other of rest) assert.deepEqual(other, totals)
})

test("[PA10] arguments that are the same for all come last", async () => {
  const five = (i: number, ...rest: number[]): string => `${i}:${rest.join("")} `
  for (let count = 0; count <= 6; count++) {
    const args = Array.from({ length: count }, (_, i) => i)
    const expected = [0, 1, 2].map((i) => five(i, ...args)).join("")
    const actual = await parallelReduce(3, tasks.chain, {
      pool,
      map: (i: number, ...rest: number[]) => `${i}:${rest.join("")} `,
      args,
    })
    assert.equal(actual, expected)
    const ofElements = parallelReduceSync(Int32Array.of(0, 1, 2), tasks.chain, {
      pool,
      grain: 1,
      map: (element: number, _index: number, ...rest: number[]) => `${element}:${rest.join("")} `,
      args,
    })
    assert.equal(ofElements, expected)
  }
})
