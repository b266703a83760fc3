/** The functions by which tasks divide themselves. */
import { requireFunction } from "../../checks.ts"
import type { Sendable } from "../../future/signatures.ts"
import { ForkJoinTask } from "./fork-join-task.ts"
import { thisThread } from "./this-thread.ts"

/**
 * Lets another thread have a part of this task, while this one goes on: `const other = fork(fib, n - 1)`, and later
 * `other.join()`.
 *
 * The function has to be one that other threads can run, see `task`, and the arguments such as can be sent. But they
 * are sent only if another thread takes the task; otherwise this one calls the function with these very arguments.
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
