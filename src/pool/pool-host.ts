/** The two sides on which the core of a pool leans: where tasks wait, and who knows what they are. */
import type { Flow } from "../memory/flow.ts"
import type { Settle } from "../memory/waiting.ts"
import type { Worker } from "./worker.ts"

/** Where tasks wait for a worker. */
export interface WorkQueue<R> {
  readonly isEmpty: boolean
  offer(task: R): boolean
  poll(): R | undefined
  remove(task: R): boolean
  /**
   * Delivers a task to `flow` as soon as there is one; undefined when the time is up, an InterruptedError if
   * interrupted.
   */
  receive(settle: Settle<R | undefined>, flow: Flow, timeout: number): void
}

/** What only the owner of tasks and threads can do. */
export interface PoolHost<R> {
  /**
   * Makes a thread that will run the core's loop with this worker, and sets `worker.thread`; false if the factory
   * refuses.
   */
  newThread(worker: Worker<R>): boolean
  beforeExecute(worker: Worker<R>, task: R): void
  /** Starts the task. If it is asynchronous: what to await, and then `complete` or `fail` is called. */
  begin(worker: Worker<R>, task: R): PromiseLike<unknown> | undefined
  complete(task: R, value: unknown): void
  /** Throws the error if it is not part of the task's own outcome. */
  fail(task: R, error: unknown): void
  afterExecute(task: R, error?: unknown): void
  /** The task will never run, because of this error. */
  abandon(task: R, error: unknown): void
  /** The pool does not take the task. */
  reject(task: R): void
  terminated(): void
  /** Termination is complete: wake who waits for it. */
  announceTermination(): void
}
