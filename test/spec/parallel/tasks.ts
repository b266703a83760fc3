/** Functions for parallel algorithms, as other threads find them. */
import {
  type ForkJoinPool,
  parallelMapSync,
  parallelPrefixSync,
  parallelReduce,
  parallelReduceSync,
  parallelSortSync,
  task,
} from "corepool"
import { words } from "../../support/inherited-words.ts"

export const sum = task(import.meta.url, function sum(a: number, b: number): number {
  return a + b
})

export const square = task(import.meta.url, function square(x: number): number {
  return x * x
})

/** Associative, but not commutative. */
export const chain = task(import.meta.url, function chain(a: string, b: string): string {
  return a + b
})

export const encoded = task(import.meta.url, function encoded(i: number): string {
  return String.fromCharCode(97 + (i % 26))
})

/** Notes in the words of the test that it was there. */
export const visit = task(import.meta.url, function visit(i: number, first: number): void {
  Atomics.add(words, first + i, 1)
})

export const failAt = task(import.meta.url, function failAt(i: number, bad: number, counter: number): number {
  Atomics.add(words, counter, 1)
  if (i === bad) throw new RangeError(`not ${i}`)
  return i
})

/** Says that it has come, and waits at the gate. */
export const hold = task(import.meta.url, function hold(_: number, gate: number): void {
  Atomics.add(words, gate, 1)
  Atomics.wait(words, gate + 1, 0)
})

export const die = task(import.meta.url, function die(i: number): void {
  if (i === 3) process.exit(1)
})

export const compareLastDigits = task(import.meta.url, function compareLastDigits(a: number, b: number): number {
  return (a % 10) - (b % 10)
})

/** Everything, inside of a task. */
export const everything = task(import.meta.url, async function everything(array: Int32Array): Promise<unknown[]> {
  const sorted = parallelSortSync(array.slice(), { grain: 10 })
  const squares = parallelMapSync(array, square, { grain: 10, into: new Float64Array(array.length) })
  const totals = parallelPrefixSync(array.slice(), sum, { grain: 10 })
  const total = parallelReduceSync(array, sum, { grain: 10 })
  return [sorted, squares, totals, total, await parallelReduce(array, sum, { grain: 10 })]
})

export const innerSum = task(import.meta.url, function innerSum(i: number): number {
  return parallelReduceSync(i + 1, sum, { map: square, grain: 2 })
})

/** Names the pool it runs in, as a task may. */
export const inOwnPool = task(import.meta.url, function inOwnPool(pool: ForkJoinPool, count: number): number {
  return parallelReduceSync(count, sum, { pool, map: same, grain: 3 })
})

export const same = task(import.meta.url, function same(i: number): number {
  return i
})
