import { CALLABLE, RETRIES } from "../executor/internals.ts"
import { CORE } from "../queue/base/internals.ts"
import { ENGINE, GIVE_TO_ENGINE, ON_SHUTDOWN } from "../pool/internals.ts"
import {
  MAX_VALUE,
  requireBoolean,
  requireFunction,
  requireInteger,
  requireOptions,
  type Known,
  requirePositiveDuration,
  requireTimeout,
} from "../checks.ts"
import { UnsupportedOperationError } from "../errors.ts"
import type { Future } from "../future/future.ts"
import { FutureTask } from "../future/future-task.ts"
import { type Callable, callableOf, requireRunnable, type Runnable } from "../future/runnable.ts"
import type { AnyFunction, ArgumentsOf, ResultOf } from "../future/signatures.ts"
import type { Times } from "../memory/structures/histogram.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import { platform } from "../pool/platform-support.ts"
import { sentPool } from "../pool/sent-pool.ts"
import type { RejectedExecutionHandler } from "../pool/rejection.ts"
import { ThreadPoolExecutor } from "../pool/thread-pool-executor.ts"
import type { PoolStats, ThreadPoolOptions } from "../pool/thread-pool-options.ts"
import { DROP_DELAYED, GO_ON_WITH_PERIODIC, REMOVE_CANCELLED } from "../core/timetable.ts"
import { requireThreadFactory, type ThreadFactory } from "../thread/thread-factory.ts"
import { type Clock, requireClock, systemClock } from "../time/clock.ts"
import { CronCalendar, type CronOptions } from "./cron-calendar.ts"
import { CronRun } from "./cron-run.ts"
import { type CronOrder, type CronRunFuture, CronSeries } from "./cron-series.ts"
import { type DelayedWorkCore, DelayedWorkQueue } from "./delayed-work-queue.ts"
import { DelegatedScheduledExecutorService } from "./delegated-scheduled-executor-service.ts"
import type { ScheduledExecutorService, ScheduledFuture } from "./scheduled-future.ts"
import { LocalPlanning, type PlannedPool, type Planning, SharedPlanning } from "./planning.ts"
import { ScheduledTask } from "./scheduled-task.ts"

/** Settings of a `ScheduledThreadPoolExecutor`. */
export interface ScheduledThreadPoolOptions {
  /** How many threads to keep. With 0 there is one while anything is scheduled. */
  readonly corePoolSize: number
  /** Makes the threads: `platformThreads()`, the default, or `virtualThreads()`. */
  readonly threadFactory?: ThreadFactory
  /** What to do with a task that comes after shutdown; default `AbortPolicy`. */
  readonly handler?: RejectedExecutionHandler
  /** The name of the pool in messages. */
  readonly name?: string
  /** The clock: for tests, a `ManualClock` of `corepool/testing`. Only a pool of virtual threads can have one. */
  readonly clock?: Clock
}

/** See `ScheduledThreadPoolExecutor.stats`. */
export interface ScheduledPoolStats extends PoolStats {
  /** How long after they were due tasks have begun, in ms. */
  readonly lateness: Times
}

/**
 * How long a thread beyond the core size stays, as in the JDK: for a core size of 0, or if core threads may time out.
 */
const KEEP_ALIVE = 10

/**
 * A thread pool whose tasks have times: once after a delay, or again and again.
 *
 * It is a ThreadPoolExecutor of fixed core size over an unbounded queue: `maximumPoolSize` has no effect. `execute` and
 * `submit` schedule without delay, so the error of an executed command is in a future that no program has, and is not
 * reported.
 *
 * Times are kept by the monotonic clock, and a task never starts early. How late it starts depends on the threads:
 * all tasks that are due at the same time need one each, and an event loop that is busy starts nothing.
 *
 * After `shutdown()` delayed tasks still run and periodic ones are cancelled, unless the two policies say otherwise,
 * which may also be set then. A cancelled task stays in the queue until its time, unless `removeOnCancel`.
 *
 * A program does not end while a run is due at some time. A program whose tasks have all been run or cancelled ends,
 * whether the pool is shut down or not.
 *
 * **Memory effects.** What was written before a task was scheduled is visible to its runs; what a run of a periodic
 * task wrote is visible to the next run.
 *
 * @example
 * ```ts
 * import { ScheduledThreadPoolExecutor, virtualThreads } from "corepool"
 *
 * await using timers = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads() })
 * const beat = timers.scheduleAtFixedRate(() => console.log("tick"), 0, 60_000)
 * const reminder = timers.schedule(() => "tea", 10)
 * console.log(await reminder)
 * beat.cancel()
 * // => tick
 * // => tea
 * ```
 */
