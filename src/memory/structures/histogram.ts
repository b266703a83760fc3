import { add, compareAndSet, load } from "#atomics"
import { Counter } from "./counter.ts"

const PER_OCTAVE = 8
const CLASSES = 256

/** Offsets of the words. */
const SUM = 0
const SHORTEST = 2
const LONGEST = 3
const FIRST_CLASS = 4

export const HISTOGRAM_WORDS: number = FIRST_CLASS + CLASSES

/** What is known of many times, in ms. */
export interface Times {
  /** How many were measured: not all need be. */
  readonly count: number
  readonly mean: number
  readonly min: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}

const NOTHING: Times = /* @__PURE__ */ Object.freeze({ count: 0, mean: 0, min: 0, p50: 0, p90: 0, p99: 0, max: 0 })

export interface Recorder {
  record(ms: number): void
  readonly times: Times
  /** How many times were recorded in each class, so far. */
  readonly counts: Counts
}

/** With holes for the classes that have no times. */
export type Counts = readonly (number | undefined)[]

/**
 * How long things take: counted by one thread (LocalHistogram), or in words that threads share (Histogram), where any
 * thread may record, and any may read meanwhile.
 *
 * Times are counted in classes, eight for each power of two microseconds. A quantile is reported as the middle of its
 * class, which is at most 4.5 % from every time in the class. Times of more than an hour are in the last class. The
 * shortest and the longest time are kept as they are, and no reported quantile lies beyond them.
 */
export class Histogram implements Recorder {
  readonly #words: Int32Array
  readonly #index: number
  readonly #sum: Counter

  /** Occupies {@link HISTOGRAM_WORDS} words from `index` on. */
  constructor(words: Int32Array, index: number) {
    this.#words = words
    this.#index = index
    this.#sum = new Counter(words, index + SUM)
  }

  record(ms: number): void {
    const time = Math.max(ms, 0)
    // Before the class is counted: a reader that finds the count finds these too.
    this.#extend(SHORTEST, rankOf(time), false)
    this.#extend(LONGEST, rankOf(time), true)
    const microseconds = time * 1000
    this.#sum.add(Math.min(Math.round(microseconds), 2 ** 31 - 1))
    add(this.#words, this.#index + FIRST_CLASS + classOf(microseconds), 1)
  }

  /** Sets the word to this rank if it holds none, or one that is less (`upwards`) or more. */
  #extend(word: number, rank: number, upwards: boolean): void {
    const index = this.#index + word
    for (;;) {
      const known = load(this.#words, index)
      if (known !== 0 && (upwards ? known >= rank : known <= rank)) return
      if (compareAndSet(this.#words, index, known, rank)) return
    }
  }

  get counts(): Counts {
    return Array.from({ length: CLASSES }, (_, i) => load(this.#words, this.#index + FIRST_CLASS + i) >>> 0)
  }

  get times(): Times {
    const { counts } = this
    const min = timeOf(load(this.#words, this.#index + SHORTEST))
    const max = timeOf(load(this.#words, this.#index + LONGEST))
    return timesOf(counts, this.#sum.value / 1000, min, max)
  }
}

export class LocalHistogram implements Recorder {
  readonly counts: number[] = []
  #sum = 0
  #min = Infinity
  #max = 0

  record(ms: number): void {
    const time = Math.max(ms, 0)
    this.#min = Math.min(this.#min, time)
    this.#max = Math.max(this.#max, time)
    this.#sum += time
    const index = classOf(time * 1000)
    this.counts[index] = (this.counts[index] ?? 0) + 1
  }

  get times(): Times {
    return timesOf(this.counts, this.#sum, this.#min, this.#max)
  }
}

/** Summarises times that were counted in classes; sum, min and max are in ms. */
function timesOf(counts: Counts, sum: number, min: number, max: number): Times {
  const count = counts.reduce<number>((total, n = 0) => total + n, 0)
  if (count === 0) return NOTHING
  const quantile = (q: number): number => Math.min(Math.max(quantileOf(counts, count, q), min), max)
  return { count, mean: sum / count, min, p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), max }
}

/** The time, in ms, below which the share `q` of `count` times lies that were counted in classes. */
export function quantileOf(counts: Counts, count: number, q: number): number {
  let rest = Math.ceil(count * q)
  return middleOf(counts.findIndex((n = 0) => (rest -= n) <= 0))
}

/** Class 0 has the times below a microsecond. */
function classOf(microseconds: number): number {
  if (microseconds < 1) return 0
  return Math.min(1 + Math.floor(Math.log2(microseconds) * PER_OCTAVE), CLASSES - 1)
}

/** The time in the middle of a class, in ms. */
export function middleOf(index: number): number {
  return index === 0 ? 0 : 2 ** ((index - 0.5) / PER_OCTAVE) / 1000
}

/*
 * A time as one word: the bits of a 32-bit float, which for numbers ≥ 0 are ordered as the numbers are, plus one, so
 * that 0 is left for "none yet". Such a float is right to seven digits.
 */

const float = /* @__PURE__ */ new Float32Array(1)
const bits = /* @__PURE__ */ bitsOf(float)

function bitsOf({ buffer }: Float32Array): Int32Array {
  return new Int32Array(buffer)
}

function rankOf(ms: number): number {
  float[0] = Math.min(ms, Number.MAX_SAFE_INTEGER)
  return (bits[0] as number) + 1
}

function timeOf(rank: number): number {
  bits[0] = rank - 1
  return float[0] as number
}
