/** The contracts of scheduling: tasks that run later, once or again and again. */
import type { ExecutorService } from "../executor/executor.ts"
import type { Future } from "../future/future.ts"

export interface ScheduledFuture<T> extends Future<T> {
  /** Milliseconds until the next run; zero or less once it is due, and so while it runs. `Infinity` if it never is. */
  readonly delay: number

  readonly isPeriodic: boolean

  /**
   * When the next run is due, by the wall clock as it is set now. Undefined if there will be none (the task is done,
   * or was removed, or is due later than any Date), and while it is not known: a task with a fixed delay that is
   * running.
   */
  readonly nextRunAt: Date | undefined
}

export interface ScheduledExecutorService extends ExecutorService {
  /** Runs the task once, `delay` ms from now; zero and less mean now, `Infinity` never. */
  schedule<A extends unknown[], T>(
    task: (...args: A) => T | PromiseLike<T>,
    delay: number,
    ...args: A
  ): ScheduledFuture<T>

  /**
   * Runs the task `initialDelay` ms from now and then every `period` ms, measured from start to start. A run never
   * overlaps the one before it, and is over when its promise is; runs that came too late are made up for one after
   * the other. The first error ends the series, and the future fails with it; otherwise only `cancel()` or the end of
   * the executor does.
   */
  scheduleAtFixedRate<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    period: number,
    ...args: A
  ): ScheduledFuture<void>

  /**
   * Runs the task `initialDelay` ms from now and then again `delay` ms after the end of each run. Ends as a series at
   * a fixed rate does.
   */
  scheduleWithFixedDelay<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    delay: number,
    ...args: A
  ): ScheduledFuture<void>
}