export class ScheduledThreadPoolExecutor extends ThreadPoolExecutor implements ScheduledExecutorService {
  readonly #planning: Planning
  /** What the queue holds for a future that was given to `execute`, or for a series by the calendar. */
  readonly #queued = new WeakMap<object, FutureTask<unknown>>()

  /**
   * @throws TypeError for an option that does not exist or is of the wrong kind, `RangeError` for a size out of range.
   */
  constructor(options: ScheduledThreadPoolOptions)
  /** @internal `newFactory` makes the factory if the options name none. */
  constructor(options: ScheduledThreadPoolOptions, newFactory?: () => ThreadFactory)
  constructor(options: ScheduledThreadPoolOptions, newFactory: () => ThreadFactory = () => platform().newFactory()) {
    super(sentPool(options) === undefined ? poolOptionsOf(options, newFactory) : (options as never))
    const { queue } = this as { queue: unknown }
    this.#planning = queue instanceof DelayedWorkQueue ? this.#planHere(queue) : this.#planInSharedMemory()
  }

  #planHere(queue: DelayedWorkQueue): Planning {
    const core = queue[CORE] as DelayedWorkCore
    core.serve(this)
    return new LocalPlanning(queue, core, this.#planned())
  }

  #planInSharedMemory(): Planning {
    knowScheduledPools()
    return new SharedPlanning(this.#planned())
  }

  #planned(): PlannedPool {
    return {
      engine: this[ENGINE],
      isShutdown: () => this.isShutdown,
      giveToEngine: (task) => this[GIVE_TO_ENGINE](task),
      reject: (task) => this.handler(task, this),
      cancelled: (task) => {
        if (this.removeOnCancel) super.remove(task)
      },
    }
  }

  /** The same pool that another thread has posted; see `ThreadPoolExecutor.from`. */
  static override from(shared: Shared): ScheduledThreadPoolExecutor {
    return platform().openOnce(shared, (sent) => new ScheduledThreadPoolExecutor(sent as never))
  }

  // ------------------------------------------------------------------ scheduling

  schedule<A extends unknown[], T>(
    task: (...args: A) => T | PromiseLike<T>,
    delay: number,
    ...args: A
  ): ScheduledFuture<T> {
    requireFunction("task", task)
    return this.#start(this[CALLABLE](task, args), requireTimeout("delay", delay), 0)
  }

  scheduleAtFixedRate<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    period: number,
    ...args: A
  ): ScheduledFuture<void> {
    requireFunction("task", task)
    requireTimeout("initialDelay", initialDelay)
    requirePositiveDuration("period", period)
    return this.#start(this[CALLABLE](task, args) as Callable<void>, initialDelay, period)
  }

  scheduleWithFixedDelay<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    delay: number,
    ...args: A
  ): ScheduledFuture<void> {
    requireFunction("task", task)
    requireTimeout("initialDelay", initialDelay)
    requirePositiveDuration("delay", delay)
    return this.#start(this[CALLABLE](task, args) as Callable<void>, initialDelay, -delay)
  }

  scheduleCron<A extends unknown[]>(
    task: (...args: A) => unknown,
    expression: string,
    options?: CronOptions,
    ...args: A
  ): ScheduledFuture<void> {
    requireFunction("task", task)
    const calendar = new CronCalendar(expression, options)
    return new CronSeries(this[CALLABLE](task, args), calendar, expression, {
      clock: this.#planning.clock,
      startRun: (order) => this.#startRun(order),
      takeBack: (run) => {
        this.remove(run)
        run.cancel()
      },
    })
  }

  override execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    requireRunnable("command", command)
    if (!(command instanceof FutureTask)) {
      const isFunction = typeof command === "function"
      this.#start(isFunction ? this[CALLABLE](command, args) : callableOf(command, undefined), 0, 0)
    } else {
      const queued = this.#planning.enclose(command)
      if (queued !== command) this.#queued.set(command, queued)
      this.#admit(queued)
    }
  }

  override submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): ScheduledFuture<T>
  override submit<F extends AnyFunction, A extends ArgumentsOf<F> & unknown[]>(
    task: F,
    ...args: A
  ): ScheduledFuture<ResultOf<F, A>>
  override submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): ScheduledFuture<T> {
    return this.schedule(task, 0, ...args)
  }

  /** Takes a scheduled task out of the queue, if it waits for its time. True if it did; then cancel its future, too. */
  override remove(command: Runnable | Future<unknown>): boolean {
    return super.remove(this.#queued.get(command) ?? command)
  }

  // ------------------------------------------------------------------ policies

  /** Whether periodic tasks go on after `shutdown()`; default false. */
  get continueExistingPeriodicTasksAfterShutdown(): boolean {
    return this[ENGINE].state.hasPolicy(GO_ON_WITH_PERIODIC)
  }

  set continueExistingPeriodicTasksAfterShutdown(value: boolean) {
    requireBoolean("continueExistingPeriodicTasksAfterShutdown", value)
    this[ENGINE].state.setPolicy(GO_ON_WITH_PERIODIC, value)
    if (!value && this.isShutdown) this[ON_SHUTDOWN]()
  }

  /** Whether delayed tasks still run after `shutdown()`; default true. A task that is due by then runs in any case. */
  get executeExistingDelayedTasksAfterShutdown(): boolean {
    return !this[ENGINE].state.hasPolicy(DROP_DELAYED)
  }

  set executeExistingDelayedTasksAfterShutdown(value: boolean) {
    requireBoolean("executeExistingDelayedTasksAfterShutdown", value)
    this[ENGINE].state.setPolicy(DROP_DELAYED, !value)
    if (!value && this.isShutdown) this[ON_SHUTDOWN]()
  }

  /** Whether a cancelled task leaves the queue at once; default false. */
  get removeOnCancel(): boolean {
    return this[ENGINE].state.hasPolicy(REMOVE_CANCELLED)
  }

  set removeOnCancel(value: boolean) {
    this[ENGINE].state.setPolicy(REMOVE_CANCELLED, requireBoolean("removeOnCancel", value))
  }

  // ------------------------------------------------------------------ statistics

  /** As for any pool, and how late tasks have begun. Waiting begins when a task is due: `wait` is the same. */
  override stats(): ScheduledPoolStats {
    const lateness = this[ENGINE].times.lateness.times
    return { ...super.stats(), wait: lateness, lateness }
  }

  // ------------------------------------------------------------------ inside

  #start<T>(callable: Callable<T>, delay: number, period: number): ScheduledFuture<T> {
    const time = this.#planning.clock.time() + Math.max(0, delay)
    const task = new ScheduledTask(callable, time, period, this.#planning)
    this.#admit(task)
    return task
  }

  #admit(task: FutureTask<unknown>): void {
    if (this[RETRIES]?.refuses === true) this.handler(task, this)
    else this.#planning.admit(task)
  }

  #startRun(order: CronOrder): CronRunFuture {
    const before = this.#queued.get(order.series) as CronRun | undefined
    const run = new CronRun(order, this.#planning, before?.number, this.#planning.margin)
    this.#queued.set(order.series, run)
    if (order.isFirst) this.#admit(run)
    else this.#planning.admitNext(run)
    return run
  }

  /** @internal Cancels waiting tasks that may not run any more. */
  protected override [ON_SHUTDOWN](): void {
    this.#planning.dropUnwanted()
  }
}

