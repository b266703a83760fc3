import { COMPLETE } from "../future/internals.ts"
import { CALLABLE, DEFAULT_WINDOW, ORDERS_BY_PRIORITY } from "../executor/internals.ts"
import { rangeError, requireFunction, requireSeries, requireTimeout } from "../checks.ts"
import { ExecutorServiceBase, lifeOf } from "../executor/service/executor-service-base.ts"
import { callable } from "../future/call.ts"
import { UnsupportedOperationError } from "../errors.ts"
import type { MapOptions } from "../executor/executor.ts"
import { FutureTask } from "../future/future-task.ts"
import { type Callable, requireRunnable, type Runnable } from "../future/runnable.ts"
import type { AnyFunction, ArgumentsOf, ResultOf } from "../future/signatures.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { guarded } from "../memory/flow/guard.ts"
import { LOCAL } from "../memory/shared/shareables.ts"
import { awaiting, type WaitOptions } from "../memory/flow/waiting.ts"
import { CronCalendar, type CronOptions } from "../schedule/cron-calendar.ts"
import { runtime } from "#host/runtime/clock"
import {
  type DistributedFuture,
  DistributedFutureTask,
  type DistributedScheduledFuture,
} from "./job/distributed-future.ts"
import type { DistributedExecutorService, DistributedStats } from "./distributed-executor-service.ts"
import type { NodeRecord } from "../executor/fleet-records.ts"
import { belongsHere, futureOf, type JobTiming } from "./submitter/job-plan.ts"
import { type DistributedTaskOptions, requireId, requireTaskOptions, type TaskSettings } from "./job/options.ts"
import type { Submitter } from "./submitter/submitter.ts"

