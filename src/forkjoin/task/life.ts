/**
 * How far a forked task has come, for the thread that has it.
 *
 *     FRESH -> FORKED -> RUNNING -> NORMAL | EXCEPTIONAL      run here, by join or in its turn
 *                     -> NORMAL | EXCEPTIONAL                 run by a thief
 *     RUNNING -> UNDER_WAY -> …                               asynchronous, or waits for others: see counted-completer.ts
 *     FRESH -> AWAY                                           forked outside of a pool: a future knows
 *     any of the first -> CANCELLED
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

/** What `exec` returns if the task is not over, and somebody is going to complete it. */
export const UNFINISHED: unique symbol = Symbol("corepool.unfinished")

/** What every task has, whichever copy of corepool it is of. */
export const FORK_JOIN_TASK: unique symbol = Symbol.for("corepool.forkJoinTask")

export function isForkJoinTask(value: unknown): value is ForkJoinTask<unknown> {
  return typeof value === "object" && value !== null && FORK_JOIN_TASK in value
}

/** What another thread has to be told of a task. */
export interface Portable {
  readonly fn: AnyFunction
  readonly args: readonly unknown[]
}
