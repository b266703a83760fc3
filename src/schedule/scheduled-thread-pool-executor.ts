import { CALLABLE, RETRIES } from "../executor/internals.ts"
import { CORE } from "../queue/base/internals.ts"
import { ENGINE, GIVE_TO_ENGINE, INFO, ON_SHUTDOWN, REFUSE } from "../pool/internals.ts"
import { ABANDON, WATCH } from "../future/internals.ts"
import { START, START_CRON } from "./internals.ts"
import { alone, requireBoolean, requireFunction, requireSeries, requireString, requireTimeout } from "../checks.ts"
import type { TaskOptions } from "../executor/executor.ts"
import { Limits } from "../executor/limits.ts"
import { requireTaskOptions } from "../executor/service/with-options.ts"
import type { Future } from "../future/future.ts"
import { FutureTask } from "../future/future-task.ts"
import { type Callable, callableOf, requireRunnable, type Runnable } from "../future/runnable.ts"
import type { AnyFunction, ArgumentsOf, ResultOf } from "../future/signatures.ts"
import { guarded } from "../memory/flow/guard.ts"
import type { Times } from "../memory/structures/histogram.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import { platform } from "../pool/platform-support.ts"
import { virtualSettings } from "../pool/pool-settings.ts"
import { sentPool } from "../pool/sent-pool.ts"
import { ThreadPoolExecutor } from "../pool/thread-pool-executor.ts"
import type { PoolStats } from "../pool/thread-pool-options.ts"
import { DROP_DELAYED, GO_ON_WITH_PERIODIC, REMOVE_CANCELLED } from "../core/series.ts"
import type { ThreadFactory } from "../thread/thread-factory.ts"
import { CronCalendar, type CronOptions } from "./cron-calendar.ts"
import { CronRun } from "./cron-run.ts"
import { type CronOrder, type CronRunFuture, CronSeries } from "./cron-series.ts"
import { type DelayedWorkCore, DelayedWorkQueue } from "./delayed-work-queue.ts"
import { DelegatedScheduledExecutorService } from "./delegated-scheduled-executor-service.ts"
import type { ScheduledExecutorService, ScheduledFuture } from "./scheduled-future.ts"
import { type Listed, NamedSchedules } from "./named-schedules.ts"
import { LocalPlanning, type PlannedPool, type Planning, SharedPlanning } from "./planning.ts"
import { poolOptionsOf, type ScheduledThreadPoolOptions } from "./scheduled-options.ts"
import { ScheduledTask } from "./scheduled-task.ts"
import { type ScheduleOptions, ScheduledExecutorView } from "./scheduled-view.ts"

