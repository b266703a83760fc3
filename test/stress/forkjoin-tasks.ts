/** Trees of tasks that do everything that tasks may do, at random. */
import { CancellationError, fork, type ForkJoinTask, task } from "corepool"
import { getEnvironmentData } from "node:worker_threads"
import { Dice } from "../support/stress.ts"
import { KEY } from "./forkjoin-key.ts"

/** How often each node has run; workers inherit it. */
const runs = new Int32Array(getEnvironmentData(KEY) as unknown as SharedArrayBuffer)

export interface Chances {
  /** One in so many nodes throws, has a part cancelled, ends its thread; 0 for none. */
  readonly error: number
  readonly cancel: number
  readonly death: number
}

const chances: Chances = { error: 500, cancel: 100, death: Number(getEnvironmentData("deaths") ?? 0) }

function happens(dice: Dice, oneIn: number): boolean {
  return oneIn > 0 && dice.roll(oneIn) === 0
}

/** What may come of a part, whatever it does. */
const EXPECTED = new Set(["CancellationError", "RangeError", "ThreadDeathError"])

/** The nodes from the first up to the last, which is not in it: runs the first, and forks the others in some parts. */
export const tree = task(import.meta.url, function tree(first: number, last: number, seed: number): number {
  const dice = new Dice(seed ^ first)
  for (let i = 0; i < 5; i++) dice.roll(2)
  Atomics.add(runs, first, 1)
  if (happens(dice, chances.error)) throw new RangeError(`node ${first}`)
  if (happens(dice, chances.death)) process.exit(3)
  const parts: ForkJoinTask<number>[] = []
  const width = 1 + dice.roll(4)
  for (let i = 0, from = first + 1; i < width && from < last; i++) {
    const to = i === width - 1 ? last : from + 1 + dice.roll(last - from)
    parts.push(fork(tree, from, to, seed))
    from = to
  }
  if (dice.roll(3) > 0) parts.reverse() // so that the first to be joined is the one on top
  let sum = 1
  for (const part of parts) {
    if (happens(dice, chances.cancel)) part.cancel(dice.roll(2) === 0)
    if (dice.roll(50) === 0) continue // it is nobody's business
    sum += joined(part)
  }
  return sum
})

function joined(part: ForkJoinTask<number>): number {
  try {
    return part.join()
  } catch (error) {
    // If it is this task that was cancelled, its next fork or join says so.
    if (!EXPECTED.has((error as Error).name)) throw error
    if (error instanceof CancellationError && !part.isDone) throw error
    return 0
  }
}
