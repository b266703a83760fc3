/**
 * Merge sort of an array that all threads share, as it is taught: fork the right half, sort the left one, join, merge.
 *
 * The array is not copied: who steals a part sorts it where it lies. `parallelSort` does the same with more care: the merging is divided,
 * too.
 */
import { type ForkJoinPool, parallelSort } from "corepool"
import { mergeSort } from "./support/merge-sort.ts"
import { speedUp } from "./support/speed-up.ts"

const count = 1_000_000

function shared(): Float64Array {
  return new Float64Array(new SharedArrayBuffer(count * 8))
}

const unsorted = Float64Array.from({ length: count }, (_, i) => (i * 48271) % 2147483647)
const array = shared()
const spare = shared()

async function sortedBy(sort: () => Promise<unknown>): Promise<string> {
  array.set(unsorted)
  await sort()
  const isInOrder = array.every((number, i) => i === 0 || number >= (array[i - 1] as number))
  return `${array.length} numbers, in order: ${isInOrder}, from ${array[0]} to ${array.at(-1)}`
}

const byHand = (pool: ForkJoinPool): Promise<string> => sortedBy(() => pool.invoke(mergeSort, array, spare, 0, count))
const byCorepool = (pool: ForkJoinPool): Promise<string> => sortedBy(() => parallelSort(array, { pool }))

console.log(await speedUp(byHand))
console.log(await speedUp(byCorepool))

// Output:
// 1000000 numbers, in order: true, from 0 to 2147480933
// 1000000 numbers, in order: true, from 0 to 2147480933
