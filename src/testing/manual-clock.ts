import { rangeError, requireDuration, requireOptions, typeError } from "../checks.ts"
import { IllegalStateError } from "../errors.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../inspection.ts"
import { LOCAL } from "../memory/shared/shareables.ts"
import { awaiting, type Steps, WaitList } from "../memory/flow/waiting.ts"
import type { Clock, ClockTimer } from "../time/clock.ts"
import { runtime } from "#host/runtime/clock"

/** Settings of a `ManualClock`. */
export interface ManualClockOptions {
  /** The time of day at which it begins; default the first moment of the year 2000, UTC. */
  readonly startAt?: Date | number
}

interface ManualTimer {
  readonly time: number
  readonly background: boolean
  readonly fire: () => void
}

/** After so many turns of the event loop in which no executor uses the clock, all is at rest. */
const QUIET_TURNS = 10

/** After so many turns without rest the clock gives up. */
const MOST_TURNS = 2000

/**
 * A clock that stands still until the test moves it: a test of scheduled tasks takes no time and has one outcome.
 *
 * While time moves, all that becomes due runs, in order, each at its own moment: a task that is due in the middle of an
 * advance sees `clock.now` in the middle. Time moves on only when all that was started has come to rest, promises and
 * turns of the event loop included. The clock does not wait for what takes real time: a timer of the runtime, a file, a
 * request. A task that should last some time sleeps by the clock, with `clock.sleep(ms)`.
 *
 * Only schedules follow the clock. Time limits of waits, as of `get(timeout)`, `Thread.sleep` and the keep-alive time
 * of idle threads go by real time. Waiting for the clock does not keep the program alive.
 *
 * @example
 * ```ts
 * import { ScheduledThreadPoolExecutor, virtualThreads } from "corepool"
 * import { ManualClock } from "corepool/testing"
 *
 * const clock = new ManualClock({ startAt: new Date("2026-03-29T00:00:00Z") })
 * await using pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads(), clock })
 * let samples = 0
 * pool.scheduleAtFixedRate(() => samples++, 0, 60_000)
 * await clock.advance(3_600_000)
 * console.log(samples) // => 61
 * ```
 */
export class ManualClock implements Clock {
  /** In the order in which they were set, which decides between timers of the same time. */
  readonly #timers = new Set<ManualTimer>()
  #now = 0
  /** How far the time of day is ahead of `now`. */
  #ahead: number
  #moving = false
  /** Grows whenever an executor uses the clock, as it does for everything that it schedules, runs or has run. */
  #uses = 0
  /** Turns of the event loop since time has last moved, or since the last call that moves it. */
  #turns = 0

  /** Stands at `startAt`. */
  constructor(options: ManualClockOptions = {}) {
    const { startAt } = requireOptions("options", options, { startAt: true })
    this.#ahead = startAt === undefined ? Date.UTC(2000, 0) : momentOf("startAt", startAt)
  }

