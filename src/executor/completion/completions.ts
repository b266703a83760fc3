import { OwnSet } from "../../primordials.ts"
import { CALLABLE, HOST, TASK_FOR } from "../internals.ts"
import { REMOTE_HANDLE, REMOTE_TASKS, REPORT } from "../../future/internals.ts"
import type { Future } from "../../future/future.ts"
import { FutureTask } from "../../future/future-task.ts"
import { bind } from "../../future/runnable.ts"
import type { RemoteTasks } from "../../future/task-observers.ts"
import { guarded } from "../../memory/flow/guard.ts"
import { Carrier } from "../carrier.ts"
import type { Executor, TaskHost } from "../executor.ts"

/** A future that is done, and its outcome. A promise cannot carry a future alone: it would be unwrapped. */
export type Completion<T> = PromiseSettledResult<T> & {
  /** The future that is done. */
  readonly future: Future<T>
}

/** Tasks under way, each of which is delivered when it is over: for ExecutorCompletionService and invokeAny. */
export class Completions<T> {
  readonly executor: Executor
  readonly #deliver: (completion: Completion<T>) => void
  /** In the order of submission. */
  readonly #pending = new OwnSet<Delivery<T>>()

  constructor(executor: Executor, deliver: (completion: Completion<T>) => void) {
    this.executor = executor
    this.#deliver = deliver
  }

  submit<A extends unknown[]>(task: (...args: A) => T | PromiseLike<T>, args: A): Future<T> {
    const { executor } = this
    const { [HOST]: host = executor } = executor as { readonly [HOST]?: Executor } // behind a delegate
    const future = makesTasks(host) ? host[TASK_FOR](host[CALLABLE](task, args)) : new FutureTask(bind(task, ...args))
    const delivery = new Delivery(future, this.#deliver, this.#pending)
    try {
      executor.execute(delivery)
      delivery.noteRemote()
    } catch (error) {
      this.#pending.delete(delivery)
      guarded(() => future.cancel())
      throw error
    }
    return future
  }

  /** Looks for tasks that have ended in other threads, without waiting for a turn of the event loop. */
  look(): void {
    this.first?.remote?.look()
  }

  /** How many tasks are under way. */
  get pending(): number {
    return this.#pending.size
  }

  /** The task that was submitted first, of those that are under way. */
  get first(): Delivery<T> | undefined {
    const [first] = this.#pending
    return first
  }
}

/** Delivers the future when it is over. */
export class Delivery<T> extends Carrier<T> {
  readonly #deliver: (completion: Completion<T>) => void
  readonly #pending: Set<Delivery<T>>
  #remote: RemoteTasks | undefined

  constructor(future: FutureTask<T>, deliver: (completion: Completion<T>) => void, pending: Set<Delivery<T>>) {
    super(future)
    this.#deliver = deliver
    this.#pending = pending
    pending.add(this)
  }

  /** Remembers where the task has gone: a cancelled future forgets that, and is delivered later. */
  noteRemote(): void {
    this.#remote = this.future[REMOTE_TASKS]
  }

  /** The part that has the task, if it is in another thread. */
  get remote(): RemoteTasks | undefined {
    return this.future[REMOTE_TASKS] ?? this.#remote
  }

  get handle(): number {
    return this.future[REMOTE_HANDLE]
  }

  protected override futureEnded(): void {
    this.#pending.delete(this)
    this.#deliver(completionOf(this.future))
  }
}

/** An executor with a kind of task of its own makes the futures itself. */
function makesTasks(executor: Executor): executor is TaskHost {
  return typeof (executor as Partial<TaskHost>)[TASK_FOR] === "function"
}

function completionOf<T>(future: FutureTask<T>): Completion<T> {
  try {
    return { status: "fulfilled", value: future[REPORT](), future }
  } catch (reason) {
    return { status: "rejected", reason, future }
  }
}
