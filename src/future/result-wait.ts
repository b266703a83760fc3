import { currentFlow, interrupted } from "../memory/flow/flow.ts"
import { Parked, type WaitList } from "../memory/flow/wait-list.ts"

/** A future, as far as a wait needs it. */
interface Awaitable<T> {
  /** Signalled once there is an outcome. */
  readonly completion: WaitList
  /** The outcome, returned or thrown. */
  report(): T
}

/**
 * A wait for a future's result without a limit, which is by far the most frequent one. It does the same as
 * `awaiting(…)` with a generator, but saves a generator and a driver for each of a hundred thousand futures.
 */
export class ResultWait<T> extends Parked {
  readonly #future: Awaitable<T>
  readonly #resolve: (value: T) => void
  readonly #reject: (reason: unknown) => void

  constructor(future: Awaitable<T>, resolve: (value: T) => void, reject: (reason: unknown) => void) {
    super(currentFlow())
    this.#future = future
    this.#resolve = resolve
    this.#reject = reject
    this.flow.throwIfInterrupted()
    this.enter(future.completion)
  }

  wake(): void {
    this.leave()
    let value: T
    try {
      value = this.#future.report()
    } catch (error) {
      this.#reject(error)
      return
    }
    this.#resolve(value)
  }

  interrupt(): void {
    if (this.place === undefined) return
    this.leave()
    this.flow.consumeInterrupt()
    this.#reject(interrupted(" while waiting"))
  }
}
