/**
 * What the channels of node:diagnostics_channel are given: `corepool:task`, `corepool:task.run` and so on. Names and
 * fields are part of the API. All times are in ms since 1970, with fractions; their differences are those of the
 * monotonic clock.
 */
import type { PoolInfo, TaskOutcome, ThreadInfo } from "../observing.ts"

/** A task of a pool. */
export interface TaskFacts {
  /** The pool. The same object in all messages about the pool. */
  readonly pool: PoolInfo
  /** The number of the task, which no other task of this thread's pools has. */
  readonly task: number
  /** The name of the function, or the option `name` of `with`. */
  readonly name: string
}

/** How a task, or a run of it, has ended. */
export interface EndFacts {
  /** From `asyncStart` on. */
  outcome?: TaskOutcome
  /** With `error`: what was thrown. A run on a platform thread has none: the task has it. */
  error?: unknown
}

/** Tracing channel `corepool:task`: a task from its submission until its future is settled. */
export interface TaskContext extends TaskFacts, EndFacts {
  /** When it was given to the pool. */
  readonly submittedAt: number
  /** From `asyncStart` on. */
  settledAt?: number
}

/** Tracing channel `corepool:task.run`: a task while a thread runs it. */
export interface TaskRunContext extends TaskFacts, EndFacts {
  /** The thread. The same object in all messages about the thread. */
  readonly thread: ThreadInfo
  /** When it began. */
  readonly startedAt: number
  /** What `corepool:task` had for this task, if it had subscribers when this thread submitted the task. */
  readonly submission: TaskContext | undefined
  /** Of a task that was forked: the run of the task that has forked it, if that is known. */
  readonly parent: TaskRunContext | undefined
  /** From `asyncStart` on. */
  endedAt?: number
}

/** Tracing channel `corepool:schedule.fire`: one run of a task that has a time. */
export interface ScheduleFireContext extends TaskRunContext {
  /** Whether the task has a period. */
  readonly isPeriodic: boolean
  /** When the task was due. */
  readonly dueAt: number
  /** How many further times at which the task was due have passed: with a fixed rate, these runs follow at once. */
  readonly missed: number
}

/**
 * Tracing channel `corepool:distributed.job`: a task that was given to a `DistributedExecutor`, from its submission
 * until this process knows its outcome.
 */
export interface DistributedJobContext extends EndFacts {
  /** The name of the executor. */
  readonly executor: string
  /** The id of the job. */
  readonly job: string
  /** The name of the task in the catalogue, or the option `name` of `with`. */
  readonly name: string
  /** When it was given to the executor. */
  readonly submittedAt: number
  /** From `asyncStart` on. */
  settledAt?: number
}

/** Channels `corepool:worker.started` and `corepool:worker.exited`. */
export interface WorkerMessage {
  /** The pool that has the thread. */
  readonly pool: PoolInfo
  /** The thread. The same object in all messages about the thread. */
  readonly thread: ThreadInfo
  /** When that was. */
  readonly time: number
  /** Of `worker.exited`: whether an error, or force, has ended the thread. */
  readonly died?: boolean
}

/** Channel `corepool:task.rejected`: a pool has not taken a task, and gives it to its rejection handler. */
export interface TaskRejectedMessage extends TaskFacts {
  /** When that was. */
  readonly time: number
}

/** Channel `corepool:task.unobserved`: a future has failed, and is garbage without any code having seen its error. */
export interface TaskUnobservedMessage extends TaskFacts {
  /** When the task failed. */
  readonly time: number
  /** The error that no code has seen. */
  readonly error: unknown
}

/** Channels `corepool:pool.created` and `corepool:pool.terminated`. */
export interface PoolMessage {
  /** The pool. The same object in all messages about the pool. */
  readonly pool: PoolInfo
  /** When that was. */
  readonly time: number
}
