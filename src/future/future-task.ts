import {
  ABANDON,
  ANNOUNCE,
  BEGIN,
  CAPTURE,
  COME_BACK,
  COMPLETE,
  DECIDE,
  ENDS_WITH_SUBMITTER,
  EXPIRE,
  FAIL,
  IS_PORTABLE,
  LEAVE_TO,
  MAY_END,
  NOTE,
  OBSERVATION,
  OBSERVE,
  OUTCOME,
  OUTPUT,
  REMOTE_HANDLE,
  REMOTE_TASKS,
  RENEW,
  RUN_REMOTELY,
  RUNS_HERE,
  SEND_ARGUMENTS,
  SETTLE,
  TAKE_BACK,
  TIMING,
  WATCH,
  WATCHER,
  WORK,
  WORK_ARGUMENTS,
} from "./internals.ts"
import { isPromiseLike, requireFunction } from "../checks.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { currentFlow, type Flow, frameForTask } from "../memory/flow/flow.ts"
import { heed } from "../memory/flow/guard.ts"
import type { Frame } from "#host/runtime/context"
import type { SettleObserver } from "../observing.ts"
import { callOf, isPlainBound } from "./call.ts"
import { describeOutcome, nameOfTask } from "./describe.ts"
import type { CapturedOutput, Future } from "./future.ts"
import { Outcome } from "./outcome.ts"
import { type Callable, callableOf, type Runnable } from "./runnable.ts"
import type { RemoteTasks, TaskWatcher, Timing } from "./task-observers.ts"
import type { TimerKeeper } from "../time/timer.ts"
import { limitTask } from "./time-limit.ts"
import { CANCELLED, COMPLETING, EXCEPTIONAL, INTERRUPTED, INTERRUPTING, NORMAL } from "./task-state.ts"

/*
 * How it works
 *
 * The caller that decides the outcome (outcome.ts) stores it, wakes all waiters and calls `done()`. `runner` is the
 * flow that executes the body: it keeps a second `run()` out, and `cancel(true)` interrupts it.
 *
 * A pool's worker does not call `run()` but `begin()` and then `complete()` or `fail()`: with these it awaits the
 * body's own promise, where `run()` has to make one more. On a pool of virtual threads promises are the
 * greatest cost of a task.
 */

const NO_ARGUMENTS: readonly unknown[] = []

/** Stands for arguments that another thread has: see {@link FutureTask.SEND_ARGUMENTS}. */
const SENT: readonly unknown[] = []

/**
 * A cancellable computation: a `Future`, and the `Runnable` that completes it. Executors make one for every `submit`. A
 * program can also run one itself, or give it to `execute` of any executor.
 *
 * Subclasses may override `done()`, which is called once, on completion of any kind, and call `set`, `setException` and
 * `runAndReset`.
 *
 * **Memory effects.** As for every `Future`.
 *
 * @example
 * ```ts
 * import { Executors, FutureTask, virtualThreads } from "corepool"
 *
 * await using pool = Executors.newFixedThreadPool(2, virtualThreads())
 * const task = new FutureTask(() => 6 * 7)
 * pool.execute(task)
 * console.log(await task.get(1000)) // => 42
 * ```
 */
export class FutureTask<T> extends Outcome<T> implements Future<T> {
  /** Dropped on completion, so that a future kept for its result keeps nothing else alive. */
  #callable: ((...args: never[]) => T | PromiseLike<T>) | undefined
  /** The arguments of the callable: none, unless {@link FutureTask.ofCall} made the task. */
  #args: readonly unknown[] = NO_ARGUMENTS

  /** The flow that executes the body; undefined before and after. */
  #runner: Flow | undefined

  #watcher: TaskWatcher | undefined

  /** What is notified of the end, if code listens to events of the task. */
  #observation: SettleObserver | undefined

  /** The asynchronous context of the submitter, for the body; undefined if the body runs in the context of `run()`. */
  #frame: Frame | undefined

  /** Computes what the callable returns. */
  constructor(callable: Callable<T>)
  /** Runs the runnable, and then has this result. */
  constructor(runnable: Runnable, result: T)
  constructor(...args: [callable: Callable<T>] | [runnable: Runnable, result: T]) {
    super()
    if (args.length === 2) this.#callable = callableOf(args[0], args[1])
    else this.#callable = typeof args[0] === "function" ? args[0] : requireFunction("callable", args[0])
  }

