/**
 * Merges two sorted runs of one array into another array, by several threads.
 *
 * To divide the work, a binary search finds how many elements of each run are in the first half of the result. After
 * that the two halves of the result are independent of each other.
 */
import { fork } from "../forkjoin/task/fork.ts"
import { give, type Given } from "../task/reference.ts"
import { Loops } from "./loops.ts"
import { builtIn } from "./built-in.ts"
import { type Elements, kindOf } from "./typed-arrays.ts"

export type Compare = (a: unknown, b: unknown) => number
/** Empty if the elements are in the order of numbers. */
export type Order = readonly [compare?: Compare]

/**
 * The elements from `left` to before `leftEnd` and from `right` to before `rightEnd` of the source are merged into the
 * target, from `out` on.
 */
export type Merge = [
  source: Elements,
  target: Elements,
  left: number,
  leftEnd: number,
  right: number,
  rightEnd: number,
  out: number,
  grain: number,
]

/**
 * Merges the runs from `from` to before `middle` and from `middle` to before `to` into the same place of the target.
 */
export function mergeRuns(
  order: Order,
  grain: number,
  source: Elements,
  target: Elements,
  from: number,
  middle: number,
  to: number,
): void {
  let leftEnd = middle
  let rightEnd = to
  if (order.length === 0) {
    // NaN is neither less nor greater than any number; in a sorted run it is at the end.
    leftEnd = endOfNumbers(source, from, middle)
    rightEnd = endOfNumbers(source, middle, to)
    const rest = middle - leftEnd + to - rightEnd
    if (rest > 0) target.fill(Number.NaN, to - rest, to)
  }
  give(mergePart, order)(source, target, from, leftEnd, middle, rightEnd, from, grain)
}

function endOfNumbers(run: Elements, from: number, to: number): number {
  return firstIn(from, to, (i) => Number.isNaN(run[i]))
}

/** The first index from `from` to before `to` for which it is true, as for all that follow; `to` if there is none. */
export function firstIn(from: number, to: number, isTrue: (i: number) => boolean): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isTrue(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** @internal Merges a part; forks a half of it if it is large. */
export const mergePart: (given: Given<Order, (...part: Merge) => void>, ...part: Merge) => void = builtIn(
  "mergePart",
  function mergePart({ functions: [compare], self }, source, target, left, leftEnd, right, rightEnd, out, grain) {
    const count = leftEnd - left + rightEnd - right
    if (count <= grain) {
      const kind = kindOf(source)
      if (compare === undefined) merging.of(count, kind)(source, target, left, leftEnd, right, rightEnd, out, grain)
      else comparing.of(count, kind, compare)(compare, source, target, left, leftEnd, right, rightEnd, out, grain)
      return
    }
    const half = Math.floor(count / 2)
    const isBefore = compare === undefined ? isLess : (a: unknown, b: unknown) => compare(b, a) > 0
    // How many of the left run are in the first half: the least number
    // for which the last element taken from the right run comes before the next one of the left.
    const taken = firstIn(Math.max(0, half - (rightEnd - right)), Math.min(half, leftEnd - left), (i) =>
      isBefore(source[right + half - i - 1], source[left + i]),
    )
    const leftMiddle = left + taken
    const rightMiddle = right + half - taken
    const other = fork(self, source, target, leftMiddle, leftEnd, rightMiddle, rightEnd, out + half, grain)
    try {
      self(source, target, left, leftMiddle, right, rightMiddle, out, grain)
    } catch (error) {
      other.cancel()
      throw error
    }
    other.join()
  },
)

function isLess(a: unknown, b: unknown): boolean {
  return (a as number) < (b as number)
}

/**
 * Which run has the next element is as random as the data, so the processor would mispredict a branch on it every other
 * time. This loop has no such branch: it computes where to read, and takes half as long.
 */
function mergeNumbers(...[source, target, left, leftEnd, right, rightEnd, out]: Merge): void {
  let l = left
  let r = right
  let o = out
  while (l < leftEnd && r < rightEnd) {
    const step = Number((source[r] as number) < (source[l] as number))
    target[o++] = source[l + (r - l) * step]
    r += step
    l += 1 - step
  }
  if (l < leftEnd) target.set(source.subarray(l, leftEnd), o)
  else if (r < rightEnd) target.set(source.subarray(r, rightEnd), o)
}

function mergeComparing(compare: Compare, ...[source, target, left, leftEnd, right, rightEnd, out]: Merge): void {
  let l = left
  let r = right
  let o = out
  while (l < leftEnd && r < rightEnd) target[o++] = compare(source[l], source[r]) > 0 ? source[r++] : source[l++]
  if (l < leftEnd) target.set(source.subarray(l, leftEnd), o)
  else if (r < rightEnd) target.set(source.subarray(r, rightEnd), o)
}

const merging = new Loops(mergeNumbers)
const comparing = new Loops(mergeComparing)
