import { Histogram, HISTOGRAM_WORDS, LocalHistogram, type Recorder } from "../memory/structures/histogram.ts"

export const TIMES_WORDS: number = 3 * HISTOGRAM_WORDS

/**
 * How long the tasks of a pool wait, how long they run, and how late tasks with times begin. Not every task is
 * measured, because reading the clock takes time.
 */
export interface PoolTimes {
  /** From submission to start. */
  readonly wait: Recorder
  /** From start to end. */
  readonly run: Recorder
  /** From the time at which the task was due to its start. */
  readonly lateness: Recorder
}

/** The times of a pool of platform threads: `TIMES_WORDS` words from `index` on. */
export function sharedTimes(words: Int32Array, index: number): PoolTimes {
  return {
    wait: new Histogram(words, index),
    run: new Histogram(words, index + HISTOGRAM_WORDS),
    lateness: new Histogram(words, index + 2 * HISTOGRAM_WORDS),
  }
}

/** The times of a pool of virtual threads. */
export function localTimes(): PoolTimes {
  return { wait: new LocalHistogram(), run: new LocalHistogram(), lateness: new LocalHistogram() }
}
