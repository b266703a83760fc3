/** Who else has to do with a task: those who hang limits on it, and those who have it if it runs in another thread. */
import type { Steps } from "../memory/flow/waiting.ts"

/** Told of the turns in a task's life; how executors hang time limits and signals on it. */
export interface TaskWatcher {
  started(): void
  /**
   * It runs in another thread, if it does. `startOf` tells when it began; `report` is told of an error that nobody else
   * hears of, and tells it as one of that thread.
   */
  sentAway?(startOf: () => number | undefined, report: (error: unknown) => void): void
  /** Whether it reports what the task throws. */
  readonly reportsErrors?: boolean
  ended(): void
}

/** When a task is to run, if it has a time: on the clock of `now()`, in ms. */
export interface Timing {
  /** When it is due. */
  readonly time: number
  /** See core/timetable.ts; 0 if it runs once. */
  readonly period: number
  /** If it is due by the calendar: the time of day before which it must not begin, in ms since 1970. */
  readonly notBefore?: number
}

/** Whoever has the task if it runs in another thread. It settles the future as soon as it hears of the end. */
export interface RemoteTasks {
  /** Looks whether there is news. */
  look(): void
  /** Decides that the task with this handle is cancelled, unless its outcome is decided already. */
  cancel(handle: number, mayInterruptIfRunning: boolean): boolean
  /** When the task with this handle began to run, on the clock of `now()`; undefined if it has not. */
  startOf(handle: number): number | undefined
  /** Tells of the error with which a task has just ended, as one that nobody has caught. */
  report(error: unknown): void
  /**
   * When the task with this handle is due, on the same clock, if it waits for that; and when it was, if it is running.
   */
  timeOf(handle: number): { readonly time: number; readonly isRunning: boolean }
  /** The arguments of the task with this handle, which nobody has begun: a copy. */
  argumentsOf(handle: number): readonly unknown[]
  /**
   * The task with this handle is going to be awaited. A wait that is limited in time must not run tasks meanwhile: how
   * long they take is not known.
   */
  awaited(handle: number, isLimited: boolean): void
  /** How to wait until the future is done, for a thread that blocks. The same holds for limits. */
  blocking(future: { readonly isDone: boolean }, handle: number, isLimited: boolean): Steps<void>
}
