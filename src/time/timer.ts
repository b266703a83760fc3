/**
 * The monotonic clock, and one-shot timers that are never early and work for any delay, also beyond the 2³¹−1 ms at
 * which `setTimeout` fires at once.
 */
import { runtime, type Timeout } from "#host/runtime/clock"

/** Beyond this `setTimeout` overflows; a longer delay is slept in legs of this length. */
const LONGEST_LEG = 2 ** 31 - 1

/** Milliseconds since some fixed moment, with fractions; unaffected by changes of the wall clock. */
export function now(): number {
  return runtime.now()
}

/** Fires timers that are due while the thread blocks: the runtime fires none then. */
export interface TimerKeeper {
  add(timer: Timer): void
  delete(timer: Timer): void
}

/**
 * Calls `fire` once, not before `delay` ms have passed. `delay` may be `Infinity`: it then never fires and costs
 * nothing.
 *
 * A timer keeps the process alive unless `background` is set: the keep-alive of an idle worker must not, a program's
 * own timed wait must.
 */
export class Timer {
  readonly #due: number
  readonly #fire: () => void
  readonly #background: boolean
  #handle: Timeout | undefined
  #keeper: TimerKeeper | undefined

  constructor(delay: number, background: boolean, fire: () => void) {
    this.#due = now() + delay
    this.#fire = fire
    this.#background = background
    if (delay !== Infinity) this.#sleep(delay)
  }

  /** A timer that is never cancelled, and that does not keep the process alive. */
  static after(delay: number, fire: () => void): void {
    void new Timer(delay, true, fire)
  }

  cancel(): void {
    runtime.stopTimeout(this.#handle)
    this.#handle = undefined
    this.#keeper?.delete(this)
  }

  /** From now on the timer fires on time also while the thread blocks. */
  keepBy(keeper: TimerKeeper): void {
    if (this.#handle === undefined) return
    this.#keeper = keeper
    keeper.add(this)
  }

  /** For the keeper: when the timer is due, in ms from now. */
  get dueIn(): number {
    return this.#due - now()
  }

  /** For the keeper: fires the timer now. */
  run(): void {
    this.cancel()
    this.#fire()
  }

  #sleep(delay: number): void {
    // setTimeout rounds down and counts from the loop's cached time, so it may fire up to a
    // millisecond early; rounding up makes a second leg rare.
    this.#handle = runtime.startTimeout(() => this.#wake(), Math.min(Math.ceil(delay), LONGEST_LEG))
    if (this.#background) this.#handle.unref()
  }

  #wake(): void {
    const left = this.dueIn
    if (left > 0) this.#sleep(left)
    else this.run()
  }
}
