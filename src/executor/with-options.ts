/**
 * `executor.with(options)`: a view of an executor that applies options to every task given to it. The view has no state
 * of its own: shutting it down shuts down the executor, and a program may make views by the thousand.
 */
import {
  alone,
  requireNumber,
  requireOptions,
  requirePositiveDuration,
  requireSignal,
  requireString,
  typeError,
} from "../checks.ts"
import { TimeoutError, UnsupportedOperationError } from "../errors.ts"
import { renamed } from "../future/call.ts"
import { FutureTask } from "../future/future-task.ts"
import { type Callable, callableOf, requireRunnable, type Runnable } from "../future/runnable.ts"
import type { TaskWatcher } from "../future/task-observers.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { listen, unlisten } from "../memory/flow/abort.ts"
import { guarded, uncaught } from "../memory/flow/guard.ts"
import { SHAREABLE } from "../memory/shared/shareables.ts"
import type { WaitOptions } from "../memory/flow/waiting.ts"
import { now, Timer } from "../time/timer.ts"
import { Carrier } from "./carrier.ts"
import type { ExecutorService, TaskHost, TaskOptions } from "./executor.ts"
import { ExecutorServiceBase } from "./executor-service-base.ts"
import { handleOfView, requireTransferList, type ViewHandle } from "./sending.ts"

export function withOptions(executor: ExecutorService & TaskHost, options: TaskOptions): ExecutorService {
  return new ExecutorView(executor, requireTaskOptions(options))
}

class ExecutorView extends ExecutorServiceBase {
  readonly #executor: ExecutorService & TaskHost
  readonly #options: TaskOptions

  constructor(executor: ExecutorService & TaskHost, options: TaskOptions) {
    super()
    this.#executor = executor
    this.#options = options
    if (options.priority !== undefined && !executor.ordersByPriority) {
      throw new UnsupportedOperationError(
        "`priority` needs an executor that orders its tasks: give the pool a PriorityBlockingQueue as workQueue",
      )
    }
  }

  /** @internal */
  get [SHAREABLE](): true {
    return true
  }

  /** @internal */
  get handle(): ViewHandle {
    return handleOfView(this.#executor, this.#options)
  }

  /** @internal */
  override get [FACTS](): Facts {
    return { executor: this.#executor, options: { ...this.#options } }
  }

  /** Options of a view of a view add up; the later ones win. */
  with(options: TaskOptions): ExecutorService {
    return new ExecutorView(this.#executor, alone({ ...this.#options, ...requireTaskOptions(options) }))
  }

  protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
    return this.#limit(callable, false)
  }

  override execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    const task = command instanceof FutureTask ? this.#adopt(command) : this.#taskOf(command, args)
    if (task.isDone) return // its signal had aborted before it was made
    if (this.#options.priority !== undefined) prioritize(task, this.#options.priority)
    if (this.#options.transfer !== undefined) setTransfer(task, this.#options.transfer)
    try {
      this.#executor.execute(task)
    } catch (error) {
      if (task !== command) guarded(() => task.cancel())
      throw error
    }
  }

  /**
   * Sets the limits on a future that other code has made; a future of this view has them already. A carrier is of no
   * use without its future: when the future ends, the carrier must leave the queue.
   */
  #adopt(task: FutureTask<unknown>): FutureTask<unknown> {
    const limited = task instanceof Carrier ? task.future : task
    if (limited.watcher === undefined && !limited.isDone) this.#hangLimits(limited, false)
    if (limited.isDone) task.cancel()
    else if (limited.watcher instanceof Limits) limited.watcher.standsInQueue(task)
    return task
  }

  /** A plain command has no future, but the options need one. Its error is still reported as that of any command. */
  #taskOf<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), args: A): FutureTask<unknown> {
    requireRunnable("command", command)
    return this.#limit(
      typeof command === "function" ? this.callable(command, args) : callableOf(command, undefined),
      true,
    )
  }

  #limit<T>(callable: Callable<T>, reportFailure: boolean): FutureTask<T> {
    const { name } = this.#options
    const named = name === undefined ? callable : renamed(callable, name)
    const task = this.#executor.taskFor(named)
    this.#hangLimits(task, reportFailure)
    return task
  }

  #hangLimits(task: FutureTask<unknown>, reportFailure: boolean): void {
    const { signal, timeout, queueTimeout } = this.#options
    if (signal?.aborted === true) task.abandon(signal.reason)
    else if (reportFailure || signal !== undefined || timeout !== undefined || queueTimeout !== undefined) {
      task.watch(new Limits(task, this.#options, this.#executor, reportFailure))
    }
  }

  override callable<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
    return this.#executor.callable(fn, args)
  }

  override withdraw(task: Runnable): void {
    this.#executor.withdraw(task)
  }

  override get ordersByPriority(): boolean {
    return this.#executor.ordersByPriority
  }

  override get defaultWindow(): number {
    return this.#executor.defaultWindow
  }

  shutdown(): void {
    this.#executor.shutdown()
  }

  shutdownNow(): Runnable[] {
    return this.#executor.shutdownNow()
  }

  awaitTermination(wait?: WaitOptions): Promise<boolean> {
    return this.#executor.awaitTermination(wait)
  }

  /** Calls close() of the executor, not the inherited one: a pool notices that it would wait for itself. */
  override close(wait?: { readonly signal?: AbortSignal }): Promise<void> {
    return this.#executor.close(wait)
  }

  get isShutdown(): boolean {
    return this.#executor.isShutdown
  }

  get isTerminated(): boolean {
    return this.#executor.isTerminated
  }
}

