// prettier-ignore
import {
  ABANDON, CAUSE_OF_CANCELLATION, COME_BACK, COMPLETE, FAIL, IS_SETTLED, RUN_REMOTELY, SETTLE,
} from "../../future/internals.ts"
// prettier-ignore
import {
  ARRIVED, AS_FUTURE, CAN_BE_JOINED, COMPLETE_AS, GO_TO, IS_FRESH, IS_RUNNING, LIE_IN, PORTABLE, RECEIVED, RUN_HERE,
  SLOT,
} from "./internals.ts"
import { isPromiseLike } from "../../checks.ts"
import { IllegalStateError } from "../../errors.ts"
import { addCallers } from "../../future/merge-stacks.ts"
import type { FutureState } from "../../future/future.ts"
import { FutureTask } from "../../future/future-task.ts"
import { timeoutOf } from "../../memory/flow/waiting.ts"
import { SubmittedFuture } from "./submitted-future.ts"
import { FutureView } from "./future-view.ts"
// prettier-ignore
import {
  AWAY, CANCELLED, EXCEPTIONAL, FORK_JOIN_TASK, FORKED, FRESH, NORMAL, type Portable, RUNNING, UNDER_WAY, UNFINISHED,
} from "./life.ts"
import { alreadyForked, neverForked, outOfTime, sleepInVain, unused, waitsForItself, wasCancelled } from "./refusals.ts"
import { wouldWaitForItself } from "../../platform/worker/this-worker.ts"
import { type AnyFunction, call, thisThread } from "./this-thread.ts"

/*
 * How it works. `fork` and `join` of a task that is not stolen should cost little more than the call. So a task is a
 * small object with a state (life.ts). A FutureTask does all other waits than `join`, and is made when it is first
 * needed. README.md says which thread wakes which.
 */

const NO_ARGUMENTS: readonly unknown[] = []

/**
 * A task that is part of another one: `fork` offers it to other threads, `join` waits for it and works meanwhile.
 *
 *     export const fib = task(import.meta.url, function fib(n: number): number {
 *       if (n < 20) return sequentialFib(n)
 *       const other = fork(fib, n - 1)
 *       return fib(n - 2) + other.join()
 *     })
 *
 * A forked task lies in a deque of its thread, from which idle threads steal. If it was not stolen when it is joined,
 * the thread runs it itself, as a plain call with the original arguments: nothing is copied. Otherwise the thread runs
 * what it has forked since, or helps the thief, and sleeps only if there is nothing to help with.
 *
 * It belongs to the thread that made it and cannot be sent to another one. It is a future, too, and can be awaited. An
 * asynchronous function can be forked, but then only awaited, not joined.
 *
 * Cancelling a task cancels what it has forked: a cancelled task gets a `CancellationError` from its next `fork`, or
 * from a `join` that has to wait, and what it has forked and not joined is cancelled with it.
 *
 * **Memory effects.** Writes to shared memory before `fork` are visible to the task; its own are visible after `join`.
 */
export class ForkJoinTask<T> extends FutureView<T> {
  readonly #fn: AnyFunction | undefined
  readonly #args: readonly unknown[]
  #slot = 0
  #state: number = FRESH
  #outcome: unknown = undefined
  #future: FutureTask<T> | undefined = undefined

  /** @internal Without a function it is a subclass that overrides `exec`. */
  constructor(fn?: AnyFunction, args: readonly unknown[] = NO_ARGUMENTS) {
    super()
    this.#fn = fn
    this.#args = args
  }

  /** @internal */
  get [FORK_JOIN_TASK](): true {
    return true
  }

  // ------------------------------------------------------------------ forking and joining