const SCHEDULED_OPTIONS: Known<ScheduledThreadPoolOptions> = {
  corePoolSize: true,
  threadFactory: true,
  handler: true,
  name: true,
  clock: true,
}

function poolOptionsOf(given: ScheduledThreadPoolOptions, newFactory: () => ThreadFactory): ThreadPoolOptions {
  const options = requireOptions("options", given, SCHEDULED_OPTIONS, "an object with corePoolSize")
  const corePoolSize = requireInteger("corePoolSize", options.corePoolSize, 0)
  const { clock, ...others } = options
  const threadFactory = others.threadFactory === undefined ? newFactory() : others.threadFactory
  const { isVirtual } = requireThreadFactory("threadFactory", threadFactory)
  if (clock !== undefined && requireClock("clock", clock) !== systemClock && !isVirtual) {
    throw new UnsupportedOperationError(
      "Platform threads wait by the system's clock, and so cannot follow another: pass `threadFactory: virtualThreads()` together with `clock`",
    )
  }
  return {
    ...others,
    threadFactory,
    corePoolSize,
    maximumPoolSize: MAX_VALUE,
    keepAliveTime: KEEP_ALIVE,
    workQueue: isVirtual ? new DelayedWorkQueue(clock) : platform().newTimedQueue(),
  }
}

/**
 * From now on such pools can be sent to other threads and come back. Not in the constructor: the closures are
 * registered for ever, and must not hold the pool.
 */
export function knowScheduledPools(): void {
  platform().knowScheduledPools(
    (shared) => ScheduledThreadPoolExecutor.from(shared),
    (inner) => new DelegatedScheduledExecutorService(inner),
  )
}
