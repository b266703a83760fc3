/**
 * Where a parallel algorithm runs, and how the caller waits for it.
 *
 * - In a task of a ForkJoinPool it divides itself as the task does: this thread works on it, and idle threads steal
 *   from it.
 * - Elsewhere it is submitted to a pool, the common one or `options.pool`. The calling thread stays free, or sleeps.
 * - Work that is too small for that runs at once, in this very thread. It calls the functions as other threads would
 *   have found them. So a function that is not portable fails with the first three elements, and not only with the
 *   first million.
 */
import { type Known, requireOptions, requireSignal, typeError } from "../checks.ts"
import { CancellationError } from "../errors.ts"
import { ForkJoinPool } from "../forkjoin/fork-join-pool.ts"
import { fork } from "../forkjoin/task/fork.ts"
import { thisThread } from "../forkjoin/task/this-thread.ts"
import type { Future } from "../future/future.ts"
import type { Sendable } from "../future/signatures.ts"
import { listen, unlisten } from "../memory/flow/abort.ts"
import { findHere, type FoundTask, give, type Given, giveFound } from "../task/reference.ts"

/** Options of all parallel algorithms. */
export interface ParallelOptions {
  /** Where it runs. By default in the pool of the calling task, or in the common pool. */
  readonly pool?: ForkJoinPool
  /** Stops it: `CancellationError`, with the signal's reason as cause. */
  readonly signal?: AbortSignal
}

type AnyFunction = (...args: never[]) => unknown

/** The work of an algorithm. */
export interface Plan<T, R = unknown, A extends unknown[] = never[]> {
  readonly call: (given: never, ...args: A) => R
  /** The functions of the user that it calls. */
  readonly functions: readonly AnyFunction[]
  /** Whether it is too small to be divided. Then `args` need not be such as threads can share. */
  readonly isTiny: boolean
  readonly args: A
  /** Makes the user's result of the result of `call`. */
  finish(result: R): T
}

/** The names of these options. */
export const PARALLEL_OPTIONS: Known<ParallelOptions> = { pool: true, signal: true }

function requireParallelOptions<O extends ParallelOptions>(given: O, known: Known<O>): O {
  const options = requireOptions("options", given, known)
  const { pool, signal } = options
  if (pool !== undefined && !isForkJoinPool(pool)) throw typeError("pool", "a ForkJoinPool", pool)
  if (signal !== undefined) requireSignal("signal", signal)
  return options
}

/** Does not check the class: the pool may be of another copy of corepool. */
function isForkJoinPool(pool: object): boolean {
  return typeof pool === "object" && "stealCount" in pool && "submit" in pool
}

// ------------------------------------------------------------------ in this thread

const found = new WeakMap<AnyFunction, FoundTask>()

/** The function as other threads would find it; undefined if its module has yet to be loaded. */
function foundHere(fn: AnyFunction): FoundTask | undefined {
  let known = found.get(fn)
  if (known === undefined) {
    known = findHere(fn)
    if (known !== undefined) found.set(fn, known)
  }
  return known
}

/** Whether this thread has these functions. Throws TaskNotPortableError if other threads could not have them. */
export function areHere(functions: readonly AnyFunction[]): boolean {
  return functions.every((fn) => foundHere(fn) !== undefined)
}

function runHere<T, R, A extends unknown[]>(plan: Plan<T, R, A>): T {
  const whole = giveFound(plan.call as unknown as FoundTask["fn"], plan.functions.map(foundHere) as FoundTask[])
  let result: R
  try {
    result = whole.fn(...plan.args) as R
  } catch (error) {
    throw whole.explain(error)
  }
  return plan.finish(result)
}

// ------------------------------------------------------------------ anywhere

/** Checks the options and runs the plan that `planFor` makes of them. */
export async function run<O extends ParallelOptions, T, R, A extends unknown[]>(
  given: O,
  known: Known<O>,
  planFor: (options: O) => Plan<T, R, A>,
): Promise<T> {
  const options = requireParallelOptions(given, known)
  const plan = planFor(options)
  throwIfAborted(options)
  if (plan.isTiny) return runHere(plan)
  const { signal } = options
  const future = begin(plan, options)
  if (signal === undefined) return plan.finish(await future.get())
  const stop = (): boolean => future.cancel(true)
  listen(signal, stop)
  try {
    return plan.finish(await future.get())
  } catch (error) {
    throw future.isCancelled && signal.aborted ? cancelled(signal) : error
  } finally {
    unlisten(signal, stop)
  }
}

/** The same for code that cannot await: blocks this thread, or lets it work on the plan. */
export function runSync<O extends ParallelOptions, T, R, A extends unknown[]>(
  given: O,
  known: Known<O>,
  planFor: (options: O) => Plan<T, R, A>,
): T {
  const options = requireParallelOptions(given, known)
  const plan = planFor(options)
  throwIfAborted(options)
  const isWorker = thisThread.forks !== undefined && options.pool === undefined && areHere(plan.functions)
  return plan.isTiny || isWorker ? runHere(plan) : plan.finish(begin(plan, options).getSync())
}

function begin<T, R, A extends unknown[]>(plan: Plan<T, R, A>, options: ParallelOptions): Future<R> {
  const whole = give(plan.call as (given: Given, ...args: A) => R, plan.functions)
  if (options.pool === undefined && thisThread.forks !== undefined) return fork(whole, ...(plan.args as Sendable<A>))
  return (options.pool ?? ForkJoinPool.commonPool()).submit(whole, ...plan.args)
}

function throwIfAborted({ signal }: ParallelOptions): void {
  if (signal?.aborted === true) throw cancelled(signal)
}

function cancelled(signal: AbortSignal): CancellationError {
  return new CancellationError("Task was cancelled", { cause: signal.reason })
}
