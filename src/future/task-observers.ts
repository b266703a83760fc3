/**
 * The observers of a task: watchers that set limits on it, and the part that has it while it runs in another thread.
 */
import type { Steps } from "../memory/flow/waiting.ts"
import type { Clock } from "../time/clock.ts"
import type { TimerKeeper } from "../time/timer.ts"

/** Reports an error of a task that another thread has run. `isNews` if no thread has reported the error before. */
export type RemoteReport = (error: unknown, isNews?: boolean) => void

/** Is notified of the start and the end of a task. Executors use it for time limits and signals. */
export interface TaskWatcher {
  started(): void
  /**
   * Called if the task runs in another thread. `startOf` tells when it began. `report` reports an error that no other
   * code gets, as an error of that thread.
   */
  sentAway?(startOf: () => number | undefined, report: RemoteReport): void
  /**
   * Called if the thread that has sent the task away is about to run it itself. If the task then blocks the thread,
   * only timers that the keeper has are fired.
   */
  runsHere?(keeper: TimerKeeper): void
  /** Whether this watcher reports an error that the task throws. */
  readonly reportsErrors?: boolean
  ended(): void
}

/** When a task is to run, if it has a time: on the clock of `now()`, in ms. */
export interface Timing {
  /** When the task is due. */
  readonly time: number
  /** See core/timetable.ts; 0 if it runs once. */
  readonly period: number
  /** What counts that time. */
  readonly clock?: Clock
  /** For a task that is due by the calendar: the time of day before which it must not begin, in ms since 1970. */
  readonly notBefore?: number
  /** Whether the process has to stay alive for the task; default true. */
  readonly isHeld?: boolean
}

/**
 * The part that has the tasks that run in other threads. It settles a future as soon as it learns of the task's end.
 * The optional methods are for tasks that were submitted; a task that was forked has neither limits nor a time.
 */
export interface RemoteTasks {
  /** Looks for completed tasks, and settles their futures. */
  look(): void
  /** Decides that the task with this handle is cancelled, unless its outcome is decided already. */
  cancel(handle: number, mayInterruptIfRunning: boolean): boolean
  /** When the task with this handle began to run, on the clock of `now()`; undefined if it has not. */
  startOf?(handle: number): number | undefined
  /** Reports the error with which a task has just ended, as uncaught. */
  report?(error: unknown, isNews?: boolean): void
  /** When the task with this handle is due, on the same clock; for a running task, when it was. */
  timeOf?(handle: number): { readonly time: number; readonly isRunning: boolean }
  /** From now on the process has to stay alive for the task with this handle, or need not. */
  hold?(handle: number, isHeld: boolean): void
  /** A copy of the arguments of the task with this handle, which no thread has begun. */
  argumentsOf?(handle: number): readonly unknown[]
  /**
   * The task with this handle is going to be awaited. If the wait has a time limit, this must not run tasks
   * meanwhile: how long they take is unknown.
   */
  awaited(handle: number, isLimited: boolean): void
  /** How a thread that blocks waits until the future is done. `isLimited` means the same. */
  blocking(future: { readonly isDone: boolean }, handle: number, isLimited: boolean): Steps<void>
}
