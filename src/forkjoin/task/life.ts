/**
 * The states of a ForkJoinTask, as the thread that made it sees them.
 *
 *     FRESH -> FORKED -> RUNNING -> NORMAL | EXCEPTIONAL      run in this thread, by join or by the worker loop
 *                     -> NORMAL | EXCEPTIONAL                 run by a thief
 *     RUNNING -> UNDER_WAY -> …                               asynchronous, or a completer with pending parts
 *     FRESH -> AWAY                                           forked outside of a pool: a future has the state
 *     any state before NORMAL -> CANCELLED
 */
import type { ForkJoinTask } from "./fork-join-task.ts"
import type { AnyFunction } from "./this-thread.ts"

export const FRESH = 0
export const FORKED = 1
export const RUNNING = 2
export const UNDER_WAY = 3
export const AWAY = 4
export const NORMAL = 5
export const EXCEPTIONAL = 6
export const CANCELLED = 7

/** `exec` returns this if the task is not over and will be completed by a call, such as tryComplete(). */
export const UNFINISHED: unique symbol = Symbol("corepool.unfinished")

/** The mark of a ForkJoinTask of any copy of corepool. */
export const FORK_JOIN_TASK: unique symbol = Symbol.for("corepool.forkJoinTask")

export function isForkJoinTask(value: unknown): value is ForkJoinTask<unknown> {
  return typeof value === "object" && value !== null && FORK_JOIN_TASK in value
}

/** The function and arguments by which another thread runs a task. */
export interface Portable {
  readonly fn: AnyFunction
  readonly args: readonly unknown[]
}