/** The time limits and the signal of one task. Their timers and listeners are removed when the task is over. */
class Limits implements TaskWatcher {
  readonly #task: FutureTask<unknown>
  readonly #options: TaskOptions
  readonly #executor: TaskHost
  readonly reportsErrors: boolean
  readonly #onAbort = (reason: unknown): void => this.#withdraw(() => this.#task.abandon(reason, true))
  /** What the executor was given: the task, or its carrier. */
  #queued: FutureTask<unknown>
  /** First for the limit of the wait in the queue, from the start on for that of the run. */
  #timer: Timer | undefined
  /** For the limit of the run, if it is in another thread. */
  #runTimer: Timer | undefined
  #startOf: () => number | undefined = () => undefined
  #report: (error: unknown) => void = uncaught

  constructor(task: FutureTask<unknown>, options: TaskOptions, executor: TaskHost, reportsErrors: boolean) {
    this.#task = this.#queued = task
    this.#options = options
    this.#executor = executor
    this.reportsErrors = reportsErrors
    const { signal, queueTimeout } = options
    if (signal !== undefined) listen(signal, this.#onAbort)
    if (queueTimeout !== undefined) {
      this.#timer = new Timer(queueTimeout, false, () => {
        if (this.#startOf() !== undefined) return // another thread has begun it, and this one has not heard of it
        this.#withdraw(() => task.expire(new TimeoutError(`The task did not start within ${queueTimeout} ms`)))
      })
    }
  }

  /**
   * A task in another thread does not tell when it begins. But it cannot time out before its whole time limit is over.
   */
  sentAway(startOf: () => number | undefined, report: (error: unknown) => void): void {
    this.#startOf = startOf
    this.#report = report
    const { timeout } = this.#options
    if (timeout !== undefined) this.#runTimer = new Timer(timeout, false, () => this.#expireElsewhere(timeout))
  }

  #expireElsewhere(timeout: number): void {
    const start = this.#startOf()
    const left = start === undefined ? timeout : start + timeout - now()
    if (left > 0) this.#runTimer = new Timer(left, false, () => this.#expireElsewhere(timeout))
    else this.#expire(timeout)
  }

  #expire(timeout: number): void {
    this.#withdraw(() => this.#task.expire(new TimeoutError(`The task did not end within ${timeout} ms`)))
  }

  standsInQueue(task: FutureTask<unknown>): void {
    this.#queued = task
  }

  started(): void {
    const { timeout } = this.#options
    this.#timer?.cancel()
    if (timeout === undefined) return
    this.#timer = new Timer(timeout, false, () => this.#expire(timeout))
  }

  ended(): void {
    this.#timer?.cancel()
    this.#runTimer?.cancel()
    if (this.#options.signal !== undefined) unlisten(this.#options.signal, this.#onAbort)
    if (this.reportsErrors && this.#task.state === "failed") this.#report(this.#task.exceptionNow())
  }

  /**
   * Ends the task and takes it out of the queue, unlike `cancel()`, which leaves it there as in Java. A timer or a
   * signal calls this, and cannot handle errors of the task's `done()`: they go to uncaughtException.
   */
  #withdraw(complete: () => boolean): void {
    let isOver = true // also if done() throws
    guarded(
      () => (isOver = complete()),
      (error) => this.#report(error),
    )
    if (!isOver) return
    guarded(() => this.#executor.withdraw(this.#queued))
    // The carrier has no task any more: flows that wait for it must hear of that now.
    if (this.#queued !== this.#task) guarded(() => this.#queued.cancel())
  }
}

/** Symbols, because a user's own class of tasks may have a `priority` too. */
const PRIORITY: unique symbol = Symbol("priority")
const SEQUENCE: unique symbol = Symbol("sequence")

/** The properties of a task with a priority: enough for a PriorityBlockingQueue of natural order. */
interface Prioritized {
  [PRIORITY]: number
  [SEQUENCE]: number
  compareTo(other: unknown): number
}

/** The priority of a task, if it has one. */
export function priorityOf(task: object): number | undefined {
  return (task as Partial<Prioritized>)[PRIORITY]
}

const TRANSFER = Symbol("transfer")

interface Moving {
  [TRANSFER]?: readonly object[]
}

/** Which of a task's arguments are to be moved, if any. */
export function transferOf(task: object): readonly object[] | undefined {
  return (task as Moving)[TRANSFER]
}

export function setTransfer(task: object, list: readonly object[]): void {
  ;(task as Moving)[TRANSFER] = list
}

let lastSequence = 0

/** Gives a task an order: higher priority first, then the order of submission. */
export function prioritize(task: object & Partial<Prioritized>, priority: number): void {
  if (task[PRIORITY] !== undefined) return
  task[PRIORITY] = priority
  task[SEQUENCE] = ++lastSequence
  task.compareTo = compareByPriority
}

function compareByPriority(this: Prioritized, other: unknown): number {
  const { [PRIORITY]: priority, [SEQUENCE]: sequence } = other as Partial<Prioritized>
  if (priority === undefined || sequence === undefined) {
    throw typeError("task", "submitted with a priority, as the others in the queue are", other)
  }
  return priority - this[PRIORITY] || this[SEQUENCE] - sequence
}

/** How each option is checked. */
const TASK_OPTIONS: { readonly [K in keyof TaskOptions]-?: (name: string, value: never) => unknown } = {
  signal: requireSignal,
  timeout: requirePositiveDuration,
  queueTimeout: requirePositiveDuration,
  priority: (name, value) => requireNumber(name, value, "a finite number", Number.isFinite),
  transfer: requireTransferList,
  name: requireString,
}

function requireTaskOptions(given: TaskOptions): TaskOptions {
  const options = requireOptions("options", given, TASK_OPTIONS)
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) TASK_OPTIONS[name as keyof TaskOptions](name, value as never)
  }
  return options
}
