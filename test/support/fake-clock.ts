/**
 * A clock that stands still until the test moves it. While it is there, `performance.now`, `setTimeout` and
 * `clearTimeout` are its own, those of the program and those that corepool has taken; so it proves what would take weeks (a delay beyond 2³¹ ms) or luck (a timer that fires
 * early).
 *
 *     using clock = new FakeClock()
 *     const waiting = task.get(100)
 *     clock.advance(100)
 */
import { runtime } from "#host/runtime/clock"

interface FakeTimer {
  readonly due: number
  readonly fire: () => void
  background: boolean
}

export class FakeClock implements Disposable {
  readonly #real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
  readonly #taken = { ...runtime }
  /** Inherited, and then undefined here, or the object's own: runtimes differ. */
  readonly #realNow = Object.getOwnPropertyDescriptor(performance, "now")
  readonly #timers = new Map<object, FakeTimer>()
  /** The delays that were asked of `setTimeout`, in order. */
  readonly delays: number[] = []
  #now = 1000
  readonly #early: number

  /** Timers fire `early` ms before their time, as real ones may. */
  constructor({ early = 0 } = {}) {
    this.#early = early
    Object.defineProperty(performance, "now", { value: () => this.#now, configurable: true })
    globalThis.setTimeout = ((fire: () => void, delay: number) => this.#set(fire, delay)) as typeof setTimeout
    globalThis.clearTimeout = ((handle: object | undefined) => this.#clear(handle)) as typeof clearTimeout
    runtime.now = () => this.#now
    runtime.sharedNow = () => runtime.origin + this.#now
    runtime.startTimeout = globalThis.setTimeout
    runtime.stopTimeout = globalThis.clearTimeout
  }

  /** How many timers are ticking. */
  get ticking(): number {
    return this.#timers.size
  }

  /** How many of them keep the process alive. */
  get foreground(): number {
    return [...this.#timers.values()].filter(({ background }) => !background).length
  }

  get now(): number {
    return this.#now
  }

  /** Lets time pass; timers fire in their order, each at its time. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const next = [...this.#timers].toSorted(([, a], [, b]) => a.due - b.due)[0]
      if (next === undefined || next[1].due > end) break
      this.#timers.delete(next[0])
      this.#now = Math.max(this.#now, next[1].due)
      next[1].fire()
    }
    this.#now = end
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, this.#real)
    Object.assign(runtime, this.#taken)
    Reflect.deleteProperty(performance, "now")
    if (this.#realNow !== undefined) Object.defineProperty(performance, "now", this.#realNow)
  }

  #set(fire: () => void, delay: number): object {
    this.delays.push(delay)
    // As the real one does: out of range means 1 ms.
    const ms = delay >= 1 && delay <= 2 ** 31 - 1 ? Math.trunc(delay) : 1
    const timer: FakeTimer = { due: this.#now + Math.max(ms - this.#early, 0), fire, background: false }
    const handle = { unref: () => (timer.background = true) }
    this.#timers.set(handle, timer)
    return handle
  }

  #clear(handle: object | undefined): void {
    // A real one was set before this clock was made, by a connection, say, and would fire after its time.
    const { clearTimeout } = this.#real // a browser's is no method of another object
    if (handle !== undefined && !this.#timers.delete(handle)) clearTimeout(handle as NodeJS.Timeout)
  }
}
