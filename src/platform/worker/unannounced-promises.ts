import { IllegalStateError } from "../../errors.ts"
import { type FoundTask, isAsync } from "../../task/reference.ts"

/**
 * Keeps asynchronous functions out of a thread that blocks. A thread that blocks in a task may run another task
 * meanwhile. It cannot await anything until the outer task goes on, and the outer task may be waiting for the inner
 * one. So it does not run functions declared `async`. But any function may return a promise, which only the call shows:
 * then its task has to fail.
 */
export class UnannouncedPromises {
  /** Functions that have returned a promise. */
  readonly #found = new WeakSet<FoundTask>()

  /** Whether the function is likely to return a promise. */
  areExpectedOf(found: FoundTask): boolean {
    return isAsync(found.fn) || this.#found.has(found)
  }

  /** The function has returned a promise: the error with which its task fails. */
  refuse(found: FoundTask | undefined, promise: PromiseLike<unknown>): IllegalStateError {
    if (found !== undefined) this.#found.add(found)
    Promise.resolve(promise).catch(() => undefined) // its outcome is not needed
    return new IllegalStateError(
      "The task has returned a promise, and the thread that ran it stands still until another task has ended, and cannot await it. Declare the function `async`: then only threads that can await it will run it",
    )
  }
}