/** See `ScheduledThreadPoolExecutor.stats`. */
export interface ScheduledPoolStats extends PoolStats {
  /** How long after they were due tasks have begun, in ms. */
  readonly lateness: Times
}

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
  /** What can be listed; made with the first of them. */
  #named: NamedSchedules | undefined
  /** What the queue holds for a future that was given to `execute`, or for a series by the calendar. */
  readonly #queued = new WeakMap<object, FutureTask<unknown>>()

  /**
   * @throws TypeError for an option that does not exist or is of the wrong kind, `RangeError` for a size out of range.
   */
  constructor(options: ScheduledThreadPoolOptions)
  /** @internal `newFactory` makes the factory if the options name none. */
  constructor(options: ScheduledThreadPoolOptions, newFactory?: () => ThreadFactory)
  constructor(options: ScheduledThreadPoolOptions, newFactory: () => ThreadFactory = () => platform().newFactory()) {
    super(sentPool(options) === undefined ? poolOptionsOf(options, newFactory) : (options as never), virtualSettings)
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
      info: this[INFO],
      engine: this[ENGINE],
      isShutdown: () => this.isShutdown,
      giveToEngine: (task) => this[GIVE_TO_ENGINE](task),
      reject: (task) => this[REFUSE](task),
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
    return this[START](this[CALLABLE](task, args), requireTimeout("delay", delay), 0, UNNAMED)
  }

  scheduleAtFixedRate<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    period: number,
    ...args: A
  ): ScheduledFuture<void> {
    requireSeries(task, initialDelay, "period", period)
    return this[START](this[CALLABLE](task, args) as Callable<void>, initialDelay, period, UNNAMED)
  }

  scheduleWithFixedDelay<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    delay: number,
    ...args: A
  ): ScheduledFuture<void> {
    requireSeries(task, initialDelay, "delay", delay)
    return this[START](this[CALLABLE](task, args) as Callable<void>, initialDelay, -delay, UNNAMED)
  }

  scheduleCron<A extends unknown[]>(
    task: (...args: A) => unknown,
    expression: string,
    options?: CronOptions,
    ...args: A
  ): ScheduledFuture<void> {
    requireFunction("task", task)
    return this[START_CRON](this[CALLABLE](task, args), expression, options, UNNAMED)
  }

  /**
   * The same executor, with these options for every task given to it through the returned view. A schedule can have a
   * `name` and a `signal`: `timers.with({ name: "refresh" }).scheduleAtFixedRate(refresh, 0, 1000)`.
   */
  override with(options: TaskOptions): ScheduledExecutorService {
    return new ScheduledExecutorView(this, requireTaskOptions(options))
  }

  /**
   * The schedules that this thread has made and that are going to run or run, in the order in which they were made: all
   * series, and all other tasks that have a name. With a `name` those that have it.
   */
  schedules(name?: string): ScheduledFuture<unknown>[] {
    return this.#named?.list(name === undefined ? undefined : requireString("name", name)) ?? []
  }

  /**
   * Cancels all schedules of this thread that have the name, and says how many. With `mayInterruptIfRunning` a run that
   * is under way is interrupted.
   */
  cancelSchedules(name: string, mayInterruptIfRunning = false): number {
    requireString("name", name)
    return this.#named?.cancel(name, mayInterruptIfRunning) ?? 0
  }

  override execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    requireRunnable("command", command)
    if (!(command instanceof FutureTask)) {
      const isFunction = typeof command === "function"
      this[START](isFunction ? this[CALLABLE](command, args) : callableOf(command, undefined), 0, 0, UNNAMED)
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

  /** @internal */
  [START]<T>(callable: Callable<T>, delay: number, period: number, options: ScheduleOptions): ScheduledFuture<T> {
    const time = this.#planning.clock.time() + Math.max(0, delay)
    const task = new ScheduledTask(callable, time, period, this.#planning)
    if (options === UNNAMED && period === 0) this.#admit(task)
    else if (!this.#hasEnded(task, options)) this.#admitListed(task)
    return task
  }

  /** @internal */
  [START_CRON](
    callable: Callable<unknown>,
    expression: string,
    cron: CronOptions | undefined,
    options: ScheduleOptions,
  ): ScheduledFuture<void> {
    const calendar = new CronCalendar(expression, cron)
    const series = new CronSeries(callable, calendar, expression, {
      clock: this.#planning.clock,
      startRun: (order) => this.#startRun(order),
      takeBack: (run) => {
        this.remove(run)
        run.cancel()
      },
    })
    if (!this.#hasEnded(series, options)) this.#list(series)
    return series
  }

  /** Gives the options to a new schedule; true if its signal has aborted already. */
  #hasEnded(schedule: FutureTask<unknown> & Listed, { name, signal }: ScheduleOptions): boolean {
    schedule.name = name
    if (signal === undefined) return false
    if (signal.aborted) schedule[ABANDON](signal.reason)
    else schedule[WATCH](new Limits(schedule, alone({ signal }), this, false))
    return signal.aborted
  }

  #admitListed(task: ScheduledTask<unknown>): void {
    try {
      this.#admit(task)
    } catch (error) {
      guarded(() => task.cancel()) // no other code has it, but its signal may
      throw error
    }
    this.#list(task)
  }

  #list(schedule: Listed): void {
    if (schedule.name === undefined && !schedule.isPeriodic) return
    this.#named ??= new NamedSchedules()
    this.#named.add(schedule)
  }

  #admit(task: FutureTask<unknown>): void {
    if (this[RETRIES]?.refuses === true) this[REFUSE](task)
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

/** The options of a schedule that was made without a view. */
const UNNAMED: ScheduleOptions = /* @__PURE__ */ alone({})

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
