/**
 * The work of the contest "parallel", as plain functions: the same for corepool, for worker threads that know nothing of each other, and for the
 * threads of a rival.
 */

/** A board on which some rows have queens: what they attack in the next one, by columns and by both diagonals, as bits. */
export interface Board {
  readonly size: number
  readonly columns: number
  readonly left: number
  readonly right: number
}

/** The boards with one queen more. */
export function withQueen({ size, columns, left, right }: Board): Board[] {
  const boards: Board[] = []
  for (let free = ~(columns | left | right) & ((1 << size) - 1); free !== 0; free &= free - 1) {
    const queen = free & -free
    boards.push({ size, columns: columns | queen, left: (left | queen) << 1, right: (right | queen) >> 1 })
  }
  return boards
}

/** In how many ways the other rows can have queens. */
export function countQueens({ size, columns, left, right }: Board): number {
  return count((1 << size) - 1, columns, left, right)
}

function count(all: number, columns: number, left: number, right: number): number {
  if (columns === all) return 1
  let found = 0
  for (let free = ~(columns | left | right) & all; free !== 0; free &= free - 1) {
    const queen = free & -free
    found += count(all, columns | queen, (left | queen) << 1, (right | queen) >> 1)
  }
  return found
}

export interface Part {
  readonly array: Int32Array
  readonly from: number
  readonly to: number
}

export function sumPart({ array, from, to }: Part): number {
  let sum = 0
  for (let i = from; i < to; i++) sum += array[i] as number
  return sum
}

export function sortArray(array: Float64Array): void {
  array.sort()
}

export interface Merge {
  readonly source: Float64Array
  readonly target: Float64Array
  readonly left: number
  readonly leftEnd: number
  readonly right: number
  readonly rightEnd: number
  readonly out: number
}

/** As corepool merges, so that only who divides the work makes a difference. */
export function mergeRuns({ source, target, left, leftEnd, right, rightEnd, out }: Merge): void {
  let l = left
  let r = right
  let o = out
  while (l < leftEnd && r < rightEnd) {
    const step = Number((source[r] as number) < (source[l] as number))
    target[o++] = source[l + (r - l) * step] as number
    r += step
    l += 1 - step
  }
  target.set(source.subarray(l, leftEnd), o)
  target.set(source.subarray(r, rightEnd), o)
}
