/**
 * What the two worker threads of the contest "forkjoin" do who know nothing of each other: each half of the parts into which
 * `fib(n)` divides itself. Nobody could divide it better, nor with less effort.
 */
import { parentPort } from "node:worker_threads"
import { CUT_OFF, sequentialFib } from "./tasks/fib.ts"
import type { Job } from "./two-workers.ts"

/** How often `fib(n)` comes to a part of this size. */
function partsOf(n: number, size: number): number {
  return sequentialFib(n - size + (size === CUT_OFF - 1 ? 1 : 0))
}

parentPort?.on("message", ({ turns: n }: Job) => {
  let sum = 0
  for (const size of [CUT_OFF - 1, CUT_OFF - 2]) {
    for (let left = partsOf(n, size) / 2; left > 0; left--) sum += sequentialFib(size)
  }
  parentPort?.postMessage(sum)
})
