/** The two sides on which the core of a pool leans: where tasks wait, and who knows what they are. */
import type { Flow } from "../memory/flow/flow.ts"
import type { Report } from "../memory/flow/guard.ts"
import type { Settle } from "../memory/flow/waiting.ts"
import type { Worker } from "./worker.ts"

/** Where tasks wait for a worker. */
export interface WorkQueue<R> {
  readonly isEmpty: boolean
  offer(task: R): boolean
  poll(): R | undefined
  remove(task: R): boolean
  /**
   * Takes out what this thread has just offered, also if `remove` leaves it to the worker that is to get it. As
   * `remove` if not said.
   */
  takeBack?(task: R): boolean
  /**
   * Delivers a task to `flow` as soon as there is one; undefined when the time is up, an InterruptedError if
   * interrupted.
   */
  receive(settle: Settle<R | undefined>, flow: Flow, timeout: number): void
}

/** What only the owner of tasks and threads can do. */
export interface PoolHost<R> {
  /**
   * A worker with a thread that will run the core's loop as soon as it is started, and its first task in hand, if there
   * is one; undefined if the factory refuses.
   */
  newWorker(firstTask: R | undefined): Worker<R> | undefined
  beforeExecute(worker: Worker<R>, task: R): void
  /** Starts the task. If it is asynchronous: what to await, and then `complete` or `fail` is called. */
  begin(worker: Worker<R>, task: R): PromiseLike<unknown> | undefined
  complete(task: R, value: unknown): void
  /** Throws the error if it is not part of the task's own outcome. */
  fail(task: R, error: unknown): void
  afterExecute(task: R, error?: unknown): void
  /**
   * An error has got into the worker's loop. If it is neither a command's nor a hook's, then the thread has failed, as
   * a task has broken what it needs: it stops here, with all that it has in hand, and this does not return.
   */
  stopIfBroken?(error: unknown): void
  /** If this thread has left, and what it had is others' by now, it stops here, and this does not return. */
  stopIfLeft?(): void
  /**
   * Whether the worker of this thread may leave: nothing is under way in the thread besides tasks in its hand, and
   * nothing is going to come back to it. If not, the worker is interrupted when it may. If it must leave, that is given
   * up, and this is true.
   */
  mayLeave?(mustLeave: boolean): boolean
  /** The task will never run, because of this error. */
  abandon(task: R, error: unknown): void
  /**
   * All that waits will never run, because of this error. `tell` is told of it for each command, as a command has no
   * future. Only if this host makes threads itself.
   */
  failWaiting?(error: unknown, tell: Report): void
  /** The pool does not take the task. */
  reject(task: R): void
  /**
   * How long a worker that may leave waits for a task before it does, in ms; the keep-alive time of the pool if not
   * said.
   */
  readonly patience?: number | undefined
  /**
   * Whether nothing else keeps a pool that is shut down, and has no workers, from ending; `isEmpty` says whether its
   * queue was before this call. The thread that makes it true later on has to say `tryTerminate`.
   */
  mayEnd?(isEmpty: boolean): boolean
  /** The pool is TIDYING: calls `terminated()`, makes it TERMINATED, and wakes who waits for that. */
  endPool(): void
}
