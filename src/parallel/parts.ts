/** How work is divided: into halves of halves, down to parts that are not worth dividing. */
import type { ForkJoinTask } from "../forkjoin/task/fork-join-task.ts"

/** Enough for every thread to have its share, even if parts take unequally long; few enough that dividing is cheap. */
const MOST_PARTS = 128

/**
 * How many of so many elements are a part. It depends on nothing else. So results that depend on where parts begin,
 * such as sums of fractions, are the same each time and on every machine.
 */
export function grainFor(count: number, least: number): number {
  return Math.max(least, Math.ceil(count / MOST_PARTS))
}

/** What to do with a part, and with the results of two neighbouring parts. */
export interface Division<R> {
  /** Offers a part to other threads. */
  fork(from: number, to: number): ForkJoinTask<R>
  /** Runs a part that is not divided. */
  run(from: number, to: number): R
  join(left: R, right: R): R
}

/** Runs everything from `from` to before `to`. Parts begin at multiples of `grain`, counted from `from`. */
export function divide<R>(from: number, to: number, grain: number, division: Division<R>): R {
  const parts = Math.ceil((to - from) / grain)
  if (parts <= 1) return division.run(from, to)
  const middle = from + grain * Math.ceil(parts / 2)
  const right = division.fork(middle, to)
  let left: R
  try {
    left = divide(from, middle, grain, division)
  } catch (error) {
    right.cancel() // its result is not needed
    throw error
  }
  return division.join(left, right.join())
}
