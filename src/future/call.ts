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

/** On a function: the call that calling it amounts to. */
export const CALL: unique symbol = Symbol.for("corepool.call")

/** A function that may have a {@link CALL}. */
export type MayHaveCall = ((...args: never[]) => unknown) & { [CALL]?: Call }

/**
 * A callable that {@link callOf} can take apart. If it is called with arguments, these come after its own. It has no
 * name: giving it one costs more than all the rest. A program may give it one, which is then the name of the task.
 */
export function callable<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
  requireFunction("task", fn)
  const call = boundCall(fn, args)
  const isWhole = call.result === undefined && call.object === undefined
  const own = (isWhole ? call : { fn, args }) as OwnCall
  // Not `const made = …`, which would give the function the name `made`.
  const [made] = [(...more: unknown[]) => makeCall(own, more)] as [Callable<T> & { [CALL]?: Call }]
  made[CALL] = call
  return made
}

interface OwnCall {
  readonly fn: (...all: readonly unknown[]) => unknown
  readonly args: readonly unknown[]
}

function makeCall({ fn, args }: OwnCall, more: readonly unknown[]): unknown {
  return more.length === 0 ? fn(...args) : fn(...args, ...more)
}

/** Whether {@link bind} has made the function, and the program has not given it a name. */
export function isPlainBound(fn: Callable<unknown> & { [CALL]?: Call }): boolean {
  const call = typeof fn === "function" ? fn[CALL] : undefined
  return call !== undefined && fn.name === "" && call.result === undefined && call.object === undefined
}

/** The call of a function with these arguments. If {@link bind} has made it, its own arguments come before them. */
export function boundCall<F extends (...args: never[]) => unknown>(
  fn: F & { [CALL]?: Call },
  args: readonly unknown[] = NO_ARGUMENTS,
): Call & { readonly fn: F } {
  const inner = fn[CALL]
  if (inner === undefined) return { fn, args }
  // The functions of a result or of an object take no arguments.
  const isOpen = inner.result === undefined && inner.object === undefined && args.length > 0
  return (isOpen ? { fn: inner.fn, args: [...inner.args, ...args] } : inner) as Call & { readonly fn: F }
}

/** Whether the function is not to be sent itself, but {@link callOf} it. */
export function isCallable(fn: MayHaveCall): boolean {
  return fn[CALL] !== undefined
}

/** The function itself if there are no arguments; otherwise a {@link callable}. */
export function keptApart<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
  return args.length === 0 ? fn : callable(fn, args)
}

/**
 * A task together with its arguments, for `invokeAll` and friends: `pool.invokeAll([bind(fib, 30), bind(fib, 31)])`.
 * Unlike a function that was bound by `Function.prototype.bind`, it can be sent to another thread if the task can.
 *
 * The first arguments alone can be bound, too. Those of the call come after them: `pool.map(bind(scale, 2), sizes)`
 * calls `scale(2, size)` for each size.
 */
export function bind<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Callable<T>
/** The same for a function with several signatures: the signature that fits the arguments counts. */
export function bind<F extends AnyFunction, A extends ArgumentsOf<F> & unknown[]>(
  task: F,
  ...args: A
): Callable<ResultOf<F, A>>
/** The same with the first arguments only: the others come with each call. */
export function bind<A extends unknown[], B extends unknown[], T>(
  task: (...args: [...A, ...B]) => T | PromiseLike<T>,
  ...args: A
): (...rest: B) => T | PromiseLike<T>
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

/** Notes that calling `made` amounts to this call. */
export function noteCall(made: Callable<unknown> & { [CALL]?: Call }, call: Call): void {
  made[CALL] = call
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
