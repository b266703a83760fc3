/**
 * One worker of a pool, and the list of them, as the core sees them. On virtual threads both are objects of the heap
 * (local-worker.ts); on platform threads they lie in shared memory (platform/memory/workers/shared-worker-table.ts).
 */
import type { Flow, StopWatch } from "../memory/flow/flow.ts"

/** A thread and the task it has in hand. */
export interface Worker<R> {
  /**
   * The task in hand: given on admission, handed over by the queue, or polled. A worker with a task is busy from the
   * moment the task is its own, not from the moment it gets to run it, so that a task is at any time counted as queued
   * or as active.
   */
  readonly task: R | undefined
  /** `task`, for callers that know that the worker has one. */
  readonly currentTask: R
  /** A busy worker is interrupted only to stop its task, an idle one to make it look again. */
  readonly isBusy: boolean
  readonly isInterrupted: boolean
  /** The flow in which the worker's loop runs. Only the worker itself may ask for it. */
  readonly flow: Flow
  /** Only if a task that does not stop is abandoned. */
  readonly overstay?: StopWatch | undefined

  accept(task: R): void
  /** The task is over, however it ended. */
  release(): void
  /** One more task is over. */
  countCompleted(): void
  /**
   * The worker is about to count itself down, as its last step but one before it leaves; or it stays after all. Only
   * where a thread may die in between.
   */
  countsDown?(isSo: boolean): void
  /** The worker is in the code of the pool, which takes a moment; or it waits, or returns to its event loop. */
  works?(isIn: boolean): void
  start(): void
  interrupt(): void
  /** Reports an error that no code has caught. */
  reportUncaught(error: unknown): void
}

export interface WorkerTable<R> extends Iterable<Worker<R>> {
  readonly size: number
  add(worker: Worker<R>): void
  /** `leaves` if the worker leaves by itself, and not because a task or a hook killed it. */
  delete(worker: Worker<R>, leaves?: boolean): void
}
