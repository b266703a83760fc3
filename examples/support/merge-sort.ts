import { fork, task } from "corepool"

const SMALL = 10_000

/** Sorts the part of the array from `from` to before `to`; `spare` is an array of the same size. */
export const mergeSort = task(
  import.meta.url,
  function mergeSort(array: Float64Array, spare: Float64Array, from: number, to: number): void {
    if (to - from <= SMALL) {
      array.subarray(from, to).sort()
      return
    }
    const middle = (from + to) >> 1
    const right = fork(mergeSort, array, spare, middle, to)
    mergeSort(array, spare, from, middle)
    right.join()
    merge(array, spare, from, middle, to)
  },
)

function merge(array: Float64Array, spare: Float64Array, from: number, middle: number, to: number): void {
  spare.set(array.subarray(from, middle), from)
  let left = from
  let right = middle
  for (let out = from; left < middle; out++) {
    const isRightNext = right < to && (array[right] as number) < (spare[left] as number)
    array[out] = (isRightNext ? array[right++] : spare[left++]) as number
  }
}
