/**
 * Hands out results in the order in which they come, not in which they were asked for.
 *
 *     const service = new ExecutorCompletionService<Page>(pool)
 *     for (const url of urls) service.submit(() => load(url))
 *     for (let i = 0; i < urls.length; i++) show(await service.take())
 *
 * What is delivered is a {@link Completion}: settled like an entry of `Promise.allSettled`, with its future beside it.
 */
import { typeError } from "../checks.ts"
import type { Future } from "../future/future.ts"
import { FutureTask } from "../future/future-task.ts"
import { bind } from "../future/runnable.ts"
import { guarded } from "../memory/guard.ts"
import { LOCAL } from "../memory/shareables.ts"
import type { WaitOptions } from "../memory/waiting.ts"
import { LinkedBlockingQueue } from "../queue/linked-blocking-queue.ts"
import { Carrier } from "./carrier.ts"
import type { Executor, TaskHost } from "./executor.ts"

/** A future that is done, and what came of it. A promise cannot carry a future alone: it would be unwrapped. */
export type Completion<T> = PromiseSettledResult<T> & { readonly future: Future<T> }

export class ExecutorCompletionService<T> {
  readonly #executor: Executor
  readonly #completed = new LinkedBlockingQueue<Completion<T>>()

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

  submit<A extends unknown[]>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Future<T> {
    const executor = this.#executor
    const future = makesTasks(executor)
      ? executor.taskFor(executor.callable(task, args))
      : new FutureTask(bind(task, ...args))
    try {
      this.#executor.execute(new Delivery(future, this.#completed))
    } catch (error) {
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
    return wait === undefined ? this.#completed.poll() : this.#completed.poll(wait)
  }
}

/** Puts the future into the queue of completions when it is over. */
class Delivery<T> extends Carrier<T> {
  readonly #completed: LinkedBlockingQueue<Completion<T>>

  constructor(future: FutureTask<T>, completed: LinkedBlockingQueue<Completion<T>>) {
    super(future)
    this.#completed = completed
  }

  protected override told(): void {
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
