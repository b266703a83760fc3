/**
 * The monotonic clock and one-shot timers that keep their promise: never early, and true for any
 * delay, also beyond the 2³¹−1 ms at which `setTimeout` fires at once.
 */
import { runtime } from "./runtime.ts"

/** Beyond this `setTimeout` overflows; a longer delay is slept in legs of this length. */
const LONGEST_LEG = 2 ** 31 - 1

/** How often the clocks are read to find out how they differ. It takes some 20 µs. */
const READINGS = 20

/** Milliseconds since some fixed moment, with fractions; unaffected by changes of the wall clock. */
export function now(): number {
  return runtime.now()
}

/** A clock that all threads read alike, in ms. Each has a clock of its own that began with it, and knows when that was. */
export function sharedNow(): number {
  return ORIGIN + now()
}

/** A moment on the clock of {@link sharedNow}, on that of {@link now} in this thread; and the other way round. */
export function fromShared(time: number): number {
  return time - ORIGIN
}

export function toShared(time: number): number {
  return time + ORIGIN
}

/**
 * When the clock of this thread began, on a clock that all have. The monotonic clock of the process is one, in Node; elsewhere
 * each thread has only been told what the wall clock showed then, which somebody may have set meanwhile.
 */
const ORIGIN: number = isNode() ? monotonicOrigin() : runtime.timeOrigin

export function isNode(): boolean {
  const { versions } = process
  return versions["bun"] === undefined && versions["deno"] === undefined
}

/**
 * Two clocks cannot be read at once. So the one is read before and after the other: that falls somewhere between, and the closer
 * the two are the less is left to guess. The first readings are slow, with code that has yet to be loaded and compiled.
 */
function monotonicOrigin(): number {
  let origin = 0
  for (let i = 0, least = Infinity; i < READINGS; i++) {
    const before = runtime.now()
    const time = runtime.processTime()
    const after = runtime.now()
    if (after - before >= least) continue
    least = after - before
    origin = time - (before + after) / 2
  }
  return origin
}

/**
 * Calls `fire` once, not before `delay` ms have passed. `delay` may be `Infinity`: it then never fires and costs
 * nothing.
 *
 * A timer keeps the process alive unless `background` is set: an idle worker's keep-alive must
 * not, a program's own timed wait must.
 */
export class Timer {
  readonly #due: number
  readonly #fire: () => void
  readonly #background: boolean
  #handle: NodeJS.Timeout | undefined

  constructor(delay: number, background: boolean, fire: () => void) {
    this.#due = now() + delay
    this.#fire = fire
    this.#background = background
    if (delay !== Infinity) this.#sleep(delay)
  }

  /** One that nobody is going to cancel, and that keeps nothing alive. */
  static after(delay: number, fire: () => void): void {
    void new Timer(delay, true, fire)
  }

  cancel(): void {
    runtime.stopTimeout(this.#handle)
  }

  #sleep(delay: number): void {
    // setTimeout rounds down and counts from the loop's cached time, so it may fire up to a
    // millisecond early; rounding up makes a second leg rare.
    this.#handle = runtime.startTimeout(() => this.#wake(), Math.min(Math.ceil(delay), LONGEST_LEG))
    if (this.#background) this.#handle.unref()
  }

  #wake(): void {
    const left = this.#due - now()
    if (left > 0) this.#sleep(left)
    else this.#fire()
  }
}