/** What a distributed executor and its views have in common: all but the constructor. */
export abstract class DistributedExecutorBase
  extends ExecutorServiceBase<Promise<Runnable[]>>
  implements DistributedExecutorService
{
  readonly #submitter: Submitter
  readonly #settings: TaskSettings

  /** @internal */
  constructor(submitter: Submitter, settings: TaskSettings) {
    super()
    this.#submitter = submitter
    this.#settings = settings
  }

  /** @internal */
  override get [LOCAL](): string {
    return "belongs to this thread, which follows its tasks: make another one there, of the same name"
  }

  /** @internal */
  override get [FACTS](): Facts {
    const { name, engine } = this.#submitter.settings
    return { name, engine: String(engine), state: lifeOf(this), outstanding: this.#submitter.outstanding }
  }

  // ------------------------------------------------------------------ submitting

  override submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): DistributedFuture<T>
  override submit<F extends AnyFunction, A extends ArgumentsOf<F> & unknown[]>(
    task: F,
    ...args: A
  ): DistributedFuture<ResultOf<F, A>>
  override submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): DistributedFuture<T> {
    requireFunction("task", task)
    return this.#start(callable(task, args), "submit")
  }

  execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    requireRunnable("command", command)
    if (command instanceof FutureTask) this.#adopt(command)
    else if (typeof command === "function")
      this.#submitter.submit(callable(command, args), this.#settings, this.#called("execute"))
    else throw belongsHere(command)
  }

  /** Submits a future that was made elsewhere, or a carrier of a future of this executor. */
  #adopt(task: FutureTask<unknown>): void {
    const future = futureOf(task)
    if (!future.isDone) this.#submitter.submit(task, this.#settings, this.#called("execute"))
    else if (future !== task) guarded(() => task[COMPLETE](undefined))
  }

  #start<T>(work: Callable<T>, method: string, timing?: JobTiming): DistributedFutureTask<T> {
    const future = this.#newFuture(work, timing)
    try {
      this.#submitter.submit(future, this.#settings, this.#called(method), timing)
    } catch (error) {
      guarded(() => future.cancel()) // no other code has it
      throw error
    }
    return future
  }

  /** The method that the program has called: stacks of errors begin with its caller. */
  #called(method: string): AnyFunction {
    return (this as unknown as Record<string, AnyFunction>)[method] as AnyFunction
  }

  #newFuture<T>(work: Callable<T>, timing?: JobTiming): DistributedFutureTask<T> {
    const id = this.#settings.id ?? this.#submitter.newId()
    return new DistributedFutureTask(work, id, this.#submitter.remote, timing?.kind, timing?.period)
  }

  /** @internal Called for each task by methods that make many tasks; `submit` does not call it. */
  protected override newTaskFor<T>(work: Callable<T>): FutureTask<T> {
    this.#requireNoId()
    return this.#newFuture(work)
  }

  override map<I, O>(
    fn: (item: I) => O | PromiseLike<O>,
    items: Iterable<I> | AsyncIterable<I>,
    options?: MapOptions,
  ): AsyncIterable<Awaited<O>> {
    this.#requireNoId()
    return super.map(fn, items, options)
  }

  #requireNoId(): void {
    const { id } = this.#settings
    if (id === undefined) return
    throw new UnsupportedOperationError(
      `The id \`${id}\` is that of one task, and map, invokeAll, invokeAny and completion services start many: submit each of them with an id of its own`,
    )
  }

  /** @internal */
  override [CALLABLE]<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
    return callable(fn, args)
  }

  /** @internal */
  override get [ORDERS_BY_PRIORITY](): boolean {
    return true
  }

  /** @internal A large window: there are many threads, and the way to them is long. */
  override get [DEFAULT_WINDOW](): number {
    return 256
  }

  with(options: DistributedTaskOptions): DistributedExecutorService {
    return new DistributedExecutorView(this.#submitter, requireTaskOptions(options, this.#settings))
  }

  // ------------------------------------------------------------------ scheduling

  schedule<A extends unknown[], T>(
    task: (...args: A) => T | PromiseLike<T>,
    delay: number,
    ...args: A
  ): DistributedScheduledFuture<T> {
    requireFunction("task", task)
    return this.#start(callable(task, args), "schedule", { delay: requireTimeout("delay", delay) })
  }

  scheduleAtFixedRate<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    period: number,
    ...args: A
  ): DistributedScheduledFuture<void> {
    requireSeries(task, initialDelay, "period", period)
    const work = callable(task, args) as Callable<void>
    return this.#start(work, "scheduleAtFixedRate", { delay: initialDelay, kind: "rate", period })
  }

  scheduleWithFixedDelay<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    delay: number,
    ...args: A
  ): DistributedScheduledFuture<void> {
    requireSeries(task, initialDelay, "delay", delay)
    const work = callable(task, args) as Callable<void>
    return this.#start(work, "scheduleWithFixedDelay", { delay: initialDelay, kind: "delay", period: delay })
  }

  scheduleCron<A extends unknown[]>(
    task: (...args: A) => unknown,
    expression: string,
    options: CronOptions = {},
    ...args: A
  ): DistributedScheduledFuture<void> {
    requireFunction("task", task)
    const calendar = new CronCalendar(expression, options)
    const wallTime = runtime.wallTime()
    const first = calendar.next(wallTime)
    if (first === undefined) {
      const demand = `a cron expression that comes true at some time after ${new Date(wallTime).toISOString()}`
      throw rangeError("expression", demand, expression)
    }
    // The time zone of this machine, and not that of the node that happens to run it.
    const { timezone = Intl.DateTimeFormat().resolvedOptions().timeZone } = options
    return this.#start(callable(task, args) as Callable<void>, "scheduleCron", {
      delay: first - wallTime,
      kind: "cron",
      cron: { expression, timezone, calendar },
    })
  }

  // ------------------------------------------------------------------ looking

  future<T = unknown>(id: string): DistributedScheduledFuture<T> {
    return this.#submitter.watch(requireId(id)) as DistributedFutureTask<T>
  }

  async nodes(): Promise<NodeRecord[]> {
    const queue = await this.#submitter.queue()
    return await queue.nodes()
  }

  async stats(): Promise<DistributedStats> {
    const queue = await this.#submitter.queue()
    return { ...(await queue.counts()), outstanding: this.#submitter.outstanding }
  }

  // ------------------------------------------------------------------ ending

  shutdown(): void {
    this.#submitter.shutdown()
  }

  shutdownNow(): Promise<Runnable[]> {
    return this.#submitter.shutdownNow()
  }

  awaitTermination(wait?: WaitOptions): Promise<boolean> {
    return awaiting(this.#submitter.terminating(), wait)
  }

  get isShutdown(): boolean {
    return this.#submitter.isShutdown
  }

  get isTerminated(): boolean {
    return this.#submitter.isTerminated
  }

  /** Its queue and its state. */
  override toString(): string {
    const { name, engine } = this.#submitter.settings
    return `DistributedExecutor[${name} on ${String(engine)}, ${lifeOf(this)}, ${this.#submitter.outstanding} outstanding]`
  }
}

/** The same executor, with options for every task that is given to it. */
class DistributedExecutorView extends DistributedExecutorBase {}
