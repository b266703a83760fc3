import { CancellationError, IllegalStateError, TimeoutError, UnsupportedOperationError } from "../errors.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../inspection.ts"
import { TIMEOUT, WaitList } from "../memory/flow/wait-list.ts"
import {
  abortOf,
  awaiting,
  blocking,
  isLimited,
  type Steps,
  timeoutOf,
  type WaitOptions,
} from "../memory/flow/waiting.ts"
import type { FutureState, OnRejected } from "./future.ts"
import { addCallers } from "./callers.ts"
import { ResultWait } from "./result-wait.ts"
import type { RemoteTasks } from "./task-observers.ts"
import { CANCELLED, COMPLETING, EXCEPTIONAL, type leaveNew, NEW, NORMAL, type settle } from "./task-state.ts"

/** Why there is no such outcome. */
const OTHERWISE: Readonly<Record<FutureState, string>> = {
  running: "Task has not completed",
  success: "Task completed with a result",
  failed: "Task completed with exception",
  cancelled: "Task was cancelled",
}

/**
 * The half of a future that is about what has become of the computation: looking at it and waiting for it. Whoever
 * carries the computation out, or ends it, is in future-task.ts.
 *
 * The state decides; whoever leads it out of NEW stores the outcome and wakes all waiters.
 */
export abstract class Outcome<T> implements PromiseLike<T> {
  /**
   * As in task-state.ts, in which the same states are those of a task in shared memory. Only this thread has this one.
   */
  #state: number = NEW

  /** The value, the error, or what a cancellation was caused by; read only in the state that belongs to it. */
  #outcome: unknown

  /** Who waits for the end; exists once somebody does. */
  #waiters: WaitList | undefined

  /** If it is decided in another thread: who knows of it, and how it is called there. */
  #remote: RemoteTasks | undefined
  #handle = 0

  // ------------------------------------------------------------------ looking

  /** As in `Future`. */
  get isDone(): boolean {
    return this.#latest !== NEW
  }

  /** @internal The same, as far as it is known here. */
  get isSettled(): boolean {
    return this.#state !== NEW
  }

  /** As in `Future`. */
  get isCancelled(): boolean {
    return this.#latest >= CANCELLED
  }

  /** As in `Future`. */
  get state(): FutureState {
    const state = this.#latest
    if (state <= COMPLETING) return "running"
    if (state >= CANCELLED) return "cancelled"
    return state === NORMAL ? "success" : "failed"
  }

  /** As in `Future`. */
  resultNow(): T {
    return this.#outcomeIf("success") as T
  }

  /** As in `Future`. */
  exceptionNow(): unknown {
    return this.#outcomeIf("failed")
  }

