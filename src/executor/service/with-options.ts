/**
 * `executor.with(options)`: a view of an executor that applies options to every task given to it. The view has no state
 * of its own: shutting it down shuts down the executor, and a program may make views by the thousand.
 */
import { CALLABLE, DEFAULT_WINDOW, ORDERS_BY_PRIORITY, TASK_FOR, WITHDRAW } from "../internals.ts"
import { ABANDON, OUTPUT, WATCH, WATCHER } from "../../future/internals.ts"
import {
  alone,
  requireNumber,
  requireOptions,
  requirePositiveDuration,
  requireSignal,
  requireString,
  typeError,
} from "../../checks.ts"
import { UnsupportedOperationError } from "../../errors.ts"
import { renamed } from "../../future/call.ts"
import { FutureTask } from "../../future/future-task.ts"
import { type Callable, callableOf, requireRunnable, type Runnable } from "../../future/runnable.ts"
import { FACTS, type Facts } from "../../inspection.ts"
import { guarded } from "../../memory/flow/guard.ts"
import { SHAREABLE } from "../../memory/shared/shareables.ts"
import type { WaitOptions } from "../../memory/flow/waiting.ts"
import { type Capture, requireCapture } from "../capture/capturing.ts"
import { Carrier } from "../carrier.ts"
import type { ExecutorService, TaskHost, TaskOptions } from "../executor.ts"
import { ExecutorServiceBase } from "./executor-service-base.ts"
import { Limits } from "../limits.ts"
import { RetriedTask } from "../retry/retried-task.ts"
import { requireRetry, type RetrySettings } from "../retry/retry-options.ts"
import { handleOfView, requireTransferList, type ViewHandle } from "../sending.ts"
import { prioritize, setTransfer } from "../task-marks.ts"

export function withOptions(executor: ExecutorService & TaskHost, options: TaskOptions): ExecutorService {
  return new ExecutorView(executor, requireTaskOptions(options))
}

export class ExecutorView extends ExecutorServiceBase {
  readonly #executor: ExecutorService & TaskHost
  readonly #options: TaskOptions

  constructor(executor: ExecutorService & TaskHost, options: TaskOptions) {
    super()
    this.#executor = executor
    this.#options = options
    if (options.retry !== undefined && options.transfer !== undefined) {
      throw typeError("transfer", "left out with `retry` (what the first attempt has moved is gone)", options.transfer)
    }
    if (options.priority !== undefined && !executor[ORDERS_BY_PRIORITY]) {
      throw new UnsupportedOperationError(
        "`priority` needs a ThreadPoolExecutor with a PriorityBlockingQueue as workQueue. This executor has another order",
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
    const retried = task instanceof Carrier ? task.future : task
    try {
      if (retried instanceof RetriedTask) retried.begin(task)
      else this.#executor.execute(task)
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
    if (limited[WATCHER] === undefined && !limited.isDone) this.#hangLimits(limited, false)
    if (limited.isDone) task.cancel()
    else if (limited[WATCHER] instanceof Limits) limited[WATCHER].standsInQueue(task)
    return task
  }

  /** A plain command has no future, but the options need one. Its error is still reported as that of any command. */
  #taskOf<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), args: A): FutureTask<unknown> {
    requireRunnable("command", command)
    return this.#limit(
      typeof command === "function" ? this[CALLABLE](command, args) : callableOf(command, undefined),
      true,
    )
  }

  #limit<T>(callable: Callable<T>, reportFailure: boolean): FutureTask<T> {
    const { name } = this.#options
    const named = name === undefined ? callable : renamed(callable, name)
    const task = this.#newTask(named)
    this.#hangLimits(task, reportFailure)
    return task
  }

  #newTask<T>(callable: Callable<T>): FutureTask<T> {
    const { retry, priority, capture } = this.#options as TaskOptions & { readonly capture?: Capture }
    const make = (made: Callable<T>): FutureTask<T> => this.#executor[TASK_FOR](made)
    const newAttempt = (): FutureTask<T> => capture?.future(callable, make) ?? make(callable)
    if (retry === undefined) return newAttempt()
    const task = new RetriedTask(callable, retry as RetrySettings, this.#executor, () => {
      const attempt = newAttempt()
      task[OUTPUT] = attempt[OUTPUT]
      if (priority !== undefined) prioritize(attempt, priority)
      return attempt
    })
    return task
  }

  #hangLimits(task: FutureTask<unknown>, reportFailure: boolean): void {
    const { signal, timeout, queueTimeout } = this.#options
    if (signal?.aborted === true) task[ABANDON](signal.reason)
    else if (reportFailure || signal !== undefined || timeout !== undefined || queueTimeout !== undefined) {
      task[WATCH](new Limits(task, this.#options, this.#executor, reportFailure))
    }
  }

  /** @internal */
  override [CALLABLE]<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
    return this.#executor[CALLABLE](fn, args)
  }

  /** @internal */
  override [WITHDRAW](task: Runnable): void {
    this.#executor[WITHDRAW](task)
  }

  /** @internal */
  override get [ORDERS_BY_PRIORITY](): boolean {
    return this.#executor[ORDERS_BY_PRIORITY]
  }

  /** @internal */
  override get [DEFAULT_WINDOW](): number {
    return this.#executor[DEFAULT_WINDOW]
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

  override pause(): void {
    this.#executor.pause()
  }

  override resume(): void {
    this.#executor.resume()
  }

  override get isPaused(): boolean {
    return this.#executor.isPaused
  }

  override awaitQuiescence(wait?: WaitOptions): Promise<boolean> {
    return this.#executor.awaitQuiescence(wait)
  }

  get isShutdown(): boolean {
    return this.#executor.isShutdown
  }

  get isTerminated(): boolean {
    return this.#executor.isTerminated
  }
}

/** How each option is checked. The results are the options of the view. */
const TASK_OPTIONS: { readonly [K in keyof TaskOptions]-?: (name: string, value: never) => unknown } = {
  signal: requireSignal,
  timeout: requirePositiveDuration,
  queueTimeout: requirePositiveDuration,
  priority: (name, value) => requireNumber(name, value, "a finite number", Number.isFinite),
  transfer: requireTransferList,
  name: requireString,
  retry: (_name, value) => requireRetry(value),
  capture: (_name, value) => requireCapture(value),
}

export function requireTaskOptions(given: TaskOptions): TaskOptions {
  const options = requireOptions("options", given, TASK_OPTIONS) as Record<string, unknown> // a new object
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) options[name] = TASK_OPTIONS[name as keyof TaskOptions](name, value as never)
  }
  return options
}
