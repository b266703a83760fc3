import {
  rangeError,
  requireInteger,
  requireOptions,
  requirePositiveDuration,
  requireTimeout,
  typeError,
} from "../checks.ts"
import { GIVE_BACK, PACE } from "../memory/flow/internals.ts"
import { IllegalStateError, NotSerializableError, TimeoutError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { currentFlow, type Flow } from "../memory/flow/flow.ts"
import {
  awaiting,
  blocking,
  type Steps,
  TIMEOUT,
  timeoutUnlessAborted,
  type WaitOptions,
} from "../memory/flow/waiting.ts"
import { Shareable, type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"
import { ACQUIRED_SHARED, CANCELLED } from "../memory/thread/node-pool.ts"
import type { WaitNode } from "../memory/wait/wait-node.ts"
import { QUEUE, SHARED, WaitQueue } from "../memory/wait/wait-queue.ts"
import { type Clock, requireClock, systemClock } from "../time/clock.ts"
import { sharedNow } from "../time/shared-clock.ts"
import { type Pace, type PacedPool, Pacing } from "./pacing.ts"
import { BUCKET, FIXED, type RateSettings, RateWords, SLIDING } from "./rate-words.ts"

/** Settings of a `RateLimiter`. */
export interface RateLimiterOptions {
  /** How many permits there are in `per` ms. */
  readonly permits: number
  /** That time, in ms. */
  readonly per: number
  /** How many permits can be saved up while none are taken; default `permits`. Not with `window`. */
  readonly burst?: number
  /**
   * `"fixed"`: at most `permits` in each window of `per` ms; a window begins with the first permit after the last one
   * is over. `"sliding"`: at most `permits` in any `per` ms. Without it permits come back one by one, evenly.
   */
  readonly window?: "fixed" | "sliding"
  /** Where it takes the time from: a `ManualClock` in tests. Such a limiter cannot be sent to other threads. */
  readonly clock?: Clock
}

/** A sliding window remembers each permit. */
const MOST_REMEMBERED = 2 ** 20

/**
 * Permits that come back with time: so it limits how often tasks do something, in one thread or in many.
 *
 * By default it is a bucket: it holds up to `burst` permits, is full at first, and gets `permits` more in every `per`
 * ms, one by one. With `window: "fixed"` all `permits` come back at once when the window is over, so that twice as many
 * can be taken around the end of a window. With `window: "sliding"` at most `permits` are taken in any `per` ms.
 *
 * Tasks that wait stand in line, and are served in order; neither `acquire` nor `tryAcquire` overtakes them. A request
 * for several permits gets them all at once, and holds up smaller ones behind it.
 *
 * **Death.** Permits that a thread has taken are used, whatever becomes of it. A thread that dies while it waits leaves
 * the line, and one that dies while it takes permits has either taken them or not.
 *
 * **Memory effects.** None are promised: use a lock to pass on data.
 *
 * @example
 * ```ts
 * import { RateLimiter } from "corepool"
 *
 * const requests = new RateLimiter({ permits: 10, per: 1000 }) // ten a second
 * await requests.acquire()
 * console.log(requests.rate) // => 10
 * console.log(requests.tryAcquire(10)) // => false
 * ```
 */
export class RateLimiter extends Shareable {
  readonly #queue: WaitQueue
  readonly #rate: RateWords
  readonly #clock: Clock | undefined

  /**
   * @throws TypeError for an option that does not exist or is of the wrong kind, `RangeError` for a number out of
   * range.
   */
  constructor(options: RateLimiterOptions)
  /** @internal */
  constructor(options: RateLimiterOptions | SharedMemory)
  constructor(options: RateLimiterOptions | SharedMemory) {
    const [memory, clock] = options instanceof SharedMemory ? [options] : create(options)
    super("RateLimiter", memory)
    this.#queue = new WaitQueue(memory.threadContext, memory.words, 0, memory)
    this.#rate = new RateWords(memory.words, memory.threadContext)
    this.#clock = clock
    if (clock !== undefined) memory.handleAs = refuseToBeSent
  }

  /** The same limiter that another thread has posted. */
  static from(shared: Shared): RateLimiter {
    return new RateLimiter(SharedMemory.open("RateLimiter", shared))
  }

  // ------------------------------------------------------------------ acquiring

  /**
   * Waits for that many permits, and takes them. With a time limit: `TimeoutError` if it is over before. An interrupt
   * ends the wait with `InterruptedError`. A wait that was given up takes no permit.
   */
  async acquire(permits: number = 1, wait?: WaitOptions): Promise<void> {
    this.#require(permits)
    const timeout = timeoutUnlessAborted(wait)
    const flow = currentFlow()
    flow.throwIfInterrupted()
    if (this.tryAcquire(permits)) return
    if (
      timeout > 0 &&
      (await awaiting(this.#acquiring(permits, flow, this.#clock ?? systemClock), wait, "RateLimiter", this))
    )
      return
    throw this.#late(timeout)
  }

  /** Blocks the thread until it has that many; with a time limit, `TimeoutError` if it is over before. */
  acquireSync(permits: number = 1, ms: number = Infinity): void {
    this.#require(permits)
    requireTimeout("ms", ms)
    const flow = currentFlow()
    flow.throwIfInterrupted()
    if (this.tryAcquire(permits)) return
    if (ms > 0) {
      if (this.#clock !== undefined && ms === Infinity) {
        throw new IllegalStateError("The clock of this limiter stands still while the thread is blocked: use acquire()")
      }
      if (blocking(this.#acquiring(permits, flow), ms, "RateLimiter")) return
    }
    throw this.#late(ms)
  }

  /** Takes that many if they are there now and no task waits for any. */
  tryAcquire(permits: number = 1): boolean {
    this.#require(permits)
    return this.#queue.isEmpty && this.#rate.take(permits, this.#now()) === 0
  }

  // ------------------------------------------------------------------ asking

  /** How many permits there are in a second. */
  get rate(): number {
    return (this.permits * 1000) / this.per
  }

  /** How many permits there are in {@link per} ms. */
  get permits(): number {
    return this.#rate.settings.permits
  }

  /** The time in which there are {@link permits}, in ms. */
  get per(): number {
    return this.#rate.settings.per
  }

  /** The most permits that can be taken at once. */
  get burst(): number {
    return this.#rate.settings.burst
  }

  /** How it counts; undefined if it is a bucket. */
  get window(): "fixed" | "sliding" | undefined {
    const { kind } = this.#rate.settings
    return kind === BUCKET ? undefined : kind === FIXED ? "fixed" : "sliding"
  }

  /** How many permits there are now. */
  get availablePermits(): number {
    return this.#rate.available(this.#now())
  }

  /** Whether any task waits. */
  get hasQueuedThreads(): boolean {
    return !this.#queue.isEmpty
  }

  /** How many tasks wait; an estimate while they come and go. */
  get queueLength(): number {
    return this.#queue.length
  }

  /** @internal */
  override get [FACTS](): Facts {
    const { permits, per, availablePermits, queueLength } = this
    return { permits, per, availablePermits, queueLength }
  }

  /** Its rate. */
  override toString(): string {
    return `${identityOf(this)}[${this.permits} in ${this.per} ms]`
  }

  // ------------------------------------------------------------------ inside

  /** @internal How the workers of a pool get their tasks; see pacing.ts. `turn` is their line, if threads share it. */
  [PACE]<R>(pool: PacedPool<R>, turn?: WaitQueue): Pacing<R> {
    const clock = turn === undefined ? (this.#clock ?? systemClock) : undefined
    const pace: Pace = { passing: (flow) => this.#passing(flow, clock), giveBack: () => this[GIVE_BACK]() }
    return new Pacing(pool, pace, turn ?? newLine())
  }

  *#passing(flow: Flow, clock: Clock | undefined): Steps<void> {
    if (!this.tryAcquire()) yield* this.#acquiring(1, flow, clock, false)
  }

  /** @internal The last permit was not used. */
  [GIVE_BACK](): void {
    this.#rate.giveBack(1, this.#now())
    this.#queue.wakeFirst()
  }

  /**
   * The first in line sleeps until its permits are there. The others sleep until they are first: a flow that leaves
   * wakes the next.
   */
  *#acquiring(permits: number, flow: Flow, clock?: Clock, isLimited = true): Steps<boolean> {
    const node = this.#queue.enter(flow, SHARED, true)
    node.limited = isLimited
    let how: number = CANCELLED
    try {
      for (;;) {
        // A flow that is woken though not the first was woken by a death: the queue may need a pass.
        if (!this.#queue.isFirst(node)) this.#queue.tend()
        const left = this.#queue.isFirst(node) ? this.#rate.take(permits, this.#now()) : Infinity
        if (left === 0) {
          how = ACQUIRED_SHARED
          return true
        }
        if ((yield* this.#sleeping(node, left, clock)) === TIMEOUT) return false
      }
    } finally {
      this.#queue.leave(node, how)
    }
  }

  /**
   * A flow that awaits is woken as any other is: should it leave the line inside the call of its timer, then the flow
   * behind it, which it wakes, would go on before it.
   */
  *#sleeping(node: WaitNode, ms: number, clock: Clock | undefined): Steps<unknown> {
    if (ms === Infinity) return yield node
    if (clock === undefined) return yield { list: node, atMost: ms }
    const timer = clock.timer(clock.time() + ms, false, () => this.#queue.wakeFirst())
    try {
      return yield node
    } finally {
      timer.cancel()
    }
  }

  #now(): number {
    return this.#clock === undefined ? sharedNow() : this.#clock.time()
  }

  #require(permits: number): void {
    const { burst } = this.#rate.settings
    if (requireInteger("permits", permits, 1) > burst) throw rangeError("permits", `at most ${burst}`, permits)
  }

  #late(ms: number): TimeoutError {
    return new TimeoutError(`Did not acquire ${identityOf(this)} within ${ms} ms`)
  }
}

/** The line of the workers of a pool whose threads are flows of this event loop. */
function newLine(): WaitQueue {
  const memory = SharedMemory.allocate(QUEUE.SIZE)
  return new WaitQueue(memory.threadContext, memory.words, 0, memory)
}

function refuseToBeSent(): never {
  throw new NotSerializableError("A RateLimiter with a clock of its own belongs to the thread that made it")
}

function create(given: RateLimiterOptions): [SharedMemory, Clock?] {
  const known = { permits: true, per: true, burst: true, window: true, clock: true } as const
  const options = requireOptions("options", given, known, "an object with permits and per")
  const { window, clock } = options
  if (window !== undefined && window !== "fixed" && window !== "sliding") {
    throw typeError("window", '"fixed" or "sliding"', window)
  }
  const kind = window === undefined ? BUCKET : window === "fixed" ? FIXED : SLIDING
  const permits = requireInteger("permits", options.permits, 1)
  if (kind === SLIDING && permits > MOST_REMEMBERED) {
    throw rangeError("permits", `at most ${MOST_REMEMBERED} for a sliding window`, permits)
  }
  const per = requirePositiveDuration("per", options.per)
  if (per === Infinity) throw rangeError("per", "a finite number of milliseconds", per)
  if (options.burst !== undefined && kind !== BUCKET) {
    throw typeError("burst", "undefined beside `window`, which has `permits` at once", options.burst)
  }
  const burst = options.burst === undefined ? permits : requireInteger("burst", options.burst, 1)
  if (clock !== undefined) requireClock("clock", clock)
  const settings: RateSettings = { kind, permits, per, burst }
  const memory = SharedMemory.allocate(RateWords.wordsFor(settings))
  RateWords.prepare(memory.words, settings, clock === undefined ? sharedNow() : clock.time())
  return clock === undefined ? [memory] : [memory, clock]
}
