import { fork, type ForkJoinTask, task } from "corepool"

/** Below so many rows it is not worth dividing. */
const SMALL = 10

/**
 * In how many ways the remaining rows of a board can each have a queen that no other one attacks: what the queens so far attack in this row is
 * a bit for each column, by the column itself and by the two diagonals.
 */
export const queens = task(
  import.meta.url,
  function queens(size: number, rows: number, columns: number, left: number, right: number): number {
    if (rows <= SMALL) return countQueens(size, columns, left, right)
    const parts: ForkJoinTask<number>[] = []
    for (let free = ~(columns | left | right) & ((1 << size) - 1); free !== 0; free &= free - 1) {
      const queen = free & -free
      parts.push(fork(queens, size, rows - 1, columns | queen, (left | queen) << 1, (right | queen) >> 1))
    }
    return parts.reverse().reduce((sum, part) => sum + part.join(), 0) // what was forked last is joined first
  },
)

function countQueens(size: number, columns: number, left: number, right: number): number {
  const all = (1 << size) - 1
  if (columns === all) return 1
  let count = 0
  for (let free = ~(columns | left | right) & all; free !== 0; free &= free - 1) {
    const queen = free & -free
    count += countQueens(size, columns | queen, (left | queen) << 1, (right | queen) >> 1)
  }
  return count
}
