import { requireInteger } from "../../checks.ts"
import { MIN_VALUE, Permits } from "./mutex-permits.ts"

/** Releases what was acquired. A second call does nothing. */
export type MutexReleaser = () => void

/** The methods of a {@link Mutex}, with or without a time limit. */
export interface MutexInterface {
  /** Waits for the mutex. The function gives it back. */
  acquire(priority?: number): Promise<MutexReleaser>
  /** Calls the function while it has the mutex. */
  runExclusive<T>(callback: () => PromiseLike<T> | T, priority?: number): Promise<T>
  /** Waits until the mutex could be had at once, and does not take it. */
  waitForUnlock(priority?: number): Promise<void>
  /** Whether the mutex is taken. */
  isLocked(): boolean
  /** Gives the mutex back, if it is taken. */
  release(): void
  /** Rejects all that wait for the mutex. */
  cancel(): void
}

/** The methods of a {@link Semaphore}, with or without a time limit. */
export interface SemaphoreInterface {
  /** Waits for so much of the value. What the value was before, and a function that gives it back. */
  acquire(weight?: number, priority?: number): Promise<[number, MutexReleaser]>
  /** Calls the function with the value while it has so much of it. */
  runExclusive<T>(callback: (value: number) => PromiseLike<T> | T, weight?: number, priority?: number): Promise<T>
  /** Waits until so much could be had at once, and does not take it. */
  waitForUnlock(weight?: number, priority?: number): Promise<void>
  /** Whether the value is 0 or less. */
  isLocked(): boolean
  /** The value. */
  getValue(): number
  /** Sets the value, and lets in those that it is now enough for. */
  setValue(value: number): void
  /** Adds so much to the value. */
  release(weight?: number): void
  /** Rejects all that wait. */
  cancel(): void
}

/** What {@link Mutex} and {@link Semaphore} reject with when they are cancelled. */
export const E_CANCELED: Error = /* @__PURE__ */ new Error("request for lock canceled")

/** Acquires, unless the signal aborts before. For `withTimeout`. */
export const ACQUIRE: unique symbol = Symbol("acquire")
/** Waits for an unlock, unless the signal aborts before. */
export const UNLOCKED: unique symbol = Symbol("unlocked")

/**
 * A drop-in for `Semaphore` of async-mutex: a value from which the tasks of one thread take parts, and to which they
 * give them back.
 *
 * Waiting requests are granted by their priority, the highest first, and among equals in their order. Weights, values
 * and priorities are integers of 32 bits.
 *
 * @example
 * ```ts
 * import { Semaphore } from "corepool/compat"
 *
 * const semaphore = new Semaphore(2)
 * const [value, release] = await semaphore.acquire()
 * console.log(value, semaphore.getValue()) // => 2 1
 * release()
 * console.log(await semaphore.runExclusive(async (n) => n * 10)) // => 20
 * ```
 */
export class Semaphore implements SemaphoreInterface {
  readonly #permits: Permits
  readonly #cancelError: unknown

  /** `cancelError` is what `cancel()` rejects with. */
  constructor(value: number, cancelError: Error = E_CANCELED) {
    this.#permits = new Permits(requireInteger("value", value, MIN_VALUE))
    this.#cancelError = cancelError
  }

  acquire(weight: number = 1, priority: number = 0): Promise<[number, MutexReleaser]> {
    return this[ACQUIRE](weight, priority, undefined)
  }

  async runExclusive<T>(
    callback: (value: number) => PromiseLike<T> | T,
    weight: number = 1,
    priority: number = 0,
  ): Promise<T> {
    const [value, release] = await this.acquire(weight, priority)
    try {
      return await callback(value)
    } finally {
      release()
    }
  }

  waitForUnlock(weight: number = 1, priority: number = 0): Promise<void> {
    return this[UNLOCKED](weight, priority, undefined)
  }

  isLocked(): boolean {
    return this.#permits.value <= 0
  }

  getValue(): number {
    return this.#permits.value
  }

  setValue(value: number): void {
    this.#permits.set(value)
  }

  release(weight: number = 1): void {
    this.#permits.change(requireWeight(weight))
  }

  cancel(): void {
    this.#permits.cancel(this.#cancelError)
  }

  /** @internal */
  [ACQUIRE](weight: number, priority: number, signal: AbortSignal | undefined): Promise<[number, MutexReleaser]> {
    requireWeight(weight)
    return this.#acquire(weight, priority, signal)
  }

  async #acquire(weight: number, priority: number, signal?: AbortSignal): Promise<[number, MutexReleaser]> {
    const value = await this.#permits.request(weight, priority, signal)
    let isReleased = false
    const release = (): void => {
      if (isReleased) return
      isReleased = true
      this.#permits.change(weight)
    }
    return [value, release]
  }

  /** @internal */
  [UNLOCKED](weight: number, priority: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#permits.unlocked(requireWeight(weight), priority, signal)
  }
}

/**
 * A drop-in for `Mutex` of async-mutex: one task of a thread at a time. Unlike a `ReentrantLock` it has no owner: any
 * task may release it.
 *
 * @example
 * ```ts
 * import { Mutex } from "corepool/compat"
 *
 * const mutex = new Mutex()
 * const release = await mutex.acquire()
 * console.log(mutex.isLocked()) // => true
 * release()
 * console.log(await mutex.runExclusive(() => "alone")) // => alone
 * ```
 */
export class Mutex implements MutexInterface {
  readonly #semaphore: Semaphore

  /** `cancelError` is what `cancel()` rejects with. */
  constructor(cancelError?: Error) {
    this.#semaphore = new Semaphore(1, cancelError)
  }

  acquire(priority: number = 0): Promise<MutexReleaser> {
    return this[ACQUIRE](1, priority, undefined)
  }

  runExclusive<T>(callback: () => PromiseLike<T> | T, priority: number = 0): Promise<T> {
    return this.#semaphore.runExclusive(() => callback(), 1, priority)
  }

  waitForUnlock(priority: number = 0): Promise<void> {
    return this.#semaphore.waitForUnlock(1, priority)
  }

  isLocked(): boolean {
    return this.#semaphore.isLocked()
  }

  release(): void {
    if (this.isLocked()) this.#semaphore.release()
  }

  cancel(): void {
    this.#semaphore.cancel()
  }

  /** @internal */
  async [ACQUIRE](_weight: number, priority: number, signal: AbortSignal | undefined): Promise<MutexReleaser> {
    const [, release] = await this.#semaphore[ACQUIRE](1, priority, signal)
    return release
  }

  /** @internal */
  [UNLOCKED](_weight: number, priority: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#semaphore[UNLOCKED](1, priority, signal)
  }
}

/** Throws as async-mutex does, at once. */
export function requireWeight(weight: number): number {
  if (weight <= 0) throw new Error(`invalid weight ${weight}: must be positive`)
  return requireInteger("weight", weight, 1)
}
