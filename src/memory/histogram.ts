/**
 * How long things take, counted in words that threads may share: any thread may record, and any may read meanwhile.
 *
 * Times are counted in classes, four for each power of two microseconds, so that a quantile is right within a tenth. Up to
 * an hour they are told apart.
 */
import { add, load } from "#atomics"
import { Counter } from "./counter.ts"

const PER_OCTAVE = 4
const CLASSES = 128

/** Occupies so many words: the sum of all times in two, and the classes. */
export const HISTOGRAM_WORDS: number = 2 + CLASSES

/** What is known of many times, in ms. */
export interface Times {
  /** How many were measured: not all need be. */
  readonly count: number
  readonly mean: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}

export class Histogram {
  readonly #words: Int32Array
  readonly #classes: number
  readonly #sum: Counter

  constructor(words: Int32Array, index: number) {
    this.#words = words
    this.#sum = new Counter(words, index)
    this.#classes = index + 2
  }

  record(ms: number): void {
    const microseconds = Math.max(ms, 0) * 1000
    add(this.#words, this.#classes + classOf(microseconds), 1)
    this.#sum.add(Math.min(Math.round(microseconds), 2 ** 31 - 1))
  }

  get times(): Times {
    const counts = Array.from({ length: CLASSES }, (_, i) => load(this.#words, this.#classes + i) >>> 0)
    const count = counts.reduce((sum, n) => sum + n, 0)
    const quantile = (q: number): number => {
      let rest = Math.ceil(count * q)
      return limitOf(counts.findIndex((n) => (rest -= n) <= 0))
    }
    const mean = count === 0 ? 0 : this.#sum.value / 1000 / count
    if (count === 0) return { count, mean, p50: 0, p90: 0, p99: 0, max: 0 }
    return { count, mean, p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), max: quantile(1) }
  }
}

function classOf(microseconds: number): number {
  if (microseconds < 1) return 0
  return Math.min(1 + Math.floor(Math.log2(microseconds) * PER_OCTAVE), CLASSES - 1)
}

/** The longest time of a class, in ms. */
function limitOf(index: number): number {
  return 2 ** (index / PER_OCTAVE) / 1000
}
