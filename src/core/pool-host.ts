/**
 * What the core of a pool cannot do itself, because it knows tasks and threads by reference only: the queue of waiting
 * tasks, the making of workers (for pool-core.ts), and the running of a task (for worker-loop.ts).
 */
import type { Flow } from "../memory/flow/flow.ts"
import type { Report } from "../memory/flow/guard.ts"
import type { Settle } from "../memory/flow/waiting.ts"
import type { Worker } from "./worker.ts"

/** Where tasks wait for a worker. */
export interface WorkQueue<R> {
  readonly isEmpty: boolean
  readonly size: number
  /**
   * Whether the queue itself holds tasks back while the pool is paused, and gives workers those that may run all the
   * same. Otherwise workers wait at the gate.
   */
  readonly knowsPause?: boolean
  offer(task: R): boolean
  poll(): R | undefined
  remove(task: R): boolean
  /**
   * Takes out a task that this thread has just offered, even where `remove` leaves it to the worker that is to get it.
   * Without this method the core uses `remove`.
   */
  takeBack?(task: R): boolean
  /** The pool is no longer paused: workers that wait in a queue that {@link knowsPause} look again. */
  lookAgain?(): void
}

/** How the workers of a pool wait for tasks in its queue. */
export interface Deliveries<R> {
  /**
   * Delivers a task to `flow` as soon as there is one. Delivers undefined when the time is up, and an InterruptedError
   * if the flow is interrupted.
   */
  receive(settle: Settle<R | undefined>, flow: Flow, timeout: number): void
  /** A worker has received the task, and is about to begin it. */
  begins?(task: R): void
}

/**
 * Makes the workers of a pool, and ends it. Every thread that gives the pool tasks has one, and so has every worker.
 */
export interface Admission<R> {
  /**
   * Writes a worker into the worker table, before it is counted. For a pool in which another thread makes the threads:
   * if this thread dies in between, the other one finds the worker in the table. Undefined if there is no room. Without
   * this method the core calls {@link newWorker} when it has counted the worker.
   */
  enlist?(firstTask: R | undefined): Worker<R> | undefined
  /**
   * Makes a worker with a thread that runs the loop once it is started. The worker has `firstTask` in hand, if there is
   * one. Undefined if the factory refuses.
   */
  newWorker(firstTask: R | undefined): Worker<R> | undefined
  /**
   * Whether there are at least as many idle workers as tasks that wait. Without this method the core counts; so it must
   * be there if workers take tasks while another thread counts.
   */
  readonly hasIdleWorkers?: () => boolean
  /**
   * No waiting task will ever run, because of this error. A command has no future, so for each command the error goes
   * to `report`. Only where threads are made.
   */
  failWaiting?(error: unknown, report: Report): void
  /**
   * Whether nothing else keeps a pool that is shut down, and has no workers, from ending. `isEmpty` says whether its
   * queue was empty before this call. The thread that makes this true later on has to call `tryTerminate`.
   */
  mayEnd?(isEmpty: boolean): boolean
  /**
   * The pool is TIDYING: calls `terminated()`, makes the pool TERMINATED, and wakes the callers of awaitTermination.
   */
  endPool(): void
}

/** Runs the tasks of a worker, in the worker's thread. */
export interface Execution<R> {
  beforeExecute(worker: Worker<R>, task: R): void
  /** Starts the task. For an asynchronous task, returns what to await; the loop then calls `complete` or `fail`. */
  begin(worker: Worker<R>, task: R): PromiseLike<unknown> | undefined
  complete(task: R, value: unknown): void
  /** Throws the error if it is not part of the task's own outcome. */
  fail(task: R, error: unknown): void
  afterExecute(worker: Worker<R>, task: R, error?: unknown): void
  /** The worker is about to wait for a task. */
  idle?(worker: Worker<R>): void
  /** The task will never run, because of this error. */
  abandon(task: R, error: unknown): void
  /** The pool has stopped while it was paused: cancels the task, which the worker has in hand and has not begun. */
  drop(task: R): void
  /** Whether the task is over before it has begun, because it was cancelled. */
  isOver(task: R): boolean
  /**
   * Called with an error that has reached the worker's loop. If neither a command nor a hook threw it, a task has
   * broken something that the thread needs. The thread then halts here, with its tasks in hand, and this does not
   * return.
   */
  stopIfBroken?(error: unknown): void
  /**
   * If this thread counts as gone, and other threads have its tasks by now, it halts here, and this does not return.
   */
  stopIfLeft?(): void
  /**
   * Whether the worker of this thread may leave: nothing is under way in the thread besides the tasks in its hand, and
   * nothing will come back to it. If it may not, this interrupts the worker as soon as it may. With `mustLeave` it
   * cancels what is under way, and is true.
   */
  mayLeave?(mustLeave: boolean): boolean
  /** Whether the worker is to be replaced by another one, now that it is between two tasks. */
  readonly isSpent?: boolean
  /**
   * How long a worker that may leave waits for a task before it does, in ms. The keep-alive time of the pool applies if
   * that is shorter, or if this is undefined.
   */
  readonly patience?: number | undefined
}
