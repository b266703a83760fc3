import {
  ANNOUNCE,
  CAUSE_OF_CANCELLATION,
  COME_BACK,
  COMPLETION,
  DECIDE,
  IS_REMOTE,
  IS_SETTLED,
  KEEPER_OF,
  LEAVE_TO,
  MAY_END,
  NOTE,
  OUTCOME,
  REMOTE_HANDLE,
  REMOTE_TASKS,
  REMOTE_TIME,
  REPORT,
  SETTLE,
  WAIT_IS_OVER,
  WILL_BE_AWAITED,
} from "./internals.ts"
import { CancellationError, IllegalStateError, TimeoutError, UnsupportedOperationError } from "../errors.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../inspection.ts"
import { manyWaits } from "../memory/flow/flow.ts"
import { type Keeper, TIMEOUT, WaitList } from "../memory/flow/wait-list.ts"
import {
  abortOf,
  awaiting,
  blocking,
  isLimited,
  type Steps,
  timeoutOf,
  type WaitOptions,
} from "../memory/flow/waiting.ts"
import { observing } from "../observing.ts"
import type { FutureState, OnRejected } from "./future.ts"
import { addCallers } from "./callers.ts"
import { isPromiseJob } from "./promise-job.ts"
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
 * The half of a future that holds the outcome: reading it and waiting for it. future-task.ts has the half that runs and
 * ends the computation.
 *
 * The state decides: the caller that takes it out of NEW stores the outcome and wakes all waiters.
 */
export abstract class Outcome<T> implements PromiseLike<T> {
  /**
   * One of the states of task-state.ts, which also are those of a task in shared memory. Only this thread has this one.
   */
  #state: number = NEW

  /** The value, the error, or the cause of the cancellation; which of them, the state says. */
  #outcome: unknown

  /** The flows that wait for the end: a list only if there are several. */
  #waiters: WaitList | ResultWait | undefined

  /** If another thread decides the outcome: the part that knows of it, and the task's handle there. */
  #remote: RemoteTasks | undefined
  #handle = 0

  // ------------------------------------------------------------------ looking

  /** As in `Future`. */
  get isDone(): boolean {
    return this.#latest !== NEW
  }