  /** @internal */
  get [LOCAL](): string {
    return "belongs to the thread that made it"
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    return { now: this.#now, date: this.date, pending: this.pending }
  }

  // ------------------------------------------------------------------ looking

  /** Milliseconds that were advanced since the clock was made. */
  get now(): number {
    return this.#now
  }

  /** The time of day. */
  get date(): Date {
    return new Date(this.#now + this.#ahead)
  }

  /**
   * How many waits there are: one for each executor with runs ahead, however many, and one for each sleeper. Executors
   * set their timers at the end of a turn: call `await clock.advance(0)` before you look.
   */
  get pending(): number {
    return [...this.#timers].filter(({ background }) => !background).length
  }

  /** When the first of these is due, by `now`; undefined if there is none. */
  get nextTime(): number | undefined {
    return this.#first(false)?.time
  }

  // ------------------------------------------------------------------ moving

  /** Lets so many milliseconds pass, and runs all that becomes due. With 0, what is due now. */
  async advance(ms: number): Promise<void> {
    const demand = "a finite number of milliseconds ≥ 0"
    if (typeof ms !== "number") throw typeError("ms", demand, ms)
    if (!Number.isFinite(ms) || ms < 0) throw rangeError("ms", demand, ms)
    await this.#during(() => this.#moveTo(this.#now + ms))
  }

  /** The same, up to this time of day or this value of `now`. */
  async advanceTo(moment: Date | number): Promise<void> {
    const time = momentOf("moment", moment)
    const end = typeof moment === "number" ? time : time - this.#ahead
    if (end < this.#now) throw rangeError("moment", `no earlier than now (${this.#describe(moment)})`, moment)
    await this.#during(() => this.#moveTo(end))
  }

  /**
   * Moves to the next moment for which there is a wait, and runs all that is due then; false if there is none. A
   * cancelled task that is still in the queue in front of others counts as a wait, too.
   */
  async runNext(): Promise<boolean> {
    return await this.#during(async () => {
      await this.#rest()
      for (;;) {
        const time = this.nextTime
        if (time === undefined) return false
        if (await this.#moveTo(time)) return true
      }
    })
  }

  /** Sets the time of day, as an administrator may do with a real clock. No time passes by that. */
  setWallTime(moment: Date | number): void {
    this.#ahead = momentOf("moment", moment) - this.#now
  }

  // ------------------------------------------------------------------ waiting

  /**
   * Settles when so much time has passed; `Infinity` is never. Like `Thread.sleep` it rejects with InterruptedError if
   * the thread is interrupted, and with the signal's reason if that is aborted.
   */
  sleep(ms: number, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    return awaiting(this.#sleeping(ms, options), options)
  }

  *#sleeping(ms: number, options: { readonly signal?: AbortSignal }): Steps<void> {
    requireOptions("options", options, { signal: true })
    const bed = new WaitList()
    const timer = this.timer(this.#now + requireDuration("ms", ms), false, () => bed.signal())
    try {
      yield bed
    } finally {
      timer.cancel()
    }
  }

  // ------------------------------------------------------------------ for executors

  /** The same as `now`, but counts as a use: time does not move on while executors call this. */
  time(): number {
    this.#uses++
    return this.#now
  }

  wallTime(): number {
    this.#uses++
    return this.#now + this.#ahead
  }

  timer(time: number, background: boolean, fire: () => void): ClockTimer {
    this.#uses++
    const timer = { time, background, fire }
    if (time !== Infinity) this.#timers.add(timer)
    return {
      cancel: () => {
        this.#uses++
        this.#timers.delete(timer)
      },
    }
  }

  // ------------------------------------------------------------------ inside

  async #during<T>(move: () => Promise<T>): Promise<T> {
    if (this.#moving) {
      throw new IllegalStateError(
        "The clock is being moved. Await each call before the next; a task that wants time to pass uses clock.sleep()",
      )
    }
    this.#moving = true
    this.#turns = 0
    try {
      return await move()
    } finally {
      this.#moving = false
    }
  }

  /** True if a timer that is not a background one has fired. */
  async #moveTo(end: number): Promise<boolean> {
    let served = false
    for (;;) {
      await this.#rest()
      const timer = this.#first(true)
      if (timer === undefined || timer.time > end) break
      this.#set(timer.time)
      this.#timers.delete(timer)
      served ||= !timer.background
      timer.fire()
    }
    this.#set(end)
    return served
  }

  #set(time: number): void {
    if (time <= this.#now) return // the timer was due when it was set
    this.#now = time
    this.#turns = 0
  }

  #first(background: boolean): ManualTimer | undefined {
    let first: ManualTimer | undefined
    for (const timer of this.#timers) {
      if ((background || !timer.background) && !(timer.time >= (first?.time ?? Infinity))) first = timer
    }
    return first
  }

  /** Lets the event loop turn until no executor uses the clock any more. */
  async #rest(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; this.#turns++) {
      if (this.#turns > MOST_TURNS) {
        throw new IllegalStateError(
          `Tasks go on and on at ${this.#describe(this.#now)}, and no time passes: does a task schedule itself without a delay?`,
        )
      }
      const before = this.#uses
      await new Promise<void>((resolve) => runtime.afterTurn(resolve))
      quiet = this.#uses === before ? quiet + 1 : 0
    }
  }

  #describe(moment: Date | number): string {
    return typeof moment === "number" ? `${this.#now} ms` : this.date.toISOString()
  }
}

function momentOf(name: string, moment: unknown): number {
  const demand = "a Date or a number of milliseconds"
  if (typeof moment !== "number" && !(moment instanceof Date)) throw typeError(name, demand, moment)
  const time = Number(moment)
  if (!Number.isFinite(time)) throw rangeError(name, `${demand} that is valid`, moment)
  return time
}