  /**
   * @internal The future of a call. Function and arguments are kept apart: that saves an object for each task, and both
   * can be sent to another thread.
   */
  static ofCall<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): FutureTask<T> {
    const task = new this<T>(fn)
    if (args.length > 0) task.#args = args
    return task
  }

  /** @internal The same for what `bind` has made; the future of any other function as `new` makes it. */
  static ofBound<T>(callable: Callable<T>): FutureTask<T> {
    if (!isPlainBound(callable)) return new this(callable)
    const { fn, args } = callOf(callable)
    return this.ofCall(fn as (...args: unknown[]) => T | PromiseLike<T>, args as unknown[])
  }

  /** @internal Whether its class overrides `done()`. Static: a subclass cannot replace it by accident. */
  static hasDone(task: FutureTask<unknown>): boolean {
    return task.done !== FutureTask.prototype.done
  }

  /** @internal */
  override get [FACTS](): Facts {
    const task = this.#callable === undefined ? undefined : nameOfTask(this.#callable)
    return { ...super[FACTS], task }
  }

  /** Its class, its state, and its result, its error or its task. */
  override toString(): string {
    return `${identityOf(this)}[${describeOutcome(this.state, this[OUTCOME], this.#callable)}]`
  }

  /** @internal Where the output of the task is, if that is captured. */
  declare [OUTPUT]?: { now(isDone: boolean): CapturedOutput } | undefined

  /** @internal Whether it is cancelled, wherever it runs or waits, if the thread dies that has submitted it. */
  declare readonly [ENDS_WITH_SUBMITTER]?: true

  /** As in `Future`. */
  get output(): CapturedOutput | undefined {
    return this[OUTPUT]?.now(this.isDone)
  }

  // ------------------------------------------------------------------ completing

  cancel(mayInterruptIfRunning = false): boolean {
    return this[ABANDON](undefined, mayInterruptIfRunning)
  }

  /** As in `Future`. */
  orTimeout(ms: number): this {
    limitTask(this, ms)
    return this
  }

  /** @internal Cancels with a reason: `cause` becomes the cause of every CancellationError. */
  [ABANDON](cause: unknown, mayInterruptIfRunning = false): boolean {
    if (!this[MAY_END](mayInterruptIfRunning)) return false
    if (!this[DECIDE](mayInterruptIfRunning ? INTERRUPTING : CANCELLED)) return false
    this[NOTE](cause)
    if (mayInterruptIfRunning) {
      try {
        this.#runner?.stop()
      } finally {
        this[SETTLE](INTERRUPTED, cause)
      }
    }
    this.#finish()
    return true
  }

  /** @internal Fails the task from outside, because a time limit is over, and interrupts the flow that runs it. */
  [EXPIRE](error: unknown): boolean {
    return this[MAY_END](true) && this.#fail(error, this.#runner)
  }

  /** Completes with a value, unless completed or cancelled already. */
  protected set(value: T): void {
    if (!this[DECIDE](COMPLETING)) return
    this[SETTLE](NORMAL, value)
    this.#finish()
  }

  /** Completes with an error, unless completed or cancelled already. */
  protected setException(error: unknown): void {
    this.#fail(error)
  }

  /** Runs once, when the task is completed in any way, after all waiters were released. */
  protected done(): void {}

  #fail(error: unknown, interrupting?: Flow): boolean {
    if (!this[DECIDE](COMPLETING)) return false
    this[SETTLE](EXCEPTIONAL, error)
    interrupting?.stop()
    this.#finish()
    return true
  }

  #finish(): void {
    this.#callable = undefined
    this.#args = NO_ARGUMENTS
    this.#frame = undefined
    this.#observation?.settled(this) // first: waiters see the error
    this[ANNOUNCE]()
    this.#watcher?.ended()
    this.#watcher = undefined
    heed((this as unknown as { done(): unknown }).done()) // a promise, if a subclass has made it asynchronous
  }

  // ------------------------------------------------------------------ running

  /**
   * Executes the body and completes the future, unless it is done or being run. A promise if the body is
   * asynchronous.
   */
  run(): void | Promise<void> {
    const pending = this[BEGIN](currentFlow())
    return pending === undefined ? undefined : this.#runToEnd(pending)
  }

  async #runToEnd(pending: PromiseLike<T>): Promise<void> {
    let value: T
    try {
      value = await pending
    } catch (error) {
      this[FAIL](error)
      return
    }
    this[COMPLETE](value)
  }

  /**
   * @internal The first half of `run()`: starts the body. If the body is asynchronous, returns its promise, and the
   * caller has to do the second half, {@link COMPLETE} or {@link FAIL}.
   */
  [BEGIN](runner: Flow): PromiseLike<T> | undefined {
    const callable = this.#claim(runner)
    if (callable === undefined) return undefined
    let value: T | PromiseLike<T>
    try {
      value = this.#invoke(callable)
      // In the try block: a value whose `then` cannot be read, such as a revoked proxy, fails the task.
      if (isPromiseLike(value)) return value
    } catch (error) {
      this[FAIL](error)
      return undefined
    }
    this[COMPLETE](value)
    return undefined
  }

  /** @internal */
  [COMPLETE](value: T): void {
    this.#runner = undefined
    this.set(value)
  }

  /** @internal */
  [FAIL](error: unknown): void {
    this.#runner = undefined
    this.setException(error)
  }

  /**
   * Executes the body without storing its value, and makes the task ready to run again, as a periodic task needs. True
   * if it ran to its end and may run again; an error completes the task.
   */
  protected runAndReset(): boolean | Promise<boolean> {
    const callable = this.#claim(currentFlow())
    if (callable === undefined) return false
    try {
      const pending: unknown = this.#invoke(callable)
      if (isPromiseLike(pending)) return this.#resetAfter(pending)
    } catch (error) {
      this[FAIL](error)
      return false
    }
    this.#runner = undefined
    return !this.isDone
  }

  async #resetAfter(pending: PromiseLike<unknown>): Promise<boolean> {
    try {
      await pending
    } catch (error) {
      this[FAIL](error)
      return false
    }
    this.#runner = undefined
    return !this.isDone
  }

  #invoke(callable: (...args: never[]) => T | PromiseLike<T>): T | PromiseLike<T> {
    const frame = this.#frame
    if (frame !== undefined)
      return (this.#runner as Flow).runTask(frame, callable, ...(this[WORK_ARGUMENTS] as never[]))
    return this.#args === NO_ARGUMENTS ? (callable as Callable<T>)() : callable(...(this[WORK_ARGUMENTS] as never[]))
  }

  /** The body, if the caller may run it now: the task is not done, and no flow runs it. */
  #claim(runner: Flow): ((...args: never[]) => T | PromiseLike<T>) | undefined {
    if (this.isDone || this.#runner !== undefined) return undefined
    this.#runner = runner
    this.#watcher?.started()
    return this.#callable
  }

  // ------------------------------------------------------------------ for executors

  /** @internal The task is submitted to a virtual thread: its body will see the stores of this moment. */
  [CAPTURE](): void {
    if (!this.isDone && this.#runner === undefined) this.#frame = frameForTask()
  }

  /** @internal */
  get [WATCHER](): TaskWatcher | undefined {
    return this.#watcher
  }

  /** @internal */
  [WATCH](watcher: TaskWatcher): void {
    this.#watcher = watcher
  }

  /** @internal What is notified of the end. */
  get [OBSERVATION](): SettleObserver | undefined {
    return this.#observation
  }

  /** @internal */
  [OBSERVE](observer: SettleObserver): void {
    this.#observation = observer
  }

  /** @internal The same work as a new, independent task, for `shutdownNow`. A task that is over is returned itself. */
  [RENEW](): FutureTask<unknown> {
    const callable = this.#callable
    return callable === undefined ? this : FutureTask.ofCall(callable, this[WORK_ARGUMENTS] as never[])
  }

  /** @internal The function of the task, if it is not over. */
  get [WORK](): ((...args: never[]) => unknown) | undefined {
    return this.#callable
  }

  /** @internal The arguments of the task. */
  get [WORK_ARGUMENTS](): readonly unknown[] {
    return this.#args === SENT ? (this[REMOTE_TASKS]?.argumentsOf?.(this[REMOTE_HANDLE]) ?? SENT) : this.#args
  }

  /** @internal Another thread has a copy of the arguments: thousands of waiting tasks need not keep them twice. */
  [SEND_ARGUMENTS](): void {
    if (this.#args.length > 0) this.#args = SENT
  }

  /** @internal The task is back in this thread, and no thread has begun it. */
  [TAKE_BACK](): void {
    this.#args = this[WORK_ARGUMENTS]
    this[COME_BACK]()
  }

  /** @internal Whether run() is not overridden, so that any thread that can call the function may run the task. */
  get [IS_PORTABLE](): boolean {
    return this.run === FutureTask.prototype.run
  }

  /** @internal When the task is to run, if that is not at once. */
  get [TIMING](): Timing | undefined {
    return undefined
  }

  /** @internal From now on another thread has the task. */
  [RUN_REMOTELY](remote: RemoteTasks, handle: number): void {
    this[LEAVE_TO](remote, handle)
    this.#watcher?.sentAway?.(
      () => remote.startOf?.(handle),
      (error, isNews) => remote.report?.(error, isNews),
    )
  }

  /** @internal This thread, which has sent the task away, is about to run it after all. */
  [RUNS_HERE](keeper: TimerKeeper): void {
    this.#watcher?.runsHere?.(keeper)
  }
}
