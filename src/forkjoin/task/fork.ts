/** The function by which tasks divide themselves. */
import { requireFunction } from "../../checks.ts"
import type { Sendable } from "../../future/signatures.ts"
import { ForkJoinTask } from "./fork-join-task.ts"
import { thisThread } from "./this-thread.ts"

/**
 * Offers a part of this task to other threads, while this one goes on: `const other = fork(fib, n - 1)`, and later
 * `other.join()`.
 *
 * The function must be one that other threads can run, see `task`, and the arguments such as can be sent. They are sent
 * only if another thread takes the task; otherwise this thread calls the function with the original arguments.
 *
 * TypeScript refuses functions and symbols as arguments, as they cannot be sent. A generic function that passes its own
 * arguments on declares them as `...args: Sendable<A>`.
 *
 * Outside of a ForkJoinPool the task goes to the common pool.
 */
export function fork<A extends unknown[], T>(
  fn: (...args: A) => T | PromiseLike<T>,
  ...args: Sendable<A>
): ForkJoinTask<T>
export function fork<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, ...args: A): ForkJoinTask<T> {
  const task = new ForkJoinTask<T>(fn, args)
  const { forks } = thisThread
  if (forks === undefined) {
    requireFunction("fn", fn)
    task.fork()
  } else forks.fork(task, fn, args)
  return task
}
