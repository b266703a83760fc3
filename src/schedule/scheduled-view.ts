import { CALLABLE } from "../executor/internals.ts"
import { START, START_CRON } from "./internals.ts"
import { alone, requireFunction, requireSeries, requireTimeout } from "../checks.ts"
import { UnsupportedOperationError } from "../errors.ts"
import type { Capture } from "../executor/capture/capturing.ts"
import type { TaskHost, TaskOptions } from "../executor/executor.ts"
import { ExecutorView, requireTaskOptions } from "../executor/service/with-options.ts"
import { renamed } from "../future/call.ts"
import type { Callable } from "../future/runnable.ts"
import type { CronOptions } from "./cron-calendar.ts"
import type { ScheduledExecutorService, ScheduledFuture } from "./scheduled-future.ts"

/** What a schedule can have of the options of tasks. */
export type ScheduleOptions = Pick<TaskOptions, "name" | "signal">

/** What a view needs of its executor. */
export interface SchedulingHost extends ScheduledExecutorService, TaskHost {
  [START]<T>(callable: Callable<T>, delay: number, period: number, options: ScheduleOptions): ScheduledFuture<T>
  [START_CRON](
    callable: Callable<unknown>,
    expression: string,
    cron: CronOptions | undefined,
    options: ScheduleOptions,
  ): ScheduledFuture<void>
}

/** A scheduled executor with options for its tasks. */
export class ScheduledExecutorView extends ExecutorView implements ScheduledExecutorService {
  readonly #executor: SchedulingHost
  readonly #options: TaskOptions

  constructor(executor: SchedulingHost, options: TaskOptions) {
    super(executor, options)
    this.#executor = executor
    this.#options = options
  }

  override with(options: TaskOptions): ScheduledExecutorService {
    return new ScheduledExecutorView(this.#executor, alone({ ...this.#options, ...requireTaskOptions(options) }))
  }

  schedule<A extends unknown[], T>(
    task: (...args: A) => T | PromiseLike<T>,
    delay: number,
    ...args: A
  ): ScheduledFuture<T> {
    requireFunction("task", task)
    return this.#start(task, args, requireTimeout("delay", delay), 0)
  }

  scheduleAtFixedRate<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    period: number,
    ...args: A
  ): ScheduledFuture<void> {
    requireSeries(task, initialDelay, "period", period)
    return this.#start<A, void>(task as never, args, initialDelay, period)
  }

  scheduleWithFixedDelay<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    delay: number,
    ...args: A
  ): ScheduledFuture<void> {
    requireSeries(task, initialDelay, "delay", delay)
    return this.#start<A, void>(task as never, args, initialDelay, -delay)
  }

  scheduleCron<A extends unknown[]>(
    task: (...args: A) => unknown,
    expression: string,
    options?: CronOptions,
    ...args: A
  ): ScheduledFuture<void> {
    requireFunction("task", task)
    const own = this.#scheduleOptions()
    return this.#captured(this.#callable(task, args), (made) =>
      this.#executor[START_CRON](made, expression, options, own),
    )
  }

  #start<A extends unknown[], T>(
    task: (...args: A) => T | PromiseLike<T>,
    args: A,
    delay: number,
    period: number,
  ): ScheduledFuture<T> {
    const own = this.#scheduleOptions()
    return this.#captured(this.#callable(task, args), (made) => this.#executor[START](made, delay, period, own))
  }

  #captured<T, F>(callable: Callable<T>, start: (callable: Callable<T>) => F): F {
    const capture = this.#options.capture as Capture | undefined
    return capture?.future(callable, start) ?? start(callable)
  }

  #callable<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
    const callable = this[CALLABLE](task, args)
    return this.#options.name === undefined ? callable : renamed(callable, this.#options.name)
  }

  /** Options that are for tasks which run at once are refused rather than ignored. */
  #scheduleOptions(): ScheduleOptions {
    const { name, signal, capture: _, ...others } = this.#options
    const wrong = Object.entries(others).find(([, value]) => value !== undefined)
    if (wrong !== undefined) {
      throw new UnsupportedOperationError(
        `\`${wrong[0]}\` is for tasks that run at once: a schedule can have \`name\`, \`signal\` and \`capture\``,
      )
    }
    return { ...(name === undefined ? {} : { name }), ...(signal === undefined ? {} : { signal }) }
  }
}
