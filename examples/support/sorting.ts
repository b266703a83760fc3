/** A task that divides its work, and submits a part of it to the pool it runs in. */
import { task, type ThreadPoolExecutor } from "corepool"

/** Below that it is not worth another thread. */
const SMALL = 2000

/** The numbers in order. */
export const mergeSort = task(
  import.meta.url,
  function mergeSort(numbers: Float64Array, pool: ThreadPoolExecutor): Float64Array {
    if (numbers.length <= SMALL) return numbers.sort()
    const middle = numbers.length >> 1
    const left = pool.submit(mergeSort, numbers.subarray(0, middle), pool)
    const right = mergeSort(numbers.slice(middle), pool)
    // If no other thread is free to sort the left half, this one does it here, instead of waiting for it.
    return merge(left.getSync(), right)
  },
)

function merge(a: Float64Array, b: Float64Array): Float64Array {
  const merged = new Float64Array(a.length + b.length)
  for (let i = 0, j = 0; i + j < merged.length;) {
    const takesA = j === b.length || (i < a.length && (a[i] as number) <= (b[j] as number))
    merged[i + j] = (takesA ? a[i++] : b[j++]) as number
  }
  return merged
}
