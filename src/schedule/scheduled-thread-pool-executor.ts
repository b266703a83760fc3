/**
 * A thread pool whose tasks have times: once after a delay, or again and again.
 *
 *     await using timers = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads() })
 *     timers.scheduleAtFixedRate(() => sample(), 0, 1000)
 *     const reminder = timers.schedule(() => ring(), 60_000)
 *
 * It is a ThreadPoolExecutor of fixed core size over an unbounded queue: `maximumPoolSize` has no effect. `execute`
 * and `submit` schedule with no delay, so the error of an executed command is in a future that nobody has, and not
 * reported.
 *
 * Times are kept by the monotonic clock, and a task never starts early. How late it starts depends on the threads:
 * all tasks that are due at the same time need one each, and an event loop that is busy starts nothing.
 *
 * After `shutdown()` delayed tasks still run and periodic ones are cancelled, unless told otherwise by the two
 * policies, which may also be set then. A cancelled task stays in the queue until its time, unless `removeOnCancel`.
 *
 * A program does not end while a run is due at some time. One whose tasks have all been run or cancelled ends, shut
 * down or not.
 */
import {
  MAX_VALUE,
  requireBoolean,
  requireInteger,
  requireObject,
  requirePositiveDuration,
  requireTimeout,
} from "../checks.ts"
import { UnsupportedOperationError } from "../errors.ts"
import type { Future } from "../future/future.ts"
import { FutureTask } from "../future/future-task.ts"
import { bind, type Callable, callableOf, requireRunnable, type Runnable } from "../future/runnable.ts"
import type { RejectedExecutionHandler } from "../pool/rejection.ts"
import { ThreadPoolExecutor } from "../pool/thread-pool-executor.ts"
import { Thread } from "../thread/thread.ts"
import type { ThreadFactory } from "../thread/thread-factory.ts"
import { now } from "../time/timer.ts"
import { DelayedWorkQueue } from "./delayed-work-queue.ts"
import type { ScheduledExecutorService, ScheduledFuture } from "./scheduled-future.ts"
import { EnclosedTask, type Period, type ScheduleHost, ScheduledTask } from "./scheduled-task.ts"

export interface ScheduledThreadPoolOptions {
  /** How many threads to keep. With 0 there is one while anything is scheduled. */
  readonly corePoolSize: number
  /** Makes the threads. For now it must be given, and be `virtualThreads()`: worker threads cannot wait for a time yet. */
  readonly threadFactory?: ThreadFactory
  /** What to do with a task that comes after shutdown; default `AbortPolicy`. */
  readonly handler?: RejectedExecutionHandler
  /** What the pool is called in messages. */
  readonly name?: string
}

/**
 * How long a thread beyond the core size stays, as in the JDK: matters for a core size of 0, and if core threads may
 * time out.
 */
const KEEP_ALIVE = 10

export class ScheduledThreadPoolExecutor extends ThreadPoolExecutor implements ScheduledExecutorService {
  readonly #tasks: DelayedWorkQueue
  readonly #host: ScheduleHost
  /** Which task encloses a future that was given to `execute`. */
  readonly #enclosing = new WeakMap<object, EnclosedTask>()
  #continuePeriodic = false
  #executeDelayed = true
  #removeOnCancel = false

  constructor(options: ScheduledThreadPoolOptions) {
    requireObject("options", options, "an object with corePoolSize")
    const corePoolSize = requireInteger("corePoolSize", options.corePoolSize, 0)
    if (options.threadFactory === undefined) {
      throw new UnsupportedOperationError(
        "Scheduled pools of platform threads, the default, are not available yet: pass `threadFactory: virtualThreads()`",
      )
    }
    const tasks = new DelayedWorkQueue()
    super({
      ...options,
      corePoolSize,
      maximumPoolSize: MAX_VALUE,
      keepAliveTime: KEEP_ALIVE,
      workQueue: tasks,
    })
    this.#tasks = tasks
    tasks.serve(this)
    this.#host = {
      mayRun: (task) => this.#mayRun(task),
      requeue: (task) => this.#requeue(task),
      cancelled: (task) => {
        if (this.#removeOnCancel) this.remove(task)
      },
      ended: (task) => tasks.ended(task),
    }
  }

  // ------------------------------------------------------------------ scheduling

  schedule<A extends unknown[], T>(
    task: (...args: A) => T | PromiseLike<T>,
    delay: number,
    ...args: A
  ): ScheduledFuture<T> {
    const callable = bind(task, ...args)
    return this.#start(callable, requireTimeout("delay", delay), undefined)
  }

  scheduleAtFixedRate<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    period: number,
    ...args: A
  ): ScheduledFuture<void> {
    const callable = bind(task, ...args) as Callable<void>
    requireTimeout("initialDelay", initialDelay)
    return this.#start(callable, initialDelay, { rate: requirePositiveDuration("period", period) })
  }

  scheduleWithFixedDelay<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    delay: number,
    ...args: A
  ): ScheduledFuture<void> {
    const callable = bind(task, ...args) as Callable<void>
    requireTimeout("initialDelay", initialDelay)
    return this.#start(callable, initialDelay, { delay: requirePositiveDuration("delay", delay) })
  }

  override execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    requireRunnable("command", command)
    if (command instanceof FutureTask) {
      const enclosed = new EnclosedTask(command, now(), this.#host)
      this.#enclosing.set(command, enclosed)
      this.#admit(enclosed)
    } else {
      const callable = typeof command === "function" ? bind(command, ...args) : callableOf(command, undefined)
      this.#start(callable, 0, undefined)
    }
  }

  override submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): ScheduledFuture<T> {
    return this.schedule(task, 0, ...args)
  }

  /**
   * Takes back a scheduled task by its future, if it waits for its time. True if it did; the future is then nobody's:
   * cancel it too.
   */
  override remove(command: Runnable | Future<unknown>): boolean {
    return super.remove(this.#enclosing.get(command) ?? command)
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

  /** Whether delayed tasks still run after `shutdown()`; default true. What is due by then runs in any case. */
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
    this.#admit(task)
    return task
  }

  /**
   * The thread comes before the task: if the factory throws, nothing was accepted. The task is looked at again after
   * it was added, since the factory is the user's and may have shut the pool down.
   */
  #admit(task: ScheduledTask<unknown>): void {
    if (this.isShutdown) {
      this.reject(task)
      return
    }
    this.ensureWorker()
    this.#tasks.add(task)
    if (this.#mayRun(task) || !this.#tasks.remove(task)) return
    task.cancel()
    this.tryTerminate()
  }

  #requeue(task: ScheduledTask<unknown>): void {
    if (!this.#mayRun(task)) {
      task.cancel()
      return
    }
    this.#tasks.add(task)
    try {
      this.ensureWorker()
    } catch (error) {
      Thread.currentThread().reportUncaught(error) // of the factory; this thread is there and must go on
    }
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
