import { IllegalStateError } from "../../errors.ts"
import { type FoundTask, isAsync } from "../../task/reference.ts"

/**
 * What a thread knows of functions that it runs in the midst of a task for whose sake it blocks. It cannot await
 * anything before that is over, and that may be what waits for the function. So it leaves alone what is declared
 * `async`. But a function may return a promise all the same, which is found out only by calling it: then the task has
 * to fail.
 */
export class UnannouncedPromises {
  /** Those that have returned one. */
  readonly #found = new WeakSet<FoundTask>()

  /** Whether the function is likely to return a promise. */
  areExpectedOf(found: FoundTask): boolean {
    return isAsync(found.fn) || this.#found.has(found)
  }

  /** The function has returned one: why its task fails. */
  refuse(found: FoundTask | undefined, promise: PromiseLike<unknown>): IllegalStateError {
    if (found !== undefined) this.#found.add(found)
    Promise.resolve(promise).catch(() => undefined) // nobody is going to hear of it
    return new IllegalStateError(
      "The task has returned a promise, and the thread that ran it stands still until another task has ended, and cannot await it. Declare the function `async`: then only threads that can await it will run it",
    )
  }
}
