/**
 * What the two worker threads of the contest "parallel" do who know nothing of each other: each half of the work, by the same
 * functions. Nobody could divide it better, nor with less effort.
 */
import { parentPort, workerData } from "node:worker_threads"
import { type Board, countQueens, sortArray, sumPart, withQueen } from "./tasks/parts.ts"
import type { Job } from "./two-workers.ts"

const number = workerData as number

const works: Record<string, (shared: Record<string, unknown>, turns: number) => number> = {
  /** The queen of the first row in the left half, or in the right one, which is the mirror image. */
  queens({ board }, turns) {
    const boards = withQueen(board as Board)
    const half = boards.slice((number * boards.length) / 2, ((number + 1) * boards.length) / 2)
    let sum = 0
    for (let i = 0; i < turns; i++) for (const each of half) sum += countQueens(each)
    return sum
  },

  sum({ array: shared }) {
    const array = shared as Int32Array
    const middle = array.length / 2
    return sumPart({ array, from: number * middle, to: (number + 1) * middle })
  },

  /** One of two arrays. */
  sort({ arrays }) {
    sortArray((arrays as Float64Array[])[number] as Float64Array)
    return 0
  },
}

parentPort?.on("message", ({ work, shared, turns }: Job) => {
  parentPort?.postMessage(works[work]?.(shared, turns))
})
