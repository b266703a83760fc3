/** The interfaces that every executor implements, whatever its threads are. */
import { BULK_MAP, CALLABLE, DEFAULT_WINDOW, ORDERS_BY_PRIORITY, RETRIES, TASK_FOR, WITHDRAW } from "./internals.ts"
import type { Future } from "../future/future.ts"
import type { FutureTask } from "../future/future-task.ts"
import type { Callable, Runnable } from "../future/runnable.ts"
import type { AnyFunction, ArgumentsOf, ResultOf } from "../future/signatures.ts"
import type { WaitOptions } from "../memory/flow/waiting.ts"
import type { Clock } from "../time/clock.ts"
import type { CaptureOptions } from "./capture/capturing.ts"
import type { Retries } from "./retries.ts"

/** Runs commands, somewhere, some time. */
export interface Executor {
  /**
   * Runs the command, with the arguments if it is a function of some. There is no future: an error goes to the
   * uncaught-exception handler of the thread.
   *
   * @throws RejectedExecutionError if the command is not accepted.
   * @throws NotSerializableError if an argument cannot be sent to the thread.
   * @throws TaskNotPortableError if the function cannot be sent to the thread.
   */
  execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void
}

/** Options of tasks; see {@link ExecutorService.with}. */
export interface TaskOptions {
  /** Cancels the tasks, with interrupt, when it aborts. */
  readonly signal?: AbortSignal
  /**
   * Milliseconds a task may run, counted from its start; then it fails with `TimeoutError` and its thread is
   * interrupted.
   */
  readonly timeout?: number
  /** Milliseconds a task may wait for its start; then it leaves the queue and fails with `TimeoutError`. */
  readonly queueTimeout?: number
  /** Higher runs first, equal ones in the order of submission; needs a `PriorityBlockingQueue` as work queue. */
  readonly priority?: number
  /** What to move rather than copy to another thread. Virtual threads share everything: nothing is moved. */
  readonly transfer?: readonly object[]
  /** The name of the task in `toString()`. */
  readonly name?: string
  /**
   * A task that fails is tried again. Each attempt waits in the queue as any task; between two attempts no thread is
   * occupied. `signal`, `timeout` and `queueTimeout` are for all attempts together: `timeout` counts from the start of
   * the first one, delays included. `attempts` of the future says how many there were.
   */
  readonly retry?: RetryOptions
  /**
   * What a task writes by `console` and to `process.stdout` and `process.stderr` is not printed: `output` of its future
   * has it, also while the task runs, and if it fails, is cancelled or loses its thread. Only the task's own code
   * counts, up to its end: neither tasks that it submits nor timers that it leaves behind. Default false.
   */
  readonly capture?: boolean | CaptureOptions
}

/** How failed attempts of a task are repeated; see {@link TaskOptions.retry}. */
export interface RetryOptions {
  /** How often the task is started, at most; default 3. */
  readonly attempts?: number
  /** Milliseconds between the first failure and the second attempt; default 100. */
  readonly delay?: number
  /** The factor by which each further delay is longer than the one before; default 2. */
  readonly factor?: number
  /** The longest delay, in milliseconds. */
  readonly maxDelay?: number
  /**
   * Whether each delay is randomly shortened, by up to a half, so that tasks which failed together do not come back
   * together; default false.
   */
  readonly jitter?: boolean
  /** Whether an error is worth another attempt; default: every error is. */
  readonly when?: (error: unknown) => boolean
  /** Milliseconds that each attempt may run. `timeout` of the task, beside `retry`, is for all of them together. */
  readonly attemptTimeout?: number
  /** The clock of the delays; default the system's. A test passes a ManualClock. */
  readonly clock?: Clock
}

/** How {@link ExecutorService.map} works through its items. */
export interface MapOptions {
  /** Results in the order of the items (default), or as they come. */
  readonly ordered?: boolean
  /**
   * How many tasks may be under way or have results waiting to be consumed; default twice the number of threads. The
   * source is read as far ahead of the consumer. If `chunk` is not set, a window that is set counts items.
   */
  readonly window?: number
  /**
   * How many items make one task. If it is not set, each item is a task, except in a pool of platform threads: there as
   * many items make one task as take about a millisecond, up to 1024, so the source may be read some thousand items
   * ahead; one if an item takes longer than 0.1 ms. Set `window` to read less ahead.
   *
   * Also there each item is a task if it or its result is an object, which may change later; if the source is
   * asynchronous; and in views, such as `pool.with({ timeout: 1000 })`, whose options are for single items then.
   */
  readonly chunk?: number
}

/** The futures of these tasks, in the same order: of a list that is written in place, each has its own type. */
export type FuturesOf<C extends readonly Callable<unknown>[]> = {
  -readonly [K in keyof C]: Future<Awaited<ReturnType<C[K]>>>
}

/**
 * An executor that gives futures and can be shut down. `Unrun` is what `shutdownNow` returns: a list of the tasks that
 * have not started, or, where only another machine knows them, a promise of it.
 *
 * Life: running, then `shutdown()` or `shutdownNow()`, then terminated when the last task has ended. An executor that
 * was never shut down does not keep an otherwise finished program alive.
 *
 * **Memory effects.** What a thread wrote to shared memory before it submitted a task is visible to the task; what the
 * task wrote is visible to each thread that has seen its future done.
 */
