import type { WaitOptions } from "../memory/flow/waiting.ts"

/** As in Java, `"running"` covers everything that is not yet completed. */
export type FutureState = "running" | "success" | "failed" | "cancelled"

/** What a task has written. */
export interface CapturedOutput {
  /** To `process.stdout`, and by `console.log` and the like. */
  readonly stdout: string
  /** To `process.stderr`, and by `console.error` and the like. */
  readonly stderr: string
}

/** As for a promise: an error of a task has no known type, and a handler may name the type that it expects. */
// oxlint-disable-next-line typescript/no-explicit-any -- with `unknown`, `catch((error: Error) => …)` would not compile
export type OnRejected<B> = ((reason: any) => B | PromiseLike<B>) | null

/**
 * The result of a computation that may not have ended yet.
 *
 * A future can stand wherever a promise does: `await future` gives the task's value or throws the task's own error, and
 * a function with a parameter of type `Promise<T>` takes it. It is no instance of `Promise`, though: a failed future
 * that is never observed is no unhandled rejection, and a future costs no promise until it is awaited. The promises
 * that `get`, `then`, `catch` and `finally` return are promises like any other.
 *
 * Because a future is a thenable, an `async` function cannot return one and a promise cannot carry one: both would wait
 * for it instead. Put it into an object (`{ future }`) to hand it on.
 *
 * **Memory effects.** What a thread wrote to shared memory before it submitted the task is visible to the task. What
 * the task wrote is visible to each thread that has seen the future done, by `get`, `await`, `getSync` or `isDone`.
 */
export interface Future<T> extends PromiseLike<T> {
  /**
   * Waits for the result.
   *
   * @param wait Milliseconds, or `{ timeout, signal }`; default without limit.
   * @returns The task's value. Rejects with the task's own error if the task failed.
   * @throws CancellationError if the task was cancelled.
   * @throws TimeoutError if the time is up. The task goes on.
   * @throws InterruptedError if the waiting thread is interrupted. If `signal` aborts, its reason is thrown.
   */
  get(wait?: WaitOptions): Promise<T>

  /**
   * The result, for code that cannot await. Blocks the thread if it has to wait, and throws what `get` would reject
   * with.
   *
   * @param timeout Milliseconds; default without limit.
   * @throws UnsupportedOperationError if the task runs on the event loop of this very thread, which would stand still.
   */
  getSync(timeout?: number): T

  /** Calls the matching handler when the future is done. The promise of its result, or of the outcome without one. */
  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: OnRejected<B>,
  ): Promise<A | B>

  /** Calls the handler if the future fails or is cancelled: `then` without its first argument. */
  catch<B = never>(onRejected?: OnRejected<B>): Promise<T | B>

  /**
   * Calls the handler when the future is done, however it ended. The promise of the same outcome, unless the handler
   * fails.
   */
  finally(onFinally?: (() => void) | null): Promise<T>

  /** `"Future"`, in all classes of futures. */
  readonly [Symbol.toStringTag]: string

  /**
   * Completes the future as cancelled unless it is completed already; true if this call did it.
   *
   * A task that has not started never will. A running one goes on unless `mayInterruptIfRunning`, which interrupts
   * its thread: waits end with `InterruptedError` and `Thread.currentThread().signal` aborts.
   */
  cancel(mayInterruptIfRunning?: boolean): boolean

  /**
   * Sets a time limit on a task that was submitted before: if it is not done `ms` milliseconds from now, it fails with
   * `TimeoutError`, and a thread that runs it is interrupted, as by `with({ timeout })`. A task that waits in a queue
   * never runs then. Several limits may be set; the first that is over counts. No effect on a future that is done.
   *
   * @returns This future.
   * @throws UnsupportedOperationError for a task that was forked.
   */
  orTimeout(ms: number): this

  /** True once the task has succeeded, failed or been cancelled. */
  readonly isDone: boolean
  /** True if the task was cancelled. */
  readonly isCancelled: boolean
  /** The state of the task. */
  readonly state: FutureState
  /**
   * How many attempts there were so far, the one included that runs or waits in the queue; undefined if the task was
   * submitted without `retry`.
   */
  readonly attempts?: number
  /**
   * What the task has written so far, by `console` and to `process.stdout` and `process.stderr`; undefined if it was
   * submitted without `capture`.
   */
  readonly output?: CapturedOutput | undefined

  /**
   * The value of a task that succeeded.
   *
   * @throws IllegalStateError if the task has not succeeded.
   */
  resultNow(): T

  /**
   * The error of a task that failed.
   *
   * @throws IllegalStateError if the task has not failed.
   */
  exceptionNow(): unknown
}
