/** The interfaces of scheduling: tasks that run later, once or again and again. */
import type { ExecutorService, TaskOptions } from "../executor/executor.ts"
import type { Future } from "../future/future.ts"
import type { Runnable } from "../future/runnable.ts"
import type { CronOptions } from "./cron-calendar.ts"

/** The future of a task that runs later, once or again and again. */
export interface ScheduledFuture<T> extends Future<T> {
  /** The name that the schedule was given, by `with({ name })` of a `ScheduledThreadPoolExecutor`. */
  readonly name?: string | undefined

  /** Milliseconds until the next run; zero or less once it is due, and so while it runs. `Infinity` if it never is. */
  readonly delay: number

  /** True if it runs again and again. */
  readonly isPeriodic: boolean

  /**
   * When the next run is due, by the wall clock as it is set now. Undefined if there will be none (the task is done,
   * or was removed, or is due later than any Date), and while it is not known: a task with a fixed delay that is
   * running.
   */
  readonly nextRunAt: Date | undefined

  /**
   * From now on the process does not stay alive for this task, as with a timer of Node: the task runs only while
   * something else keeps the process alive. Also for the runs to come of a series. No effect once the task is done.
   */
  unref(): this

  /** Takes {@link unref} back: the process stays alive for the task, which is the default. */
  ref(): this
}

/** An executor whose tasks can have times: once after a delay, or again and again. */
export interface ScheduledExecutorService<Unrun = Runnable[]> extends ExecutorService<Unrun> {
  /**
   * The same executor, with these options for every task given to it through the returned view. A schedule of a
   * `ScheduledThreadPoolExecutor` can have a `name`, by which the executor finds it again, and a `signal`, which
   * cancels it.
   */
  with(options: TaskOptions): ScheduledExecutorService<Unrun>

  /**
   * Runs the task once, `delay` ms from now; zero and less mean now, `Infinity` never.
   *
   * @throws RejectedExecutionError if the executor is shut down.
   */
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
   *
   * @throws RejectedExecutionError if the executor is shut down, `RangeError` unless `period` is more than 0.
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
   *
   * @throws RejectedExecutionError if the executor is shut down, `RangeError` unless `delay` is more than 0.
   */
  scheduleWithFixedDelay<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    delay: number,
    ...args: A
  ): ScheduledFuture<void>

  /**
   * Runs the task whenever the expression comes true by the wall clock of the time zone. Beyond Java; needs the package
   * croner (`npm install croner@~11.0`).
   *
   *     executor.scheduleCron(sendReport, "30 8 * * MON-FRI", { timezone: "Europe/Berlin" })
   *
   * The expression has five fields (minute, hour, day of the month, month, day of the week), six with seconds in front,
   * or seven with years behind. Next to lists, ranges and steps there are `L` (the last), `15W` (the weekday nearest to
   * the 15th), `FRI#2` (the second Friday) and `@daily` and its like. If both the day of the month and that of the week
   * are given, either will do.
   *
   * A time that a change to summer time leaves out is kept as soon as the gap is over, a time that comes twice is kept
   * the first time. That is for fixed times, of one second, minute and hour; with several or any of these the task runs
   * at all times that exist, in both passes.
   *
   * A run is over when its promise is, and only then the next is planned, for the first time after that: runs never
   * overlap, and missed runs are not made up for. A run that was late still runs, once. The series ends as one at a
   * fixed rate does, and also when the expression cannot come true any more: then the future succeeds.
   *
   * @throws RejectedExecutionError if the executor is shut down, `RangeError` for an invalid expression or time zone,
   * `UnsupportedOperationError` if croner is not installed.
   */
  scheduleCron<A extends unknown[]>(
    task: (...args: A) => unknown,
    expression: string,
    options?: CronOptions,
    ...args: A
  ): ScheduledFuture<void>
}
