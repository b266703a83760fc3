import { runtime, type Timeout } from "#host/runtime/clock"
import { OwnSet } from "../../primordials.ts"

/** The longest interval that timers can have; the callback does nothing. */
const LONG = 2 ** 31 - 1

/**
 * Keeps the process alive while something is pending. A listener on shared memory does not keep it alive on any
 * runtime: a program that awaits a lock held by another thread would simply end.
 */
export class KeepAlive {
  readonly #reasons = new OwnSet<object>()
  /** One timer for all reasons and all times: `ref` and `unref` are much cheaper than a new timer. */
  #handle: Timeout | undefined
  /** At the end of the present job: a program that waits for one thing after the other need not change the timer. */
  #isLettingGo = false
  readonly #letGo = (): void => {
    this.#isLettingGo = false
    if (this.#reasons.size === 0) this.#handle?.unref()
  }

  hold(reason: object): void {
    this.#reasons.add(reason)
    if (this.#reasons.size > 1) return
    this.#handle ??= runtime.startInterval(() => undefined, LONG)
    this.#handle.ref()
  }

  release(reason: object): void {
    if (!this.#reasons.delete(reason) || this.#reasons.size > 0 || this.#isLettingGo) return
    this.#isLettingGo = true
    runtime.microtask(this.#letGo)
  }
}
