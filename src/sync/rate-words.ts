import { compareAndSet, load, pause, read, store, write } from "#atomics"
import { wholeLines } from "../memory/layout.ts"
import { QUEUE } from "../memory/wait/combining-list.ts"
import type { ThreadContext } from "../memory/thread/thread-context.ts"

/** How permits come back. */
export const BUCKET = 0
export const FIXED = 1
export const SLIDING = 2

/** Two copies of the figures, of which SHOWN says which one holds. */
const COPY = {
  /** A bucket: when it will be full. A fixed window: when it began. Two words. */
  TIME: 0,
  /** A window: how many permits of it are taken. */
  USED: 2,
  /** A sliding window: where in the ring the oldest of them is. */
  HEAD: 3,
  SIZE: 4,
} as const

const RATE = {
  /** The token of the thread that changes the figures now. */
  GUARD: wholeLines(QUEUE.SIZE),
  SHOWN: wholeLines(QUEUE.SIZE) + 1,
  KIND: wholeLines(QUEUE.SIZE) + 2,
  PERMITS: wholeLines(QUEUE.SIZE) + 3,
  BURST: wholeLines(QUEUE.SIZE) + 4,
  PER: wholeLines(QUEUE.SIZE) + 6,
  EPOCH: wholeLines(QUEUE.SIZE) + 8,
  COPIES: wholeLines(QUEUE.SIZE) + 10,
  RING: wholeLines(QUEUE.SIZE) + 10 + 2 * COPY.SIZE,
} as const

/** What rounding may make of a moment, in ms: the clock itself is not finer. */
const ROUNDING = 1e-3

/** What a limiter allows. */
export interface RateSettings {
  readonly kind: number
  readonly permits: number
  readonly per: number
  readonly burst: number
}

const double = new Float64Array(1)
const halves = new Int32Array(double.buffer)

/**
 * The arithmetic of a RateLimiter, over words that threads share. Times are in ms of one clock of all threads, counted
 * from the making of the limiter, so that fractions are not lost.
 *
 * - A *bucket* is known by one number, the time at which it will be full if no more is taken (`full`). A permit costs
 *   `per / permits` ms of that. It may be taken if the bucket would then be full in no more than `burst` times that.
 * - A *fixed window* begins when the first permit is taken after the last window is over.
 * - A *sliding window* keeps the times of the permits taken within the last `per` ms, in a ring.
 *
 * One thread at a time changes the figures, under GUARD, which names that thread. It writes to the copy that is not in
 * force, and then puts this copy into force by a single store. The ring has twice as many cells as there are permits,
 * so no time that the copy in force refers to is overwritten before. A thread may die at any step: the next thread
 * takes the guard over and finds the figures as they were before, or after.
 */
export class RateWords {
  readonly settings: RateSettings
  readonly #words: Int32Array
  readonly #threadContext: ThreadContext
  readonly #epoch: number
  /** How long it takes for a permit to come back to a bucket. */
  readonly #cost: number

  constructor(words: Int32Array, thread: ThreadContext) {
    this.#words = words
    this.#threadContext = thread
    this.settings = {
      kind: read(words, RATE.KIND),
      permits: read(words, RATE.PERMITS),
      per: doubleAt(words, RATE.PER),
      burst: read(words, RATE.BURST),
    }
    this.#epoch = doubleAt(words, RATE.EPOCH)
    this.#cost = this.settings.per / this.settings.permits
  }

  static wordsFor({ kind, permits }: RateSettings): number {
    return RATE.RING + (kind === SLIDING ? 4 * permits : 0)
  }

  /** Fills new words, before any other thread sees them. */
  static prepare(words: Int32Array, { kind, permits, per, burst }: RateSettings, now: number): void {
    store(words, RATE.KIND, kind)
    store(words, RATE.PERMITS, permits)
    store(words, RATE.BURST, burst)
    setDouble(words, RATE.PER, per)
    setDouble(words, RATE.EPOCH, now)
    setDouble(words, RATE.COPIES + COPY.TIME, kind === FIXED ? -per : 0)
  }

