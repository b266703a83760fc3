/** The host of a pool whose tasks are Runnables in its own heap: what virtual threads run. */
import { isPromiseLike } from "../checks.ts"
import { FutureTask } from "../future/future-task.ts"
import { type Runnable, start } from "../future/runnable.ts"
import type { Thread } from "../thread/thread.ts"
import type { PoolHost } from "./pool-host.ts"
import type { Worker } from "./worker.ts"

/** What the pool itself, its hooks and its settings have to say. */
export interface PoolShell {
  runWorker(worker: Worker<Runnable>): Promise<void>
  /** Undefined if the factory refuses. */
  newThread(target: () => unknown): Thread | undefined
  beforeExecute(thread: Thread, task: Runnable): void
  afterExecute(task: Runnable, error?: unknown): void
  terminated(): void
  reject(task: Runnable): void
  announceTermination(): void
}

export class RunnableHost implements PoolHost<Runnable> {
  readonly #shell: PoolShell

  constructor(shell: PoolShell) {
    this.#shell = shell
  }

  newThread(worker: Worker<Runnable>): boolean {
    const thread = this.#shell.newThread(() => this.#shell.runWorker(worker))
    if (thread === undefined) return false
    worker.thread = thread
    return true
  }

  beforeExecute(worker: Worker<Runnable>, task: Runnable): void {
    this.#shell.beforeExecute(worker.thread, task)
  }

  begin(worker: Worker<Runnable>, task: Runnable): PromiseLike<unknown> | undefined {
    if (isPlainFuture(task)) return task.begin(worker.thread.flow)
    const pending = start(task)
    return isPromiseLike(pending) ? pending : undefined
  }

  complete(task: Runnable, value: unknown): void {
    if (isPlainFuture(task)) task.complete(value)
  }

  fail(task: Runnable, error: unknown): void {
    if (isPlainFuture(task)) task.fail(error)
    else throw error
  }

  afterExecute(task: Runnable, error?: unknown): void {
    this.#shell.afterExecute(task, error)
  }

  abandon(task: Runnable, error: unknown): void {
    if (task instanceof FutureTask) task.expire(error)
  }

  reject(task: Runnable): void {
    this.#shell.reject(task)
  }

  terminated(): void {
    this.#shell.terminated()
  }

  announceTermination(): void {
    this.#shell.announceTermination()
  }
}

/** A subclass that runs in its own way is run in its own way. */
function isPlainFuture(task: Runnable): task is FutureTask<unknown> {
  return task instanceof FutureTask && task.run === FutureTask.prototype.run
}
