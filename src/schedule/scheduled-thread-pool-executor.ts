/**
 * A thread pool whose tasks have times: once after a delay, or again and again.
 *
 *     await using timers = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads() })
 *     timers.scheduleAtFixedRate(() => sample(), 0, 1000)
 *     const reminder = timers.schedule(() => ring(), 60_000)
 *
 * It is a ThreadPoolExecutor of fixed core size over an unbounded delay queue: `maximumPoolSize` has no effect. `execute` and `submit` schedule with
 * no delay, so the error of an executed command is in a future that nobody has, and not reported.
 *
 * After `shutdown()` delayed tasks still run and periodic ones are cancelled, unless told otherwise by the two policies, which may also be
 * set then. A cancelled task stays in the queue until its time, unless `removeOnCancel`.
 */
import {
  MAX_VALUE,
  requireBoolean,
  requireInteger,
  requireObject,
  requirePositiveDuration,
  requireTimeout,
} from "../checks.ts"
import { bind, type Callable, callableOf, requireRunnable, type Runnable } from "../future/runnable.ts"
import type { RejectedExecutionHandler } from "../pool/rejection.ts"
import { ThreadPoolExecutor } from "../pool/thread-pool-executor.ts"
import { DelayQueue } from "../queue/delay-queue.ts"
import type { ThreadFactory } from "../thread/thread-factory.ts"
import { now } from "../time/timer.ts"
import type { ScheduledExecutorService, ScheduledFuture } from "./scheduled-future.ts"
import { type Period, type ScheduleHost, ScheduledTask } from "./scheduled-task.ts"

export interface ScheduledThreadPoolOptions {
  /** How many threads to keep. With 0 there is one while anything is scheduled. */
  readonly corePoolSize: number
  readonly threadFactory?: ThreadFactory
  readonly handler?: RejectedExecutionHandler
  readonly name?: string
}

/** How long a thread beyond the core size stays, as in the JDK: matters only for a core size of 0. */
const KEEP_ALIVE = 10

/** What the executor keeps its tasks in: by due time, then in the order of their creation. */
class DelayedWorkQueue extends DelayQueue<ScheduledTask<unknown>> {}

export class ScheduledThreadPoolExecutor extends ThreadPoolExecutor implements ScheduledExecutorService {
  readonly #tasks: DelayedWorkQueue
  readonly #host: ScheduleHost
  #continuePeriodic = false
  #executeDelayed = true
  #removeOnCancel = false

  constructor(options: ScheduledThreadPoolOptions) {
    requireObject("options", options, "an object with corePoolSize")
    const tasks = new DelayedWorkQueue()
    super({
      ...options,
      corePoolSize: requireInteger("corePoolSize", options.corePoolSize, 0),
      maximumPoolSize: MAX_VALUE,
      keepAliveTime: KEEP_ALIVE,
      workQueue: tasks,
    })
    this.#tasks = tasks
    this.#host = {
      mayRun: (task) => this.#mayRun(task),
      requeue: (task) => this.#requeue(task),
      cancelled: (task) => {
        if (this.#removeOnCancel) this.remove(task)
      },
    }
  }

  // ------------------------------------------------------------------ scheduling

  schedule<A extends unknown[], T>(
    task: (...args: A) => T | PromiseLike<T>,
    delay: number,
    ...args: A
  ): ScheduledFuture<T> {
    return this.#start(bind(task, ...args), requireTimeout("delay", delay), undefined)
  }

  scheduleAtFixedRate<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    period: number,
    ...args: A
  ): ScheduledFuture<void> {
    const body = bind(task, ...args) as Callable<void>
    requireTimeout("initialDelay", initialDelay)
    return this.#start(body, initialDelay, { rate: requirePositiveDuration("period", period) })
  }

  scheduleWithFixedDelay<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    delay: number,
    ...args: A
  ): ScheduledFuture<void> {
    const body = bind(task, ...args) as Callable<void>
    requireTimeout("initialDelay", initialDelay)
    return this.#start(body, initialDelay, { delay: requirePositiveDuration("delay", delay) })
  }

  override execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    requireRunnable("command", command)
    const callable = typeof command === "function" ? bind(command, ...args) : callableOf(command, undefined)
    this.#start(callable, 0, undefined)
  }

  override submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): ScheduledFuture<T> {
    return this.schedule(task, 0, ...args)
  }

  // ------------------------------------------------------------------ policies

  /** Whether periodic tasks go on after `shutdown()`; default false. */
  get continueExistingPeriodicTasksAfterShutdown(): boolean {
    return this.#continuePeriodic
  }

  set continueExistingPeriodicTasksAfterShutdown(value: boolean) {
    this.#continuePeriodic = requireBoolean("continueExistingPeriodicTasksAfterShutdown", value)
    if (!value && this.isShutdown) this.#dropUnwanted()
  }

  /** Whether delayed tasks still run after `shutdown()`; default true. */
  get executeExistingDelayedTasksAfterShutdown(): boolean {
    return this.#executeDelayed
  }

  set executeExistingDelayedTasksAfterShutdown(value: boolean) {
    this.#executeDelayed = requireBoolean("executeExistingDelayedTasksAfterShutdown", value)
    if (!value && this.isShutdown) this.#dropUnwanted()
  }

  /** Whether a cancelled task leaves the queue at once; default false. */
  get removeOnCancel(): boolean {
    return this.#removeOnCancel
  }

  set removeOnCancel(value: boolean) {
    this.#removeOnCancel = requireBoolean("removeOnCancel", value)
  }

  // ------------------------------------------------------------------ inside

  #start<T>(callable: Callable<T>, delay: number, period: Period): ScheduledFuture<T> {
    const task = new ScheduledTask(callable, now() + Math.max(0, delay), period, this.#host)
    if (this.isShutdown) {
      this.reject(task)
      return task
    }
    this.#tasks.add(task)
    this.#keepOrCancel(task)
    return task
  }

  #requeue(task: ScheduledTask<unknown>): void {
    if (!this.#mayRun(task)) {
      task.cancel()
      return
    }
    this.#tasks.add(task)
    this.#keepOrCancel(task)
  }

  /** Looks again after adding: a shutdown in between must neither lose the task nor leave it without a worker. */
  #keepOrCancel(task: ScheduledTask<unknown>): void {
    if (!this.#mayRun(task) && this.remove(task)) task.cancel()
    else this.ensureWorker()
  }

  #mayRun(task: ScheduledTask<unknown>): boolean {
    if (!this.isShutdown) return true
    if (this.isStopped) return false
    return task.isPeriodic ? this.#continuePeriodic : this.#executeDelayed || task.delay <= 0
  }

  /** @internal */
  protected override onShutdown(): void {
    this.#dropUnwanted()
  }

  /** Cancels what may no longer run, and lets go of what is cancelled already. */
  #dropUnwanted(): void {
    for (const task of this.#tasks.toArray()) {
      if (this.#mayRun(task) && !task.isCancelled) continue
      if (this.#tasks.remove(task)) task.cancel()
    }
    this.tryTerminate()
  }
}
