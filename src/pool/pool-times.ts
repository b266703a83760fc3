/** How long the tasks of a pool wait, how long they run, and how late they begin if they have times: of some of them, for to look at the clock takes time, too. */
import { Histogram, HISTOGRAM_WORDS } from "../memory/histogram.ts"

export const TIMES_WORDS: number = 3 * HISTOGRAM_WORDS

export class PoolTimes {
  /** From submission to start. */
  readonly wait: Histogram
  /** From start to end. */
  readonly run: Histogram
  /** From when it was due to its start. */
  readonly lateness: Histogram

  /** Occupies `TIMES_WORDS` words from `index` on. */
  constructor(words: Int32Array = new Int32Array(TIMES_WORDS), index = 0) {
    this.wait = new Histogram(words, index)
    this.run = new Histogram(words, index + HISTOGRAM_WORDS)
    this.lateness = new Histogram(words, index + 2 * HISTOGRAM_WORDS)
  }
}