  /** Offers it to other threads, unless it is over. Returns the task. */
  fork(): this {
    if (this[IS_SETTLED]) return this // as in Java: join() then gives its outcome
    if (this.#state !== FRESH) throw alreadyForked()
    const fn = this.#fn
    const { forks } = thisThread
    if (forks === undefined) {
      this[GO_TO]((task) => thisThread.submitElsewhere(task))
    } else if (fn !== undefined) forks.fork(this, fn, this.#args)
    else {
      const portable = this[PORTABLE]()
      forks.fork(this, portable.fn, portable.args)
    }
    return this
  }

  /**
   * Its result, when it is over; meanwhile this thread runs other tasks. Throws the error of the task.
   *
   * @throws CancellationError if the task was cancelled.
   * @throws IllegalStateError if the wait would never end: for a task that is beneath this very call, was never forked,
   * or is asynchronous.
   */
  override join(): T {
    if (this.#state === FORKED && thisThread.forks?.unpush(this.#slot) === true) this.#run()
    if (this.#state !== NORMAL) this.#settleOrThrow()
    return this.#outcome as T
  }

  /** Runs it in this thread, if it was not begun. Its result, as with {@link join}. */
  invoke(): T {
    if (this.#state === FRESH) this.#run()
    return this.join()
  }

  /** The same as `invoke`, but returns no result and throws no error of the task. */
  quietlyInvoke(): void {
    if (this.#state === FRESH) this.#run()
    this.quietlyJoin()
  }

  /** Takes it back, if it was forked last and was not stolen. Then it may be forked or invoked again. */
  tryUnfork(): boolean {
    if (this.#state !== FORKED || thisThread.forks?.unpush(this.#slot) !== true) return false
    this.#state = FRESH
    return true
  }

  #run(): void {
    const { watch } = thisThread
    const start = watch === undefined || this.#slot === 0 ? 0 : watch.now()
    this.#begin()
    if (start !== 0) watch?.ran(start, this, this.#state === EXCEPTIONAL)
  }

  #begin(): void {
    this.#state = RUNNING
    let value: unknown
    try {
      value = this.exec()
      if (typeof value === "object" && isPromiseLike(value)) {
        this.#state = UNDER_WAY
        void this.#await(value)
        return
      }
    } catch (error) {
      if (this.#state === RUNNING) this[SETTLE](EXCEPTIONAL, error)
      return
    }
    if (value === UNFINISHED) {
      if (this.#state === RUNNING) this.#state = UNDER_WAY
    } else if (this.#state === RUNNING) {
      this.#state = NORMAL
      this.#outcome = value
      if (this.#future !== undefined) this.#tell(this.#future)
    }
  }

  async #await(pending: PromiseLike<unknown>): Promise<void> {
    let value: unknown
    try {
      value = await pending
    } catch (error) {
      if (this.#state === UNDER_WAY) this[SETTLE](EXCEPTIONAL, error)
      return
    }
    if (this.#state === UNDER_WAY) this[SETTLE](NORMAL, value)
  }

  /** The work. */
  protected exec(): unknown {
    return call(this.#fn as AnyFunction, this.#args as never[])
  }

  /** @internal The function and arguments by which another thread can run it. */
  [PORTABLE](): Portable {
    return { fn: this.#fn as AnyFunction, args: this.#args }
  }

  /** @internal The result, of what a thief has sent back. */
  [RECEIVED](value: unknown): unknown {
    return value
  }

  #settleOrThrow(): void {
    if (this.#state === AWAY) (this.#future as SubmittedFuture<T>).awaitUninterruptibly()
    else if (this.#isPending) this.#wait()
    switch (this.#state) {
      case FRESH:
        throw neverForked()
      case RUNNING:
        throw waitsForItself()
      case EXCEPTIONAL:
        addCallers(this.#outcome, 2)
        throw this.#outcome
      case CANCELLED:
        throw wasCancelled(this.#outcome)
    }
  }

  /** Whether waiting can help. A completer that was not forked can, too: its parts complete it. */
  get #isPending(): boolean {
    const state = this.#state
    return state === FORKED || state === UNDER_WAY || (state === FRESH && this[CAN_BE_JOINED])
  }

  #wait(): void {
    const { forks } = thisThread
    if (forks === undefined || !this[CAN_BE_JOINED]) throw wouldWaitForItself()
    forks.join(this)
  }

  /** @internal Whether this thread can block until it is over. */
  get [CAN_BE_JOINED](): boolean {
    return this.#state === FORKED
  }

  // ------------------------------------------------------------------ completing it otherwise

  /** Completes it with this value, unless it is over. */
  complete(value: T): void {
    this[COMPLETE_AS](NORMAL, value)
  }

  /** Completes it, unless it is over, without a result: see `rawResult` of completers. */
  quietlyComplete(): void {
    this[COMPLETE_AS](NORMAL, undefined)
  }

  /** Completes it with this error, unless it is over. */
  completeExceptionally(error: unknown): void {
    this[COMPLETE_AS](EXCEPTIONAL, error)
  }

  /** @internal False if it was over, or if another thread has decided its outcome, which is on its way. */
  [COMPLETE_AS](state: number, outcome: unknown): boolean {
    if (this.isDone) return false
    const away = this.#state === AWAY ? (this.#future as SubmittedFuture<T>) : undefined
    if (away?.takeBackFrom() === false) return false
    if (this.#state === FORKED) thisThread.forks?.cancel(this.#slot, false) // a thief need not go on
    this[SETTLE](state, outcome)
    if (away?.early !== undefined) this.#tell(away.early)
    return true
  }

  /** True if it is cancelled now, also if it was before. */
  override cancel(mayInterruptIfRunning = false): boolean {
    if (this.#state === AWAY) {
      const future = this.#future as FutureTask<T>
      return future.cancel(mayInterruptIfRunning) || future.isCancelled
    }
    if (this.#state === FORKED && thisThread.forks?.cancel(this.#slot, mayInterruptIfRunning) !== true) {
      return this.isCancelled // its outcome has come, or is on its way
    }
    if (this.#state < NORMAL) this[SETTLE](CANCELLED, undefined)
    return this.#state === CANCELLED
  }

  /** Makes it ready to be forked again, if it is over. */
  reinitialize(): void {
    if (!this.isDone) throw new IllegalStateError("Only a task that is over can be used again")
    this.#state = FRESH
    this.#outcome = undefined
    this.#future = undefined
  }

  /** @internal Sets its outcome, and completes its future. */
  [SETTLE](state: number, outcome: unknown): void {
    this.#state = state
    this.#outcome = outcome
    if (this.#future !== undefined) this.#tell(this.#future)
  }

  #tell(future: FutureTask<T>): void {
    future[COME_BACK]()
    if (this.#state === NORMAL) future[COMPLETE](this.#outcome as T)
    else if (this.#state === EXCEPTIONAL) future[FAIL](this.#outcome)
    else future[ABANDON](this.#outcome)
  }

  // ------------------------------------------------------------------ as a future

  override get isDone(): boolean {
    if (this.#state === FORKED) thisThread.forks?.look()
    else if (this.#state === AWAY && (this.#future as FutureTask<T>).isDone) return true // the getter calls arrived()
    return this[IS_SETTLED]
  }

  override get state(): FutureState {
    if (!this.isDone) return "running"
    if (this.#state === NORMAL) return "success"
    return this.#state === EXCEPTIONAL ? "failed" : "cancelled"
  }

  /** As {@link join}, but an interrupt or the limit ends the wait. With a limit this thread runs nothing meanwhile. */
  override getSync(timeout?: number): T {
    const limit = timeout === undefined ? Infinity : timeoutOf(timeout)
    if (this.#state === AWAY) return (this.#future as FutureTask<T>).getSync(timeout)
    const { forks } = thisThread
    if (limit === Infinity && this.#state === FORKED && forks?.unpush(this.#slot) === true) this.#run()
    if (limit <= 0 && !this.isDone) throw outOfTime()
    if (this.#isPending && forks !== undefined && this[CAN_BE_JOINED]) forks.await(this, limit)
    else if (limit !== Infinity && !this[IS_SETTLED]) sleepInVain(limit)
    return this.join()
  }

  /** @internal */
  protected override [AS_FUTURE](): FutureTask<T> {
    let future = this.#future
    if (future === undefined) {
      this.#future = future = new FutureTask<T>(unused)
      if (this.#state >= NORMAL) this.#tell(future)
      else if (this.#state === FORKED && thisThread.forks !== undefined)
        future[RUN_REMOTELY](thisThread.forks, this.#slot)
    }
    return future
  }

  /** @internal Submits it to a pool, as a future that runs the portable function. */
  [GO_TO](submit: (task: FutureTask<T>) => void): void {
    if (this.#state !== FRESH) throw alreadyForked()
    const { fn, args } = this[PORTABLE]()
    const future = SubmittedFuture.ofCall(fn, args as never[]) as SubmittedFuture<T>
    future.task = this
    this.#state = AWAY
    future.early = this.#future
    this.#future = future
    try {
      submit(future)
    } catch (error) {
      future.task = undefined
      this.#state = FRESH
      this.#future = future.early
      throw error
    }
  }

  /** @internal The future as which it was submitted is done. */
  [ARRIVED](): void {
    if (this.#state !== AWAY) return
    const future = this.#future as SubmittedFuture<T>
    const { state } = future
    this.#state = state === "success" ? NORMAL : state === "failed" ? EXCEPTIONAL : CANCELLED
    this.#outcome =
      this.#state === NORMAL
        ? future.resultNow()
        : this.#state === EXCEPTIONAL
          ? future.exceptionNow()
          : future[CAUSE_OF_CANCELLATION]
    if (future.early !== undefined) this.#tell(future.early)
  }

  // ------------------------------------------------------------------ for the thread it belongs to

  /** @internal It is in this slot of the deque from now on, for any thread that takes it. */
  [LIE_IN](slot: number): void {
    this.#slot = slot
    this.#state = FORKED
  }

  /** @internal Runs it in this thread, unless it was begun. */
  [RUN_HERE](): void {
    if (this.#state === FORKED || this.#state === FRESH) this.#run()
  }

  /** @internal A thief has run it, and its outcome has come. */
  [COME_BACK](state: "success" | "failed" | "cancelled", outcome: unknown): void {
    if (this.#state !== FORKED) return
    try {
      if (state === "success") this[SETTLE](NORMAL, this[RECEIVED](outcome))
      else this[SETTLE](state === "failed" ? EXCEPTIONAL : CANCELLED, outcome)
    } catch (error) {
      this[SETTLE](EXCEPTIONAL, error)
    }
  }

  /** @internal Neither begun nor over. */
  get [IS_FRESH](): boolean {
    return this.#state === FRESH
  }

  /** @internal */
  get [IS_SETTLED](): boolean {
    return this.#state >= NORMAL
  }

  /** @internal The slot in which thieves find it; 0 if it was not forked, or runs in this thread. */
  get [SLOT](): number {
    return this.#state === FORKED ? this.#slot : 0
  }

  /** @internal */
  get [IS_RUNNING](): boolean {
    return this.#state === RUNNING || this.#state === UNDER_WAY
  }
}
