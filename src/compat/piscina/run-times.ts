import { LocalHistogram, quantileOf } from "../../memory/structures/histogram.ts"

const PERCENTILES = [0.001, 0.01, 0.1, 1, 2.5, 10, 25, 50, 75, 90, 97.5, 99, 99.9, 99.99, 99.999] as const

/** Times in milliseconds, summarised. `p99` is the time that 99 % of them do not exceed, `p2_5` that of 2.5 %. */
export interface PiscinaTimes {
  /** The same as `mean`; NaN if there are none. */
  readonly average: number
  /** NaN if there are none. */
  readonly mean: number
  /** The standard deviation; NaN if there are none. */
  readonly stddev: number
  /** The shortest; 0 if there are none. */
  readonly min: number
  /** The longest; 0 if there are none. */
  readonly max: number
  /** Percentiles. */
  readonly [percentile: `p${string}`]: number
}

/** Collects times. */
export class RunTimes {
  readonly #times = new LocalHistogram()
  #count = 0
  #sum = 0
  #squares = 0

  /** Adds a time, in ms. */
  record(ms: number): void {
    this.#times.record(ms)
    this.#count++
    this.#sum += ms
    this.#squares += ms * ms
  }

  /** All times together, in ms. */
  get total(): number {
    return this.#sum
  }

  /** What there is so far. */
  get summary(): PiscinaTimes {
    const count = this.#count
    const mean = this.#sum / count
    const { min, max } = this.#times.times
    const within = (q: number): number =>
      count === 0 ? 0 : Math.min(Math.max(quantileOf(this.#times.counts, count, q / 100), min), max)
    return {
      average: mean,
      mean,
      stddev: Math.sqrt(Math.max(this.#squares / count - mean * mean, 0)),
      min,
      max,
      ...(Object.fromEntries(PERCENTILES.map((q) => [`p${String(q).replace(".", "_")}`, within(q)])) as Record<
        `p${string}`,
        number
      >),
    }
  }
}
