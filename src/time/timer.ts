/**
 * The monotonic clock and one-shot timers that keep their promise: never early, and true for any
 * delay, also beyond the 2³¹−1 ms at which `setTimeout` fires at once.
 */

/** Beyond this `setTimeout` overflows; a longer delay is slept in legs of this length. */
const LONGEST_LEG = 2 ** 31 - 1

/** Milliseconds since some fixed moment, with fractions; unaffected by changes of the wall clock. */
export function now(): number {
  return performance.now()
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
const ORIGIN: number = isNode() ? monotonicOrigin() : performance.timeOrigin

function isNode(): boolean {
  const { versions } = process
  return versions["bun"] === undefined && versions["deno"] === undefined
}

/** Both clocks are read, one after the other; the least difference of a few is the truest. */
function monotonicOrigin(): number {
  let least = Infinity
  for (let i = 0; i < 5; i++) least = Math.min(least, Number(process.hrtime.bigint()) / 1e6 - performance.now())
  return least
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

  cancel(): void {
    clearTimeout(this.#handle)
  }

  #sleep(delay: number): void {
    // setTimeout rounds down and counts from the loop's cached time, so it may fire up to a
    // millisecond early; rounding up makes a second leg rare.
    this.#handle = setTimeout(() => this.#wake(), Math.min(Math.ceil(delay), LONGEST_LEG))
    if (this.#background) this.#handle.unref()
  }

  #wake(): void {
    const left = this.#due - now()
    if (left > 0) this.#sleep(left)
    else this.#fire()
  }
}
