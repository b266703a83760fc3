/** What the threads of corepool do in the contest "parallel". */
import { corepool } from "../corepool.ts"
import { type Board, countQueens, withQueen } from "./parts.ts"

const { fork, task } = await corepool()

/** Divides the first so many rows. */
export const queens = task(import.meta.url, function queens(board: Board, rows: number): number {
  if (rows === 0) return countQueens(board)
  const parts = withQueen(board).map((each) => fork(queens, each, rows - 1))
  let sum = 0
  for (const part of parts.reverse()) sum += part.join()
  return sum
})

export const add = task(import.meta.url, function add(a: number, b: number): number {
  return a + b
})