export interface ExecutorService<Unrun = Runnable[]> extends Executor, AsyncDisposable {
  /**
   * Runs the task with the arguments, and returns its future.
   *
   * @throws RejectedExecutionError if the task is not accepted.
   * @throws NotSerializableError if an argument cannot be sent to the thread.
   * @throws TaskNotPortableError if the function cannot be sent to the thread.
   */
  submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Future<T>
  /** The same for a function with several signatures: the signature that fits the arguments counts. */
  submit<F extends AnyFunction, A extends ArgumentsOf<F> & unknown[]>(task: F, ...args: A): Future<ResultOf<F, A>>

  /** The same executor, with these options for every task given to it through the returned view. */
  with(options: TaskOptions): ExecutorService<Unrun>

  /**
   * Runs all tasks and waits until every one is done; the futures come in the order of the tasks. When the time is up,
   * tasks that are not done are cancelled. If the wait itself fails (rejection, interrupt, signal), all are.
   *
   * @throws TypeError if a task is no function.
   * @throws RejectedExecutionError if a task is not accepted.
   * @throws NotSerializableError if an argument of a task (see `bind`) cannot be sent to the thread.
   * @throws TaskNotPortableError if the function of a task cannot be sent to the thread.
   * @throws InterruptedError if the waiting thread is interrupted. If `signal` aborts, its reason is thrown, and if the
   * iterable throws, its error.
   */
  invokeAll<C extends readonly Callable<unknown>[] | []>(tasks: C, wait?: WaitOptions): Promise<FuturesOf<C>>
  /** The same for tasks that all have the same type. */
  invokeAll<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<Future<T>[]>

  /**
   * The value of the first task to succeed; the others are cancelled. If all fail, the error of the last one to fail.
   *
   * @throws TypeError if a task is no function, RangeError if there is none.
   * @throws TimeoutError if none has succeeded in time.
   * @throws RejectedExecutionError if a task is not accepted.
   * @throws NotSerializableError if an argument of a task (see `bind`) cannot be sent to the thread.
   * @throws TaskNotPortableError if the function of a task cannot be sent to the thread.
   * @throws InterruptedError if the waiting thread is interrupted. If `signal` aborts, its reason is thrown, and if the
   * iterable throws, its error.
   */
  invokeAny<C extends Callable<unknown>>(tasks: Iterable<C>, wait?: WaitOptions): Promise<Awaited<ReturnType<C>>>
  /** The same for tasks that all have the same type. */
  invokeAny<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<T>

  /**
   * Applies `fn` to every item on this executor's threads. Reads the source only as far as the window allows, so that
   * an endless source is fine. The first error ends the iteration and cancels what is under way, and so does leaving
   * the loop. An error of the source, or of an item that cannot be sent, does so at once: results that are done, but
   * not consumed, are dropped.
   */
  map<I, O>(
    fn: (item: I) => O | PromiseLike<O>,
    items: Iterable<I> | AsyncIterable<I>,
    options?: MapOptions,
  ): AsyncIterable<Awaited<O>>

  /** Accepts nothing new; accepted tasks run to their end. */
  shutdown(): void

  /**
   * Accepts nothing new, interrupts running tasks, and returns those that have not started. The futures of the
   * unstarted tasks are cancelled; the returned runnables can be given to another executor.
   */
  shutdownNow(): Unrun

  /** Waits until terminated; false if the time is up. */
  awaitTermination(wait?: WaitOptions): Promise<boolean>

  /** Shuts down and waits for the end. If the waiting thread is interrupted meanwhile: `shutdownNow`, and waits on. */
  close(wait?: { readonly signal?: AbortSignal }): Promise<void>

  /**
   * Begins no more tasks until `resume()`; tasks that run go on.
   *
   * @throws UnsupportedOperationError if this kind of executor cannot be paused.
   */
  pause(): void
  /** Begins tasks again. */
  resume(): void
  /** Whether the executor is paused. */
  readonly isPaused: boolean
  /** Waits until nothing is queued and nothing runs; false if the time is up. */
  awaitQuiescence(wait?: WaitOptions): Promise<boolean>

  /** True after `shutdown()` or `shutdownNow()`: nothing new is accepted. */
  readonly isShutdown: boolean
  /** True when it is shut down and the last task has ended. */
  readonly isTerminated: boolean
}

/**
 * `map` on an executor where it chooses the number of items in a task; not part of the public interface. `window` is
 * the caller's, if set: the most items that are under way or have results which are not consumed. `bound` are arguments
 * that come before the item.
 */
export type BulkMap = <I, O>(
  executor: TaskHost,
  fn: (item: I) => O | PromiseLike<O>,
  bound: readonly unknown[],
  source: Iterator<I>,
  ordered: boolean,
  window: number | undefined,
) => AsyncIterator<Awaited<O>, undefined>

/** What the algorithms of this folder need of their executor; not part of the public interface. */
export interface TaskHost extends Executor {
  /** The future of a task about to be executed. */
  [TASK_FOR]<T>(callable: Callable<T>): FutureTask<T>
  /** A function with its arguments, in the form that this executor needs. */
  [CALLABLE]<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T>
  /** Withdraws a task that is not wanted any more: an executor that still has it in its queue removes it. */
  [WITHDRAW](task: Runnable): void
  /** Whether the executor orders tasks by priority. */
  readonly [ORDERS_BY_PRIORITY]: boolean
  /** How many chunks `map` has under way by default. */
  readonly [DEFAULT_WINDOW]: number
  /** How `map` puts several items into one task; undefined if each item has to be a task of its own. */
  readonly [BULK_MAP]?: BulkMap | undefined
  /** The tasks that may need further attempts; made with the first of them. */
  [RETRIES]?: Retries | undefined
  readonly isShutdown: boolean
}
