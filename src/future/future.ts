/**
 * What is known of a computation that may not have ended yet.
 *
 * A future is a `PromiseLike`: `await future` gives the task's value or throws the task's own error. It is
 * not a `Promise`, so a failed future that nobody looks at is no unhandled rejection, and a future is cheap until
 * somebody awaits it. Because it is a thenable, an `async` function cannot return one and a promise cannot
 * carry one: both would wait for it instead. Put it into an object (`{ future }`) to hand it on.
 */
import type { WaitOptions } from "../memory/waiting.ts"

/** As in Java, `"running"` covers everything that is not yet completed. */
export type FutureState = "running" | "success" | "failed" | "cancelled"

export interface Future<T> extends PromiseLike<T> {
  /**
   * Waits for the result.
   *
   * Rejects with the task's own error if it failed, with `CancellationError` if it was cancelled, with `TimeoutError`
   * if the time is up (the task goes on), with `InterruptedError` if the waiting thread is interrupted, and with the
   * signal's reason if the wait is given up. Once the future is done only the first two remain possible.
   */
  get(wait?: WaitOptions): Promise<T>

  /**
   * The result, for code that cannot await. Throws what `get` would reject with. Blocks the thread if it has to wait,
   * which an event-loop thread cannot do for a task of its own: then it throws `UnsupportedOperationError`.
   */
  getSync(timeout?: number): T

  /**
   * Completes the future as cancelled unless it is completed already; true if this call did it.
   *
   * A task that has not started never will. A running one goes on unless `mayInterruptIfRunning`, which interrupts
   * its thread: waits end with `InterruptedError` and `Thread.currentThread().signal` aborts.
   */
  cancel(mayInterruptIfRunning?: boolean): boolean

  readonly isDone: boolean
  readonly isCancelled: boolean
  readonly state: FutureState

  /** The value of a task that succeeded; otherwise throws `IllegalStateError`. */
  resultNow(): T

  /** The error of a task that failed; otherwise throws `IllegalStateError`. */
  exceptionNow(): unknown
}
