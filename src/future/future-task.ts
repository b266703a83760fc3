/**
 * A cancellable computation: a `Future` and the `Runnable` that completes it. Executors make one for every
 * `submit`; it can also be run by hand, or given to any executor's `execute`.
 *
 *     const task = new FutureTask(() => expensive())
 *     pool.execute(task)
 *     await task.get(1000)
 *
 * Subclasses may override `done()` (runs once, on completion by any road) and call `set`, `setException` and
 * `runAndReset`.
 *
 * Memory effects: what was done before the task was submitted is visible to it, and what the task did is
 * visible to whoever saw it done.
 */
import { isPromiseLike, requireFunction } from "../checks.ts"
import { CancellationError, IllegalStateError, TimeoutError, UnsupportedOperationError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import { currentFlow, type Flow } from "../memory/flow.ts"
import { TIMEOUT, WaitList } from "../memory/wait-list.ts"
import { abortOf, awaiting, blocking, type Steps, timeoutOf, type WaitOptions } from "../memory/waiting.ts"
import { nextIndex, nextPage } from "../memory/words.ts"
import { describeOutcome } from "./describe.ts"
import type { Future, FutureState } from "./future.ts"
import { ResultWait } from "./result-wait.ts"
import { type Callable, callableOf, type Runnable } from "./runnable.ts"
import type { RemoteTasks, TaskWatcher } from "./task-parties.ts"
import {
  CANCELLED,
  COMPLETING,
  EXCEPTIONAL,
  INTERRUPTED,
  INTERRUPTING,
  leaveNew,
  NEW,
  NORMAL,
  settle,
  stateOf,
} from "./task-state.ts"

/*
 * How it works
 *
 * The state word decides (task-state.ts); whoever wins it stores the outcome, wakes all waiters and calls
 * `done()`. `runner` is the flow that executes the body: it keeps a second `run()` out and is whom
 * `cancel(true)` interrupts.
 *
 * A pool's worker does not call `run()` but `begin()` and then `complete()` or `fail()`: with these it awaits the
 * body's own promise, where `run()` has to make one more. On a pool of virtual threads promises are the
 * greatest cost of a task.
 */

const NO_ARGUMENTS: readonly unknown[] = []

export class FutureTask<T> implements Future<T> {
  readonly #words: Int32Array = nextPage()
  readonly #index: number = nextIndex()

  /** Dropped on completion, so that a future kept for its result keeps nothing else alive. */
  #callable: ((...args: never[]) => T | PromiseLike<T>) | undefined
  /** What it is called with: nothing, but for {@link FutureTask.call}. */
  #args: readonly unknown[] = NO_ARGUMENTS

  /** The value, the error, or what a cancellation was caused by; read only in the state that belongs to it. */
  #outcome: unknown

  /** Who executes the body; undefined before and after. */
  #runner: Flow | undefined

  /** Who waits for the end; exists once somebody does. */
  #waiters: WaitList | undefined

  #watcher: TaskWatcher | undefined

  /** If it runs in another thread: who has it, and how it is called there. */
  #remote: RemoteTasks | undefined
  #handle = 0

  constructor(callable: Callable<T>)
  constructor(runnable: Runnable, result: T)
  constructor(...args: [callable: Callable<T>] | [runnable: Runnable, result: T]) {
    this.#callable = args.length === 1 ? requireFunction("callable", args[0]) : callableOf(args[0], args[1])
  }

  /**
   * @internal The future of a call. Function and arguments are kept apart: it is one object less for each task, and another
   * thread can be told of both.
   */
  static call<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): FutureTask<T> {
    const task = new FutureTask<T>(fn)
    if (args.length > 0) task.#args = args
    return task
  }

  // ------------------------------------------------------------------ looking

  get isDone(): boolean {
    return this.#latest !== NEW
  }

  /** @internal The same, as far as it is known here. */
  get isSettled(): boolean {
    return this.#state !== NEW
  }

  get isCancelled(): boolean {
    return this.#latest >= CANCELLED
  }

  get state(): FutureState {
    const state = this.#latest
    if (state <= COMPLETING) return "running"
    if (state >= CANCELLED) return "cancelled"
    return state === NORMAL ? "success" : "failed"
  }

  resultNow(): T {
    switch (this.state) {
      case "success":
        return this.#outcome as T
      case "running":
        throw new IllegalStateError("Task has not completed")
      case "failed":
        throw new IllegalStateError("Task completed with exception", { cause: this.#outcome })
      case "cancelled":
        throw new IllegalStateError("Task was cancelled", { cause: this.#outcome })
    }
  }

  exceptionNow(): unknown {
    switch (this.state) {
      case "failed":
        return this.#outcome
      case "running":
        throw new IllegalStateError("Task has not completed")
      case "success":
        throw new IllegalStateError("Task completed with a result")
      case "cancelled":
        throw new IllegalStateError("Task was cancelled", { cause: this.#outcome })
    }
  }

  toString(): string {
    return `${identityOf(this)}[${describeOutcome(this.state, this.#outcome, this.#callable)}]`
  }

  // ------------------------------------------------------------------ waiting

  get(wait?: WaitOptions): Promise<T> {
    if (this.#remote !== undefined) this.#remote.awaited(this.#handle)
    if (this.isDone) return this.#reported(wait)
    if (wait !== undefined) return awaiting(this.#waitingForResult(), wait)
    return new Promise((resolve, reject) => new ResultWait(this, resolve, reject))
  }

  getSync(timeout?: number): T {
    const limit = timeoutOf(timeout)
    if (this.isDone) return this.report()
    if (limit <= 0) throw new TimeoutError("The task did not complete in time")
    if (this.#remote !== undefined) {
      blocking(this.#remote.blocking(this, this.#handle), limit)
      return this.report()
    }
    throw new UnsupportedOperationError(
      "getSync() would block the event loop that has to run this task: use `await future.get()` on virtual threads",
    )
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a future is a thenable by contract
  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.get().then(onFulfilled, onRejected)
  }

  /** @internal Where to stand to be woken when this is done. */
  get completion(): WaitList {
    return (this.#waiters ??= new WaitList())
  }

  async #reported(wait: WaitOptions | undefined): Promise<T> {
    // Wrong options are refused even if there is nothing to wait for.
    timeoutOf(wait)
    abortOf(wait)
    return this.report()
  }

  *#waitingForResult(): Steps<T> {
    while (!this.isDone) {
      if ((yield this.completion) === TIMEOUT) throw new TimeoutError("The task did not complete in time")
    }
    return this.report()
  }

  /** @internal The outcome of a task that is done: returned or thrown. */
  report(): T {
    const state = this.#state
    if (state === NORMAL) return this.#outcome as T
    if (state === EXCEPTIONAL) throw this.#outcome
    throw new CancellationError("Task was cancelled", this.#outcome === undefined ? {} : { cause: this.#outcome })
  }

  // ------------------------------------------------------------------ completing

  cancel(mayInterruptIfRunning = false): boolean {
    return this.abandon(undefined, mayInterruptIfRunning)
  }

  /** @internal Cancels, saying why: `cause` becomes the cause of every CancellationError. */
  abandon(cause: unknown, mayInterruptIfRunning = false): boolean {
    if (!this.#mayEnd(mayInterruptIfRunning)) return false
    if (!leaveNew(this.#words, this.#index, mayInterruptIfRunning ? INTERRUPTING : CANCELLED)) return false
    this.#outcome = cause
    if (mayInterruptIfRunning) {
      try {
        this.#runner?.interrupt()
      } finally {
        settle(this.#words, this.#index, INTERRUPTED)
      }
    }
    this.#finish()
    return true
  }

  /** @internal Fails the task from outside and interrupts whoever runs it: a time limit is over. */
  expire(error: unknown): boolean {
    return this.#mayEnd(true) && this.#fail(error, this.#runner)
  }

  /** Whether it can still be ended from here, if it is in another thread; it is stopped there then. */
  #mayEnd(mayInterruptIfRunning: boolean): boolean {
    const remote = this.#remote
    if (remote === undefined) return true
    if (!remote.cancel(this.#handle, mayInterruptIfRunning)) {
      remote.look() // its outcome is here, or on its way
      return false
    }
    this.#remote = undefined
    return true
  }

  /** Completes with a value, unless completed or cancelled already. */
  protected set(value: T): void {
    if (!leaveNew(this.#words, this.#index, COMPLETING)) return
    this.#outcome = value
    settle(this.#words, this.#index, NORMAL)
    this.#finish()
  }

  /** Completes with an error, unless completed or cancelled already. */
  protected setException(error: unknown): void {
    this.#fail(error)
  }

  /** Runs once, when the task is completed by whatever road, after all waiters were released. */
  protected done(): void {}

  #fail(error: unknown, interrupting?: Flow): boolean {
    if (!leaveNew(this.#words, this.#index, COMPLETING)) return false
    this.#outcome = error
    settle(this.#words, this.#index, EXCEPTIONAL)
    interrupting?.interrupt()
    this.#finish()
    return true
  }

  #finish(): void {
    this.#callable = undefined
    this.#args = NO_ARGUMENTS
    this.#remote = undefined
    const waiters = this.#waiters
    this.#waiters = undefined
    waiters?.signalAll()
    this.#watcher?.ended()
    this.#watcher = undefined
    this.done()
  }

  // ------------------------------------------------------------------ running

  /**
   * Executes the body and completes the future, unless it is done or being run. A promise if the body is
   * asynchronous.
   */
  run(): void | Promise<void> {
    const pending = this.begin(currentFlow())
    return pending === undefined ? undefined : this.#runToEnd(pending)
  }

  async #runToEnd(pending: PromiseLike<T>): Promise<void> {
    let value: T
    try {
      value = await pending
    } catch (error) {
      this.fail(error)
      return
    }
    this.complete(value)
  }

  /**
   * @internal The first half of `run()`: starts the body. If the body is asynchronous its promise is
   * returned and the caller owes the second half, {@link complete} or {@link fail}.
   */
  begin(runner: Flow): PromiseLike<T> | undefined {
    const callable = this.#claim(runner)
    if (callable === undefined) return undefined
    let value: T | PromiseLike<T>
    try {
      value = this.#invoke(callable)
      // Inside: a value whose `then` cannot even be looked at, such as a revoked proxy, fails the task.
      if (isPromiseLike(value)) return value
    } catch (error) {
      this.fail(error)
      return undefined
    }
    this.complete(value)
    return undefined
  }

  /** @internal */
  complete(value: T): void {
    this.#runner = undefined
    this.set(value)
  }

  /** @internal */
  fail(error: unknown): void {
    this.#runner = undefined
    this.setException(error)
  }

  /**
   * Executes the body without storing its value, and makes the task ready to run again: how a periodic task is run.
   * True if it ran to its end and may run again; an error completes the task.
   */
  protected runAndReset(): boolean | Promise<boolean> {
    const callable = this.#claim(currentFlow())
    if (callable === undefined) return false
    try {
      const pending: unknown = this.#invoke(callable)
      if (isPromiseLike(pending)) return this.#resetAfter(pending)
    } catch (error) {
      this.fail(error)
      return false
    }
    this.#runner = undefined
    return !this.isDone
  }

  async #resetAfter(pending: PromiseLike<unknown>): Promise<boolean> {
    try {
      await pending
    } catch (error) {
      this.fail(error)
      return false
    }
    this.#runner = undefined
    return !this.isDone
  }

  #invoke(callable: (...args: never[]) => T | PromiseLike<T>): T | PromiseLike<T> {
    return this.#args === NO_ARGUMENTS ? (callable as Callable<T>)() : callable(...(this.#args as never[]))
  }

  /** The body, if the caller may run it now: not done, and nobody else runs it. */
  #claim(runner: Flow): ((...args: never[]) => T | PromiseLike<T>) | undefined {
    if (this.isDone || this.#runner !== undefined) return undefined
    this.#runner = runner
    this.#watcher?.started()
    return this.#callable
  }

  // ------------------------------------------------------------------ for executors

  /** @internal */
  get watcher(): TaskWatcher | undefined {
    return this.#watcher
  }

  /** @internal */
  watch(watcher: TaskWatcher): void {
    this.#watcher = watcher
  }

  /** @internal What {@link abandon} was told. */
  get causeOfCancellation(): unknown {
    return this.isCancelled ? this.#outcome : undefined
  }

  /**
   * @internal The same work as a new, independent task: what `shutdownNow` hands back. A task that is over is its
   * own.
   */
  renew(): FutureTask<unknown> {
    const callable = this.#callable
    return callable === undefined ? this : FutureTask.call(callable, this.#args as never[])
  }

  /** @internal What it does, if it is not over. */
  get work(): ((...args: never[]) => unknown) | undefined {
    return this.#callable
  }

  /** @internal And with which arguments. */
  get workArguments(): readonly unknown[] {
    return this.#args
  }

  /** @internal Its task is in another thread from now on. */
  runElsewhere(remote: RemoteTasks, handle: number): void {
    this.#remote = remote
    this.#handle = handle
    this.#watcher?.sentAway?.(() => remote.startOf(handle))
  }

  /** @internal It is here again: nobody has begun it. */
  comeBack(): void {
    this.#remote = undefined
  }

  get #state(): number {
    return stateOf(this.#words, this.#index)
  }

  /** The same, if there is news from another thread. */
  get #latest(): number {
    const state = this.#state
    if (state !== NEW || this.#remote === undefined) return state
    this.#remote.look()
    return this.#state
  }
}
