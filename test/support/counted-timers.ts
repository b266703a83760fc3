/**
 * Counts the timers that tick. They are real ones: unlike FakeClock this changes nothing else, and unlike
 * `process.getActiveResourcesInfo` it works on every runtime.
 *
 *     using timers = new CountedTimers()
 *     …
 *     assert.equal(timers.ticking, 0)
 */
import { runtime } from "#host/runtime/clock"

export class CountedTimers implements Disposable {
  readonly #real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
  readonly #taken = { ...runtime }
  readonly #ticking = new Set<unknown>()

  constructor() {
    globalThis.setTimeout = ((fire: () => void, delay: number) => this.#set(fire, delay)) as typeof setTimeout
    globalThis.clearTimeout = ((handle: NodeJS.Timeout | undefined) => this.#clear(handle)) as typeof clearTimeout
    runtime.startTimeout = globalThis.setTimeout
    runtime.stopTimeout = globalThis.clearTimeout
  }

  /** How many were set after this was made, and neither fired nor were cleared. */
  get ticking(): number {
    return this.#ticking.size
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, this.#real)
    Object.assign(runtime, this.#taken)
  }

  #set(fire: () => void, delay: number): NodeJS.Timeout {
    const handle = this.#real.setTimeout(() => {
      this.#ticking.delete(handle)
      fire()
    }, delay)
    this.#ticking.add(handle)
    return handle
  }

  #clear(handle: NodeJS.Timeout | undefined): void {
    this.#ticking.delete(handle)
    this.#real.clearTimeout(handle)
  }
}