  #outcomeIf(expected: FutureState): unknown {
    const { state } = this
    if (state === expected) return this.#outcome
    const hasCause = state === "failed" || state === "cancelled"
    throw new IllegalStateError(OTHERWISE[state], hasCause ? { cause: this.#outcome } : undefined)
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    const { state } = this
    if (state === "success") return { state, value: this.#outcome }
    return state === "failed" ? { state, error: this.#outcome } : { state, cause: this.causeOfCancellation }
  }

  // ------------------------------------------------------------------ waiting

  /** As in `Future`. */
  get(wait?: WaitOptions): Promise<T> {
    this.willBeAwaited(wait !== undefined && isLimited(wait))
    if (this.isDone) return this.#reported(wait)
    if (wait !== undefined) return awaiting(this.#waitingForResult(), wait)
    return new Promise((resolve, reject) => new ResultWait(this, resolve, reject))
  }

  /** As in `Future`. */
  getSync(timeout?: number): T {
    const limit = timeoutOf(timeout)
    if (this.isDone) return this.#reportToCaller()
    if (limit <= 0) throw new TimeoutError("The task did not complete in time")
    if (this.#remote !== undefined) {
      blocking(this.#remote.blocking(this, this.#handle, limit !== Infinity), limit)
      return this.#reportToCaller()
    }
    throw new UnsupportedOperationError(
      "getSync() would block the event loop that has to run this task: use `await future.get()` on virtual threads",
    )
  }

  /** As in `Future`. */
  // oxlint-disable-next-line unicorn/no-thenable -- a future is a thenable by contract
  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: OnRejected<B>,
  ): Promise<A | B> {
    // What is done need not be waited for: a promise less for each task, and `await` comes this way.
    if (this.#state === NORMAL) return Promise.resolve(this.#outcome as T).then(onFulfilled, onRejected)
    return this.get().then(onFulfilled, onRejected)
  }

  /** As in `Future`. */
  catch<B = never>(onRejected?: OnRejected<B>): Promise<T | B> {
    return this.then(undefined, onRejected)
  }

  /** As in `Future`. */
  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.get().finally(onFinally)
  }

  /** `"Future"`, in all classes of futures. */
  get [Symbol.toStringTag](): string {
    return "Future"
  }

  /**
   * @internal It is going to be awaited otherwise than by `get`: the thread that waits may be the only one that could
   * run it.
   */
  willBeAwaited(isLimitedInTime: boolean): void {
    if (this.#remote !== undefined) this.#remote.awaited(this.#handle, isLimitedInTime)
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

  /** Reports to who has called the method that calls this: an error says who that is. */
  #reportToCaller(): T {
    if (this.#state === EXCEPTIONAL) addCallers(this.#outcome, 2)
    return this.report()
  }

  /** @internal The outcome of a task that is done: returned or thrown. */
  report(): T {
    const state = this.#state
    if (state === NORMAL) return this.#outcome as T
    if (state === EXCEPTIONAL) throw this.#outcome
    throw new CancellationError(
      "Task was cancelled",
      this.#outcome === undefined ? undefined : { cause: this.#outcome },
    )
  }

  /** @internal What a cancellation was caused by. */
  get causeOfCancellation(): unknown {
    return this.isCancelled ? this.#outcome : undefined
  }

  // ------------------------------------------------------------------ deciding

  /** @internal NEW -> `next`; true for the one who decides. */
  protected decide(next: Parameters<typeof leaveNew>[2]): boolean {
    if (this.#state !== NEW) return false
    this.#state = next
    return true
  }

  /** @internal By the one who decides: the outcome, and the state in which it can be seen. */
  protected settle(final: Parameters<typeof settle>[2], outcome: unknown): void {
    this.#outcome = outcome
    this.#state = final
  }

  /** @internal The same if it is cancelled without interrupt: the decision is the state. */
  protected note(outcome: unknown): void {
    this.#outcome = outcome
  }

  /** @internal Wakes all who wait. */
  protected announce(): void {
    this.#remote = undefined
    const waiters = this.#waiters
    this.#waiters = undefined
    waiters?.signalAll()
  }

  /** @internal For descriptions. */
  protected get outcome(): unknown {
    return this.#outcome
  }

  // ------------------------------------------------------------------ elsewhere

  /** @internal It is decided in another thread from now on. */
  protected leaveTo(remote: RemoteTasks, handle: number): void {
    this.#remote = remote
    this.#handle = handle
  }

  /** @internal Who has it, if it is decided in another thread. */
  get remoteTasks(): RemoteTasks | undefined {
    return this.#remote
  }

  /** @internal Whether another thread has it. */
  get isRemote(): boolean {
    return this.#remote !== undefined
  }

  /** @internal It is here again: nobody has begun it, or it is over. Its record is still there. */
  comeBack(): void {
    this.#remote = undefined
  }

  /** @internal When it is due there, and whether it runs; undefined if it is here. */
  protected get remoteTime(): ReturnType<RemoteTasks["timeOf"]> | undefined {
    return this.#remote?.timeOf(this.#handle)
  }

  /** @internal How the task is, or was last, called in the memory of other threads. */
  get remoteHandle(): number {
    return this.#handle
  }

  /** @internal Whether it can still be ended from here, if it is in another thread; it is stopped there then. */
  protected mayEnd(mayInterruptIfRunning: boolean): boolean {
    const remote = this.#remote
    if (remote === undefined) return true
    if (!remote.cancel(this.#handle, mayInterruptIfRunning)) {
      remote.look() // its outcome is here, or on its way
      return false
    }
    this.comeBack()
    return true
  }

  /** The same, if there is news from another thread. */
  get #latest(): number {
    if (this.#remote !== undefined && this.#state === NEW) this.#remote.look()
    return this.#state
  }
}