  /** Takes that many permits and returns 0; or takes none, and returns in how many ms they will be there. */
  take(permits: number, now: number): number {
    return this.#alone((from, to) => {
      const time = this.#since(now)
      switch (this.settings.kind) {
        case BUCKET:
          return this.#takeFromBucket(permits, time, from, to)
        case FIXED:
          return this.#takeFromWindow(permits, time, from, to)
        default:
          return this.#takeFromRing(permits, time, from, to)
      }
    })
  }

  /** Gives permits back that were taken a moment ago, and not used. */
  giveBack(permits: number, now: number): void {
    this.#alone((from, to) => {
      const words = this.#words
      copy(words, from, to)
      if (this.settings.kind === BUCKET) {
        setDouble(words, to + COPY.TIME, doubleAt(words, from + COPY.TIME) - permits * this.#cost)
      } else if (this.settings.kind === SLIDING || !this.#isOver(from, this.#since(now))) {
        const used = Math.max(read(words, from + COPY.USED) - permits, 0)
        write(words, to + COPY.USED, used)
        // The window has not begun.
        if (used === 0 && this.settings.kind === FIXED) setDouble(words, to + COPY.TIME, -this.settings.per)
      }
      return 0
    })
  }

  /** How many permits could be taken now. */
  available(now: number): number {
    let available = 0
    this.#alone((from) => {
      const { kind, permits, burst } = this.settings
      const time = this.#since(now)
      if (kind === BUCKET) {
        const debt = Math.max(doubleAt(this.#words, from + COPY.TIME) - time, 0)
        available = Math.max(Math.floor(burst - (debt - ROUNDING) / this.#cost), 0)
        available = Math.min(available, burst)
      } else if (kind === FIXED)
        available = this.#isOver(from, time) ? permits : permits - read(this.#words, from + COPY.USED)
      else available = permits - (read(this.#words, from + COPY.USED) - this.#expired(from, time))
      return -1
    })
    return available
  }

  /** Clocks of threads may differ by a moment: for a thread whose clock is behind, the limiter has just been made. */
  #since(now: number): number {
    return Math.max(now - this.#epoch, 0)
  }

  #takeFromBucket(permits: number, time: number, from: number, to: number): number {
    const full = Math.max(doubleAt(this.#words, from + COPY.TIME), time) + permits * this.#cost
    const left = full - this.settings.burst * this.#cost - time
    if (left > ROUNDING) return left
    setDouble(this.#words, to + COPY.TIME, full)
    return 0
  }

  #isOver(from: number, time: number): boolean {
    return time - doubleAt(this.#words, from + COPY.TIME) >= this.settings.per - ROUNDING
  }

  #takeFromWindow(permits: number, time: number, from: number, to: number): number {
    const words = this.#words
    const isOver = this.#isOver(from, time)
    const start = isOver ? time : doubleAt(words, from + COPY.TIME)
    const used = (isOver ? 0 : read(words, from + COPY.USED)) + permits
    if (used > this.settings.permits) return Math.max(start + this.settings.per - time, ROUNDING)
    setDouble(words, to + COPY.TIME, start)
    write(words, to + COPY.USED, used)
    return 0
  }

  #cell(index: number): number {
    return RATE.RING + 2 * (index % (2 * this.settings.permits))
  }

  /** How many of the permits in the ring were taken too long ago to count. */
  #expired(from: number, time: number): number {
    const words = this.#words
    const head = read(words, from + COPY.HEAD)
    const used = read(words, from + COPY.USED)
    let expired = 0
    while (expired < used && time - doubleAt(words, this.#cell(head + expired)) >= this.settings.per - ROUNDING)
      expired++
    return expired
  }

  #takeFromRing(permits: number, time: number, from: number, to: number): number {
    const words = this.#words
    const head = read(words, from + COPY.HEAD)
    const used = read(words, from + COPY.USED)
    const expired = this.#expired(from, time)
    const surplus = used - expired + permits - this.settings.permits
    if (surplus > 0) {
      const oldest = doubleAt(words, this.#cell(head + expired + surplus - 1))
      return Math.max(oldest + this.settings.per - time, ROUNDING)
    }
    for (let i = 0; i < permits; i++) setDouble(words, this.#cell(head + used + i), time)
    write(words, to + COPY.HEAD, (head + expired) % (2 * this.settings.permits))
    write(words, to + COPY.USED, used - expired + permits)
    return 0
  }

  /**
   * Runs `change` as the only thread, with where the figures are and where to write the new ones. The new ones hold if
   * it returns 0.
   */
  #alone(change: (from: number, to: number) => number): number {
    const words = this.#words
    while (!this.#tryGuard()) pause()
    const shown = load(words, RATE.SHOWN)
    const result = change(RATE.COPIES + shown * COPY.SIZE, RATE.COPIES + (1 - shown) * COPY.SIZE)
    if (result === 0) store(words, RATE.SHOWN, 1 - shown)
    store(words, RATE.GUARD, 0)
    return result
  }

  #tryGuard(): boolean {
    const { registry, token } = this.#threadContext
    const holder = load(this.#words, RATE.GUARD)
    return (holder === 0 || !registry.isAlive(holder)) && compareAndSet(this.#words, RATE.GUARD, holder, token)
  }
}

function copy(words: Int32Array, from: number, to: number): void {
  for (let i = 0; i < COPY.SIZE; i++) write(words, to + i, read(words, from + i))
}

function doubleAt(words: Int32Array, index: number): number {
  halves[0] = read(words, index)
  halves[1] = read(words, index + 1)
  return double[0] as number
}

function setDouble(words: Int32Array, index: number, value: number): void {
  double[0] = value
  write(words, index, halves[0] as number)
  write(words, index + 1, halves[1] as number)
}
