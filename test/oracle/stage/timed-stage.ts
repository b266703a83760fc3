/**
 * Where the tasks of a scenario of suite "scheduled" run, as the driver sees it: what a Stage is to tasks with gates. There is
 * one kind for virtual threads, whose tasks are closures, and one for worker threads, whose tasks write down what they
 * do in shared memory.
 */
import type { Callable, ScheduledThreadPoolExecutor, ThreadFactory } from "corepool"
import type { Event, TimedPart } from "./timed-part.ts"

/** The pool under test, and who has the futures. */
export interface TimedCompany {
  readonly pool: ScheduledThreadPoolExecutor
  /** Cancels the future of the task, which is in the midst of a run. */
  cancel(number: number): void
}

/** Something that a task has done. */
export interface Entry {
  /** The number of the task. */
  readonly number: number
  readonly run: number
  readonly event: Event
  /** When, by `Date.now()`: the clock that all threads have. */
  readonly at: number
}

export interface TimedStage {
  factory(): ThreadFactory
  /** What is given to the pool. Its name is that of the task. */
  callable(part: TimedPart): Callable<unknown>
  /** What was written down since the last call, in order. */
  news(): Entry[]
  /** Returns when nothing more will happen at this moment of the scenario's clock. */
  quiet(signature: () => string): Promise<void>
  /** Waits for the threads; the pool has been shut down. */
  close(): void | Promise<void>
}
