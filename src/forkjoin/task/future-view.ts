import { AS_FUTURE, IS_PART_OF } from "./internals.ts"
import { UnsupportedOperationError } from "../../errors.ts"
import type { Future, FutureState, OnRejected } from "../../future/future.ts"
import type { FutureTask } from "../../future/future-task.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../../inspection.ts"
import type { WaitOptions } from "../../memory/flow/waiting.ts"
import { thisThread } from "./this-thread.ts"

/** The methods of a ForkJoinTask as a future: getters of its outcome, and the waits other than `join`. */
export abstract class FutureView<T> implements Future<T> {
  // ------------------------------------------------------------------ the calling thread

  /** Whether this is a thread of a ForkJoinPool: otherwise `fork` goes to the common pool. */
  static get inForkJoinPool(): boolean {
    return thisThread.forks !== undefined
  }

  /** How many forked tasks wait in the deque of this thread; an estimate, as thieves may be taking some. */
  static get queuedTaskCount(): number {
    return thisThread.queue?.stealing?.own?.length ?? 0
  }

  /**
   * How many of these are left if every idle thread of the pool takes one. If there are several, forking more is of no
   * use, and a task may as well compute by itself. An estimate; negative if there are more idle threads than tasks.
   */
  static get surplusQueuedTaskCount(): number {
    const { queue } = thisThread
    return queue === undefined ? 0 : this.queuedTaskCount - queue.idleWorkers
  }

  // ------------------------------------------------------------------ the task

  /** As in `Future`. */
  abstract get isDone(): boolean
  /** As in `Future`. */
  abstract get state(): FutureState
  abstract cancel(mayInterruptIfRunning?: boolean): boolean
  abstract getSync(timeout?: number): T
  /** See `ForkJoinTask.join`. */
  abstract join(): T

  /** @internal A future that is settled with the task. */
  protected abstract [AS_FUTURE](): FutureTask<T>

  /** @internal Whether that task cannot be over before this one is: see counted-completer.ts. */
  [IS_PART_OF](_task: unknown): boolean {
    return false
  }

  /** A forked task can have no time limit: UnsupportedOperationError. */
  orTimeout(_ms: number): this {
    throw new UnsupportedOperationError("A forked task has no time limit of its own: set one on the task that forks")
  }

  /** As in `Future`. */
  get isCancelled(): boolean {
    return this.state === "cancelled"
  }

  /** True if the task has succeeded. */
  get isCompletedNormally(): boolean {
    return this.state === "success"
  }

  /** True if the task has failed or was cancelled. */
  get isCompletedAbnormally(): boolean {
    return this.isDone && !this.isCompletedNormally
  }

  resultNow(): T {
    return this[AS_FUTURE]().resultNow()
  }

  exceptionNow(): unknown {
    return this[AS_FUTURE]().exceptionNow()
  }

  /** The same as `join`, but returns no result and throws no error of the task. */
  quietlyJoin(): void {
    try {
      this.join()
    } catch (error) {
      if (!this.isDone) throw error
    }
  }

  get(wait?: WaitOptions): Promise<T> {
    return this[AS_FUTURE]().get(wait)
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a future is a thenable by contract
  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: OnRejected<B>,
  ): Promise<A | B> {
    return this[AS_FUTURE]().then(onFulfilled, onRejected)
  }

  catch<B = never>(onRejected?: OnRejected<B>): Promise<T | B> {
    return this.then(undefined, onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.get().finally(onFinally)
  }

  get [Symbol.toStringTag](): string {
    return "Future"
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    const { state } = this
    if (state === "success") return { state, value: this.resultNow() }
    return { state, error: state === "failed" ? this.exceptionNow() : undefined }
  }

  /** Its class, its state, and its result, its error or its task. */
  toString(): string {
    return this[AS_FUTURE]().toString()
  }
}