  /** @internal The same, as far as this thread knows. */
  get [IS_SETTLED](): boolean {
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
    if (state === expected) {
      if (expected === "failed") observing.by?.failureSeen(this)
      return this.#outcome
    }
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
    return state === "failed" ? { state, error: this.#outcome } : { state, cause: this[CAUSE_OF_CANCELLATION] }
  }

  // ------------------------------------------------------------------ waiting

  /** As in `Future`. */
  get(wait?: WaitOptions): Promise<T> {
    this[WILL_BE_AWAITED](wait !== undefined && isLimited(wait))
    if (this.isDone) return this.#reported(wait)
    if (wait !== undefined) return awaiting(this.#waitingForResult(), wait, "Future", this)
    return new Promise((resolve, reject) => void new ResultWait(this, resolve, reject).start())
  }

  /** As in `Future`. */
  getSync(timeout?: number): T {
    const limit = timeoutOf(timeout)
    if (this.isDone) {
      this.#nameCaller()
      return this[REPORT]()
    }
    if (limit <= 0) throw new TimeoutError("The task did not complete in time")
    if (this.#remote !== undefined) {
      blocking(this.#remote.blocking(this, this.#handle, limit !== Infinity), limit, "Future")
      this.#nameCaller()
      return this[REPORT]()
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
    // A future that is done need not be waited for: that saves a promise.
    if (this.#state === NORMAL) return Promise.resolve(this.#outcome as T).then(onFulfilled, onRejected)
    if (manyWaits() && isPromiseJob(onFulfilled, onRejected)) {
      this[WILL_BE_AWAITED](false)
      return new ResultWait(this, onFulfilled as never, onRejected as never).start() as PromiseLike<unknown> as never
    }
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

  /** @internal A wait is about to begin. The waiting thread may be the only one that could run the task. */
  [WILL_BE_AWAITED](isLimitedInTime: boolean): void {
    if (this.#remote !== undefined) this.#remote.awaited(this.#handle, isLimitedInTime)
  }

  /** @internal The list in which flows wait until this is done. */
  get [COMPLETION](): WaitList {
    const waiters = this.#waiters
    if (waiters instanceof WaitList) return waiters
    const list = new WaitList()
    this.#waiters = list
    if (waiters !== undefined) {
      list.append(waiters)
      waiters.place = list
    }
    return list
  }

  /** @internal */
  [KEEPER_OF](wait: ResultWait): Keeper {
    return this.#waiters === undefined ? (this.#waiters = wait) : this[COMPLETION]
  }

  /** @internal */
  [WAIT_IS_OVER](): void {
    this.#waiters = undefined
  }

  async #reported(wait: WaitOptions | undefined): Promise<T> {
    // Wrong options are refused even if there is nothing to wait for.
    timeoutOf(wait)
    abortOf(wait)
    return this[REPORT]()
  }

  *#waitingForResult(): Steps<T> {
    while (!this.isDone) {
      if ((yield this[COMPLETION]) === TIMEOUT) throw new TimeoutError("The task did not complete in time")
    }
    return this[REPORT]()
  }

  /**
   * The stack of an error names who called the method that calls this one. It counts the frames of both, so neither
   * returns what this call returns: on Bun the frame of a function that does so has left the stack.
   */
  #nameCaller(): void {
    if (this.#state === EXCEPTIONAL) addCallers(this.#outcome, 2)
  }

  /** @internal Returns or throws the outcome of a task that is done. */
  [REPORT](): T {
    const state = this.#state
    if (state === NORMAL) return this.#outcome as T
    if (state === EXCEPTIONAL) {
      observing.by?.failureSeen(this)
      throw this.#outcome
    }
    throw new CancellationError(
      "Task was cancelled",
      this.#outcome === undefined ? undefined : { cause: this.#outcome },
    )
  }

  /** @internal The cause of the cancellation. */
  get [CAUSE_OF_CANCELLATION](): unknown {
    return this.isCancelled ? this.#outcome : undefined
  }

  // ------------------------------------------------------------------ deciding

  /** @internal NEW -> `next`; true for the one caller that decides. */
  protected [DECIDE](next: Parameters<typeof leaveNew>[2]): boolean {
    if (this.#state !== NEW) return false
    this.#state = next
    return true
  }

  /** @internal Called by the decider: stores the outcome, and the state in which it can be seen. */
  protected [SETTLE](final: Parameters<typeof settle>[2], outcome: unknown): void {
    this.#outcome = outcome
    this.#state = final
  }

  /** @internal The same for a cancellation without interrupt: its state is final already. */
  protected [NOTE](outcome: unknown): void {
    this.#outcome = outcome
  }

  /** @internal Wakes all waiters. */
  protected [ANNOUNCE](): void {
    this.#remote = undefined
    const waiters = this.#waiters
    this.#waiters = undefined
    waiters?.signalAll()
  }

  /** @internal For descriptions. */
  protected get [OUTCOME](): unknown {
    return this.#outcome
  }

  // ------------------------------------------------------------------ in another thread

  /** @internal From now on another thread decides. */
  protected [LEAVE_TO](remote: RemoteTasks, handle: number): void {
    this.#remote = remote
    this.#handle = handle
  }

  /** @internal The part that has the task, if another thread decides. */
  get [REMOTE_TASKS](): RemoteTasks | undefined {
    return this.#remote
  }

  /** @internal Whether another thread has it. */
  get [IS_REMOTE](): boolean {
    return this.#remote !== undefined
  }

  /** @internal The task is back in this thread: no thread has begun it, or it is over. Its record is still there. */
  [COME_BACK](): void {
    this.#remote = undefined
  }

  /**
   * @internal When the task is due in the other thread, and whether it runs there; undefined if it is in this thread.
   */
  protected get [REMOTE_TIME](): ReturnType<NonNullable<RemoteTasks["timeOf"]>> | undefined {
    return this.#remote?.timeOf?.(this.#handle)
  }

  /** @internal The handle that the task has, or had last, in the memory of other threads. */
  get [REMOTE_HANDLE](): number {
    return this.#handle
  }

  /** @internal Whether this thread can still end the task. If another thread has it, it is stopped there. */
  protected [MAY_END](mayInterruptIfRunning: boolean): boolean {
    const remote = this.#remote
    if (remote === undefined) return true
    if (!remote.cancel(this.#handle, mayInterruptIfRunning)) {
      remote.look() // the outcome is here, or on its way
      return false
    }
    this[COME_BACK]()
    return true
  }

  /** The state, after looking for news from another thread. */
  get #latest(): number {
    if (this.#remote !== undefined && this.#state === NEW) this.#remote.look()
    return this.#state
  }
}
