import { requireFunction } from "../checks.ts"
import { setOwn } from "../user-values.ts"
import type { Callable } from "./runnable.ts"
import type { AnyFunction, ArgumentsOf, ResultOf } from "./signatures.ts"

/**
 * A function and its arguments, kept apart, so that another thread can find the function and be sent the arguments. A
 * bound function cannot be taken apart again.
 */
export interface Call {
  readonly fn: (...args: never[]) => unknown
  readonly args: readonly unknown[]
  /** The result of the task, if it is not the function's own: it need not go to the other thread and back. */
  readonly result?: { readonly value: unknown }
  /** The object whose `run` method the function calls, if it does. It belongs to this thread: no other can call it. */
  readonly object?: object
}

const CALL: unique symbol = Symbol.for("corepool.call")

/** A callable that {@link callOf} can take apart. It has no name: giving it one costs more than all the rest. */
export function callable<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
  requireFunction("task", fn)
  const [made] = [(): T | PromiseLike<T> => fn(...args)] as [Callable<T> & { [CALL]?: Call }]
  made[CALL] = { fn, args }
  return made
}

/** The function itself if there are no arguments; otherwise a {@link callable}. */
export function keptApart<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
  return args.length === 0 ? fn : callable(fn, args)
}

/**
 * A task together with its arguments, for `invokeAll` and friends: `pool.invokeAll([bind(fib, 30), bind(fib, 31)])`.
 * Unlike a function that was bound by `Function.prototype.bind`, it can be sent to another thread if the task can.
 */
export function bind<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Callable<T>
/** The same for a function with several signatures: the signature that fits the arguments counts. */
export function bind<F extends AnyFunction, A extends ArgumentsOf<F> & unknown[]>(
  task: F,
  ...args: A
): Callable<ResultOf<F, A>>
export function bind<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Callable<T> {
  return keptApart(requireFunction("task", task), args)
}

export function named<F extends (...args: never[]) => unknown>(fn: F, name: string): F {
  setOwn(fn, "name", name, false)
  return fn
}

const NO_ARGUMENTS: readonly unknown[] = []

/** The function and the arguments that a call of `fn` amounts to. */
export function callOf(fn: Callable<unknown> & { [CALL]?: Call }): Call {
  return fn[CALL] ?? { fn, args: NO_ARGUMENTS }
}

/** Notes that calling `made` amounts to calling `body`, with `value` as the result. */
export function noteResult<T>(made: Callable<T> & { [CALL]?: Call }, body: Callable<unknown>, value: T): void {
  made[CALL] = { ...callOf(body), result: { value } }
}

/** Notes that calling `made` amounts to calling the `run` method of an object. */
export function noteObject(made: Callable<unknown> & { [CALL]?: Call }, object: object): void {
  made[CALL] = { fn: made, args: NO_ARGUMENTS, object }
}

/** The same callable under another name. */
export function renamed<T>(fn: Callable<T> & { [CALL]?: Call }, name: string): Callable<T> {
  const made: Callable<T> & { [CALL]?: Call } = () => fn()
  made[CALL] = callOf(fn)
  return named(made, name)
}
