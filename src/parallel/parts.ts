/** How work is divided: halves of halves, down to parts that are worth no more division. */
import type { ForkJoinTask } from "../forkjoin/task/fork-join-task.ts"

/**
 * Enough for every thread to have its share, also if parts take unequally long; few enough that dividing costs nothing.
 */
const MOST_PARTS = 128

/**
 * How many of so many elements are a part. That depends on nothing else, and so does what comes out if it matters
 * where parts begin, as with sums of fractions: it is the same on every machine, and each time.
 */
export function grainFor(count: number, least: number): number {
  return Math.max(least, Math.ceil(count / MOST_PARTS))
}

/** What is done with a part, and with the results of two that are next to each other. */
export interface Division<R> {
  /** Lets other threads have a part. */
  fork(from: number, to: number): ForkJoinTask<R>
  /** Does a part that is not divided. */
  run(from: number, to: number): R
  join(left: R, right: R): R
}

/** Does everything from `from` to before `to`. Parts begin at multiples of `grain`, counted from `from`. */
export function divide<R>(from: number, to: number, grain: number, division: Division<R>): R {
  const parts = Math.ceil((to - from) / grain)
  if (parts <= 1) return division.run(from, to)
  const middle = from + grain * Math.ceil(parts / 2)
  const right = division.fork(middle, to)
  let left: R
  try {
    left = divide(from, middle, grain, division)
  } catch (error) {
    right.cancel() // nobody is going to ask for it
    throw error
  }
  return division.join(left, right.join())
}
