import { IS_SETTLED } from "../../future/internals.ts"
import { requireTimeout, typeError } from "../../checks.ts"
import { IllegalStateError, TimeoutError, UnsupportedOperationError } from "../../errors.ts"
import type { Future } from "../../future/future.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../../inspection.ts"
import { LOCAL } from "../../memory/shared/shareables.ts"
import { blocking, type WaitOptions } from "../../memory/flow/waiting.ts"
import { LinkedBlockingQueue } from "../../queue/linked-blocking-queue.ts"
import { now } from "../../time/timer.ts"
import type { RemoteTasks } from "../../future/task-observers.ts"
import { type Completion, Completions, type Delivery } from "./completions.ts"
import type { Executor } from "../executor.ts"

/**
 * Delivers results in the order in which tasks end, not in which they were submitted.
 *
 * What is delivered is a {@link Completion}: settled like an entry of `Promise.allSettled`, with its future beside it.
 *
 * **Memory effects.** As for the futures: what a task wrote to shared memory is visible to the thread to which it is
 * delivered.
 *
 * @example
 * ```ts
 * import { ExecutorCompletionService, Executors, Thread } from "corepool"
 *
 * await using pool = Executors.newVirtualThreadPerTaskExecutor()
 * const service = new ExecutorCompletionService<string>(pool)
 * service.submit(async () => (await Thread.sleep(50), "slow"))
 * service.submit(() => "quick")
 * for (let i = 0; i < 2; i++) {
 *   const completion = await service.take()
 *   console.log(completion.future.resultNow())
 * }
 * // => quick
 * // => slow
 * ```
 */
export class ExecutorCompletionService<T> {
  readonly #completed = new LinkedBlockingQueue<Completion<T>>()
  readonly #completions: Completions<T>

  /** Submits to this executor. Its tasks are delivered in the thread that makes the service. */
  constructor(executor: Executor) {
    if (typeof (executor as Executor | null | undefined)?.execute !== "function") {
      throw typeError("executor", "an Executor", executor)
    }
    this.#completions = new Completions(executor, (completion) => this.#completed.add(completion))
  }

  /** @internal */
  get [LOCAL](): string {
    return "belongs to the thread that made it, in which its tasks are delivered: send the executor"
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    const { executor, pending } = this.#completions
    return { executor, pending, completed: this.#completed.size }
  }

  /**
   * Runs the task with the arguments, and delivers it when it is over.
   *
   * @throws RejectedExecutionError if the task is not accepted.
   */
  submit<A extends unknown[]>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Future<T> {
    return this.#completions.submit(task, args)
  }

  /** The next completed task; waits for one. */
  take(wait?: WaitOptions): Promise<Completion<T>> {
    return this.#completed.take(wait)
  }

  /** The next completed task if there is one now; with a limit, waits that long for one. */
  poll(): Completion<T> | undefined
  /** The next completed task; waits at most so long. Undefined if none comes in time. */
  poll(wait: WaitOptions): Promise<Completion<T> | undefined>
  poll(wait?: WaitOptions): Completion<T> | undefined | Promise<Completion<T> | undefined> {
    this.#completions.look()
    return wait === undefined ? this.#completed.poll() : this.#completed.poll(wait)
  }

  /**
   * The next completed task; blocks the thread until there is one. On virtual threads only one that is done can be had:
   * an UnsupportedOperationError otherwise. IllegalStateError if no task is under way.
   */
  takeSync(): Completion<T> {
    return this.#obtainSync(Infinity) as Completion<T>
  }

  /** The next completed task; blocks the thread at most so many milliseconds. Undefined if none comes in time. */
  pollSync(ms: number): Completion<T> | undefined {
    return this.#obtainSync(requireTimeout("ms", ms))
  }

  #obtainSync(limit: number): Completion<T> | undefined {
    const deadline = now() + limit
    for (;;) {
      this.#completions.look()
      const completion = this.#completed.poll()
      const left = deadline - now()
      if (completion !== undefined || left <= 0) return completion
      const { first } = this.#completions
      if (first === undefined) this.#waitForNothing(left)
      else this.#block(first, left)
    }
  }

  /** Blocks until any task is completed, or another flow has taken the completion of this one. */
  #block(delivery: Delivery<T>, limit: number): void {
    const { remote } = delivery
    if (remote === undefined) {
      throw new UnsupportedOperationError(
        "takeSync() and pollSync() would block the event loop that has to run the tasks: use `await service.take()` on virtual threads",
      )
    }
    this.#blockFor(delivery, remote, limit)
  }

  #blockFor(delivery: Delivery<T>, remote: RemoteTasks, limit: number): void {
    const completed = this.#completed
    const arrival = {
      get isDone(): boolean {
        return completed.size > 0 || delivery[IS_SETTLED]
      },
    }
    try {
      blocking(remote.blocking(arrival, delivery.handle, limit !== Infinity), limit, "Future")
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error
    }
  }

  /** No task is under way, and this thread cannot submit one while it blocks. */
  #waitForNothing(limit: number): void {
    if (limit === Infinity) {
      throw new IllegalStateError("This wait could never end: no task of this completion service is under way")
    }
    this.#completed.pollSync(limit)
  }
}
