/** invokeAll: runs several tasks at once. */
import { requireFunction } from "../../checks.ts"
import { callOf } from "../../future/call.ts"
import type { Callable } from "../../future/runnable.ts"
import { ForkJoinTask } from "./fork-join-task.ts"
import { isForkJoinTask } from "./life.ts"

/** A task, or a function that other threads can run, perhaps with arguments: `bind(fib, 30)`. */
export type Invocable<T = unknown> = ForkJoinTask<T> | Callable<T>

type Results<I extends readonly Invocable[]> = {
  -readonly [K in keyof I]: I[K] extends ForkJoinTask<infer T> ? T : I[K] extends () => infer T ? Awaited<T> : never
}

/**
 * Runs all of these, in whatever threads are free, and returns their results in the same order. Forks all but the
 * first, runs that one, and joins the others. If a task fails, the others are cancelled and its error is thrown; if
 * several fail, that of the first in this order.
 *
 *     const [left, right] = invokeAll(bind(sort, array, from, middle), bind(sort, array, middle, to))
 */
export function invokeAll<I extends readonly Invocable[]>(...tasks: I): Results<I> {
  const all = tasks.map(taskOf)
  const results: unknown[] = []
  try {
    for (let i = all.length - 1; i > 0; i--) (all[i] as ForkJoinTask<unknown>).fork()
    for (const [i, task] of all.entries()) results.push(i === 0 ? task.invoke() : task.join())
  } catch (error) {
    for (const task of all.slice(results.length)) task.cancel()
    throw error
  }
  return results as Results<I>
}

function taskOf(invocable: Invocable): ForkJoinTask<unknown> {
  if (isForkJoinTask(invocable)) return invocable
  const { fn, args } = callOf(requireFunction("task", invocable))
  return new ForkJoinTask(fn, args)
}
