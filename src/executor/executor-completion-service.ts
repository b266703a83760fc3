/**
 * Hands out results in the order in which they come, not in which they were asked for.
 *
 *     const service = new ExecutorCompletionService<Page>(pool)
 *     for (const url of urls) service.submit(() => load(url))
 *     for (let i = 0; i < urls.length; i++) show(await service.take())
 *
 * What is delivered is a {@link Completion}: settled like an entry of `Promise.allSettled`, with its future beside it.
 */
import { requireTimeout, typeError } from "../checks.ts"
import { IllegalStateError, TimeoutError, UnsupportedOperationError } from "../errors.ts"
import type { Future } from "../future/future.ts"
import { FutureTask } from "../future/future-task.ts"
import { bind } from "../future/runnable.ts"
import type { RemoteTasks } from "../future/task-parties.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../inspection.ts"
import { guarded } from "../memory/guard.ts"
import { LOCAL } from "../memory/shareables.ts"
import { blocking, type WaitOptions } from "../memory/waiting.ts"
import { LinkedBlockingQueue } from "../queue/linked-blocking-queue.ts"
import { now } from "../time/timer.ts"
import { Carrier } from "./carrier.ts"
import type { Executor, TaskHost } from "./executor.ts"

/** A future that is done, and what came of it. A promise cannot carry a future alone: it would be unwrapped. */
export type Completion<T> = PromiseSettledResult<T> & { readonly future: Future<T> }

export class ExecutorCompletionService<T> {
  readonly #executor: Executor
  readonly #completed = new LinkedBlockingQueue<Completion<T>>()
  /** Those that are under way, first submitted first. */
  readonly #pending = new Set<Delivery<T>>()

  constructor(executor: Executor) {
    if (typeof (executor as Executor | null | undefined)?.execute !== "function") {
      throw typeError("executor", "an Executor", executor)
    }
    this.#executor = executor
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
    return { executor: this.#executor, pending: this.#pending.size, completed: this.#completed.size }
  }

  submit<A extends unknown[]>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Future<T> {
    const executor = this.#executor
    const future = makesTasks(executor)
      ? executor.taskFor(executor.callable(task, args))
      : new FutureTask(bind(task, ...args))
    const delivery = new Delivery(future, this.#completed, this.#pending)
    try {
      this.#executor.execute(delivery)
      delivery.noteRemote()
    } catch (error) {
      this.#pending.delete(delivery)
      guarded(() => future.cancel())
      throw error
    }
    return future
  }

  /** The next completed task; waits for one. */
  take(wait?: WaitOptions): Promise<Completion<T>> {
    return this.#completed.take(wait)
  }

  /** The next completed task if there is one now; with a limit, waits that long for one. */
  poll(): Completion<T> | undefined
  poll(wait: WaitOptions): Promise<Completion<T> | undefined>
  poll(wait?: WaitOptions): Completion<T> | undefined | Promise<Completion<T> | undefined> {
    this.#look()
    return wait === undefined ? this.#completed.poll() : this.#completed.poll(wait)
  }

  /**
   * The next completed task; blocks the thread until there is one. On virtual threads only one that is done can be had: an
   * UnsupportedOperationError otherwise. IllegalStateError if no task is under way.
   */
  takeSync(): Completion<T> {
    return this.#obtainSync(Infinity) as Completion<T>
  }

  /** The next completed task; blocks the thread at most so many milliseconds. Undefined if none comes in time. */
  pollSync(ms: number): Completion<T> | undefined {
    return this.#obtainSync(requireTimeout("ms", ms))
  }

  /** Hears of what has ended in other threads, for which otherwise the event loop has to turn. */
  #look(): void {
    const [first] = this.#pending
    first?.remote?.look()
  }

  #obtainSync(limit: number): Completion<T> | undefined {
    const deadline = now() + limit
    for (;;) {
      this.#look()
      const completion = this.#completed.poll()
      const left = deadline - now()
      if (completion !== undefined || left <= 0) return completion
      const [first] = this.#pending
      if (first === undefined) this.#waitForNothing(left)
      else this.#block(first, left)
    }
  }

  /** Until any task is completed, or this one has been given to a flow that awaits it. */
  #block(delivery: Delivery<T>, limit: number): void {
    const { remote, handle } = delivery
    if (remote === undefined) {
      throw new UnsupportedOperationError(
        "takeSync() and pollSync() would block the event loop that has to run the tasks: use `await service.take()` on virtual threads",
      )
    }
    const completed = this.#completed
    const arrival = {
      get isDone(): boolean {
        return completed.size > 0 || delivery.isSettled
      },
    }
    try {
      blocking(remote.blocking(arrival, handle, limit !== Infinity), limit)
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error
    }
  }

  /** Nothing is under way, and this thread cannot submit anything while it blocks. */
  #waitForNothing(limit: number): void {
    if (limit === Infinity) {
      throw new IllegalStateError("This wait could never end: no task of this completion service is under way")
    }
    this.#completed.pollSync(limit)
  }
}

/** Puts the future into the queue of completions when it is over. */
class Delivery<T> extends Carrier<T> {
  readonly #completed: LinkedBlockingQueue<Completion<T>>
  readonly #pending: Set<Delivery<T>>
  #remote: RemoteTasks | undefined

  constructor(future: FutureTask<T>, completed: LinkedBlockingQueue<Completion<T>>, pending: Set<Delivery<T>>) {
    super(future)
    this.#completed = completed
    this.#pending = pending
    pending.add(this)
  }

  /** Remembers where the task has gone: a future that is cancelled forgets it, and is delivered later. */
  noteRemote(): void {
    this.#remote = this.future.elsewhere
  }

  /** Who tells of the task, if another thread has it. */
  get remote(): RemoteTasks | undefined {
    return this.future.elsewhere ?? this.#remote
  }

  get handle(): number {
    return this.future.handleElsewhere
  }

  protected override told(): void {
    this.#pending.delete(this)
    this.#completed.add(completionOf(this.future))
  }
}

/** An executor with a kind of task of its own makes the futures itself. */
function makesTasks(executor: Executor): executor is TaskHost {
  return typeof (executor as Partial<TaskHost>).taskFor === "function"
}

function completionOf<T>(future: FutureTask<T>): Completion<T> {
  try {
    return { status: "fulfilled", value: future.report(), future }
  } catch (reason) {
    return { status: "rejected", reason, future }
  }
}
