/** The error of a task that was cancelled. */
export class PoolCancellationError extends Error {
  /** As workerpool names it. */
  override readonly name = "CancellationError"

  /** The message may be left out. */
  constructor(message = "promise cancelled") {
    super(message)
  }
}

/** The error of a task that was out of time. */
export class PoolTimeoutError extends Error {
  /** As workerpool names it. */
  override readonly name = "TimeoutError"

  /** The message may be left out. */
  constructor(message = "timeout exceeded") {
    super(message)
  }
}

/** What a promise of a pool can do to its task. */
export interface PoolPromiseControl {
  /** Ends the task with this error, unless it is over. */
  stop(error: Error): void
  /** Gives the task a time limit, from its start. */
  limit(ms: number): void
}

/**
 * The promise of a task, as workerpool has it. It can be cancelled and given a time limit, also through the promises
 * that `then`, `catch` and `always` return.
 */
export class PoolPromise<T> extends Promise<T> {
  /** See {@link PoolCancellationError}. */
  static readonly CancellationError: typeof PoolCancellationError = PoolCancellationError
  /** See {@link PoolTimeoutError}. */
  static readonly TimeoutError: typeof PoolTimeoutError = PoolTimeoutError

  #control: PoolPromiseControl | undefined
  #state: "pending" | "resolved" | "rejected" = "pending"

  /** A promise of a task that `control` can stop. */
  static of<T>(control: PoolPromiseControl, executor: ConstructorParameters<typeof Promise<T>>[0]): PoolPromise<T> {
    const promise = new PoolPromise<T>(executor)
    promise.#control = control
    return promise.#watched()
  }

  /** Whether it has not been settled. Only known of the promise that `exec` has returned. */
  get pending(): boolean {
    return this.#state === "pending"
  }

  /** Whether it was resolved. */
  get resolved(): boolean {
    return this.#state === "resolved"
  }

  /** Whether it was rejected. */
  get rejected(): boolean {
    return this.#state === "rejected"
  }

  /** Ends the task: the promise is rejected with a `CancellationError`. */
  cancel(): this {
    this.#control?.stop(new PoolCancellationError())
    return this
  }

  /** Ends the task if it takes longer than that, from its start: the promise is rejected with a `TimeoutError`. */
  timeout(delay: number): this {
    this.#control?.limit(delay)
    return this
  }

  /** Calls the function when the promise is settled, whatever the outcome. */
  always<R>(callback: () => PromiseLike<R> | R): PoolPromise<R> {
    const settled = (): PromiseLike<R> | R => callback()
    return this.then(settled, settled)
  }

  /** As with any promise. What it returns can be cancelled and limited, too. */
  // oxlint-disable-next-line unicorn/no-thenable -- a promise
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => PromiseLike<A> | A) | null,
    onRejected?: ((reason: unknown) => PromiseLike<B> | B) | null,
  ): PoolPromise<A | B> {
    const next = super.then(onFulfilled, onRejected) as PoolPromise<A | B>
    next.#control = this.#control
    return next
  }

  /** As with any promise. What it returns can be cancelled and limited, too. */
  override catch<B = never>(onRejected?: ((reason: unknown) => PromiseLike<B> | B) | null): PoolPromise<B | T> {
    return this.then(undefined, onRejected)
  }

  #watched(): this {
    // Not by `this.then`: that would be one more promise, whose rejection is unhandled.
    void super.then(
      () => (this.#state = "resolved"),
      () => (this.#state = "rejected"),
    )
    return this
  }
}
