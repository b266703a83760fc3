import { programTimers } from "#host/runtime/clock"
import { requireTimeout, typeError } from "../../checks.ts"
import {
  ACQUIRE,
  Mutex,
  type MutexInterface,
  type MutexReleaser,
  requireWeight,
  Semaphore,
  type SemaphoreInterface,
  UNLOCKED,
} from "./mutex.ts"

/** What `withTimeout` rejects with when the time is up. */
export const E_TIMEOUT: Error = /* @__PURE__ */ new Error("timeout while waiting for mutex to become available")
/** What `tryAcquire` rejects with if it would have to wait. */
export const E_ALREADY_LOCKED: Error = /* @__PURE__ */ new Error("mutex already locked")

type Ticket = MutexReleaser | [number, MutexReleaser]

interface Limited {
  [ACQUIRE](weight: number, priority: number, signal: AbortSignal | undefined): Promise<Ticket>
  [UNLOCKED](weight: number, priority: number, signal: AbortSignal | undefined): Promise<void>
}

/** A mutex or a semaphore whose waits end after a time. The timers are the program's: fake timers of a test move it. */
class TimeLimited implements Limited {
  readonly #sync: (Mutex | Semaphore | TimeLimited) & Limited
  readonly #ms: number
  readonly #error: unknown
  readonly #isWeighted: boolean

  constructor(sync: Mutex | Semaphore | TimeLimited, ms: number, error: unknown) {
    this.#sync = sync
    this.#ms = ms
    this.#error = error
    this.#isWeighted = isWeighted(sync)
  }

  get isWeighted(): boolean {
    return this.#isWeighted
  }

  acquire(...given: (number | undefined)[]): Promise<Ticket> {
    const [weight, priority] = this.#arguments(given)
    return this[ACQUIRE](requireWeight(weight), priority, undefined)
  }

  async runExclusive<T>(
    callback: (value?: number) => PromiseLike<T> | T,
    ...given: (number | undefined)[]
  ): Promise<T> {
    const ticket = await this.acquire(...given)
    const [value, release] = typeof ticket === "function" ? [undefined, ticket] : ticket
    try {
      return await (value === undefined ? callback() : callback(value))
    } finally {
      release()
    }
  }

  waitForUnlock(...given: (number | undefined)[]): Promise<void> {
    const [weight, priority] = this.#arguments(given)
    return this[UNLOCKED](requireWeight(weight), priority, undefined)
  }

  isLocked(): boolean {
    return this.#sync.isLocked()
  }

  release(weight?: number): void {
    this.#sync.release(weight)
  }

  cancel(): void {
    this.#sync.cancel()
  }

  [ACQUIRE](weight: number, priority: number, signal: AbortSignal | undefined): Promise<Ticket> {
    return this.#within(signal, (limit) => this.#sync[ACQUIRE](weight, priority, limit))
  }

  [UNLOCKED](weight: number, priority: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#within(signal, (limit) => this.#sync[UNLOCKED](weight, priority, limit))
  }

  /** A mutex has no weights: its first argument is the priority. */
  #arguments([first, second]: (number | undefined)[]): [number, number] {
    return this.#isWeighted ? [first ?? 1, second ?? 0] : [1, first ?? 0]
  }

  async #within<T>(outer: AbortSignal | undefined, wait: (limit: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const abort = (): void => controller.abort(outer?.reason)
    outer?.addEventListener("abort", abort)
    const timer = programTimers.start(() => controller.abort(this.#error), this.#ms)
    try {
      return await wait(controller.signal)
    } finally {
      programTimers.stop(timer)
      outer?.removeEventListener("abort", abort)
    }
  }
}

/** The value of a semaphore. A mutex has no value, and so does not have these methods. */
class TimeLimitedSemaphore extends TimeLimited {
  readonly #semaphore: SemaphoreInterface

  constructor(sync: Semaphore | TimeLimitedSemaphore, ms: number, error: unknown) {
    super(sync, ms, error)
    this.#semaphore = sync as SemaphoreInterface
  }

  getValue(): number {
    return this.#semaphore.getValue()
  }

  setValue(value: number): void {
    this.#semaphore.setValue(value)
  }
}

function isWeighted(sync: unknown): sync is Semaphore | TimeLimitedSemaphore {
  return sync instanceof Semaphore || (sync instanceof TimeLimited && sync.isWeighted)
}

/**
 * Returns the same mutex with a time limit: a wait is rejected after `timeout` ms, and leaves the queue.
 *
 * @example
 * ```ts
 * import { E_TIMEOUT, Mutex, withTimeout } from "corepool/compat"
 *
 * const mutex = withTimeout(new Mutex(), 10)
 * await mutex.acquire()
 * console.log(await mutex.acquire().catch((error) => error === E_TIMEOUT)) // => true
 * ```
 */
export function withTimeout(mutex: MutexInterface, timeout: number, timeoutError?: Error): MutexInterface
/** The same semaphore, whose waits are rejected after `timeout` ms. */
export function withTimeout(semaphore: SemaphoreInterface, timeout: number, timeoutError?: Error): SemaphoreInterface
export function withTimeout(
  sync: MutexInterface | SemaphoreInterface,
  timeout: number,
  timeoutError: Error = E_TIMEOUT,
): MutexInterface | SemaphoreInterface {
  requireTimeout("timeout", timeout)
  if (isWeighted(sync)) return new TimeLimitedSemaphore(sync, timeout, timeoutError) as unknown as SemaphoreInterface
  if (sync instanceof Mutex || sync instanceof TimeLimited)
    return new TimeLimited(sync, timeout, timeoutError) as unknown as MutexInterface
  throw typeError("sync", "a Mutex or a Semaphore of corepool/compat", sync)
}

/** The same mutex, whose waits are rejected at once, instead of waiting. */
export function tryAcquire(mutex: MutexInterface, alreadyAcquiredError?: Error): MutexInterface
/** The same semaphore, whose waits are rejected at once, instead of waiting. */
export function tryAcquire(semaphore: SemaphoreInterface, alreadyAcquiredError?: Error): SemaphoreInterface
export function tryAcquire(
  sync: MutexInterface | SemaphoreInterface,
  alreadyAcquiredError: Error = E_ALREADY_LOCKED,
): MutexInterface | SemaphoreInterface {
  return withTimeout(sync as MutexInterface, 0, alreadyAcquiredError)
}
