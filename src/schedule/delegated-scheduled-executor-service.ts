import { typeError } from "../checks.ts"
import { DelegatedExecutorService } from "../executor/service/delegated-executor-service.ts"
import type { TaskOptions } from "../executor/executor.ts"
import type { CronOptions } from "./cron-calendar.ts"
import type { ScheduledExecutorService, ScheduledFuture } from "./scheduled-future.ts"

/** A scheduled executor service and nothing more: its settings and policies cannot be reached through it. */
export class DelegatedScheduledExecutorService extends DelegatedExecutorService implements ScheduledExecutorService {
  readonly #executor: ScheduledExecutorService

  constructor(executor: ScheduledExecutorService) {
    if (typeof (executor as Partial<ScheduledExecutorService> | null | undefined)?.schedule !== "function") {
      throw typeError("executor", "a ScheduledExecutorService", executor)
    }
    super(executor)
    this.#executor = executor
  }

  /** @internal */
  protected override get shareableName(): string {
    return "DelegatedScheduledExecutorService"
  }

  override with(options: TaskOptions): ScheduledExecutorService {
    return new DelegatedScheduledExecutorService(this.#executor.with(options))
  }

  schedule<A extends unknown[], T>(
    task: (...args: A) => T | PromiseLike<T>,
    delay: number,
    ...args: A
  ): ScheduledFuture<T> {
    return this.#executor.schedule(task, delay, ...args)
  }

  scheduleAtFixedRate<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    period: number,
    ...args: A
  ): ScheduledFuture<void> {
    return this.#executor.scheduleAtFixedRate(task, initialDelay, period, ...args)
  }

  scheduleWithFixedDelay<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    delay: number,
    ...args: A
  ): ScheduledFuture<void> {
    return this.#executor.scheduleWithFixedDelay(task, initialDelay, delay, ...args)
  }

  scheduleCron<A extends unknown[]>(
    task: (...args: A) => unknown,
    expression: string,
    options?: CronOptions,
    ...args: A
  ): ScheduledFuture<void> {
    return this.#executor.scheduleCron(task, expression, options, ...args)
  }
}
