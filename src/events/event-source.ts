import type { PoolInfo, TaskOutcome, ThreadInfo } from "../observing.ts"

export type { PoolInfo, TaskOutcome, ThreadInfo } from "../observing.ts"

/**
 * What has happened to a task or a thread.
 *
 * - `submitted`, `settled` and `rejected` are of the thread that gave the task to the pool: `thread` is undefined.
 * - `began` and `ended` enclose the run of a task. Runs of one thread may be nested, if a task runs another one while
 *   it waits for it, and may overlap, if asynchronous tasks take turns.
 * - `blocked` and `unblocked` enclose a wait of the thread inside of a task.
 * - `stole`: the thread has taken a task that `from` has forked, and begins it next.
 * - `idle`: the thread waits for a task, until it next begins one.
 * - `exited` has the outcome "failed" if the thread has died, by an error or by force.
 */
export interface PoolEvent {
  readonly kind:
    | "submitted"
    | "settled"
    | "rejected"
    | "began"
    | "ended"
    | "idle"
    | "blocked"
    | "unblocked"
    | "stole"
    | "started"
    | "exited"
  /** In ms, on the clock of {@link EventSource}. */
  readonly time: number
  readonly pool: PoolInfo
  readonly thread: ThreadInfo | undefined
  /** The number of the task, which no other task of this thread's pools has; 0 if the event concerns none. */
  readonly task: number
  /** The name of the function; of `blocked` and `unblocked`, for what the thread waits, such as `ReentrantLock`. */
  readonly name: string
  /** Of `settled`, `ended` and `exited`. */
  readonly outcome: TaskOutcome | undefined
  /** Of `stole`: the thread from which it was. */
  readonly from?: ThreadInfo | undefined
}

/** A listener that has been added. */
export interface Listening {
  /** Calls the callback now, with the events that are known and were not yet delivered. */
  drain(): void
  /** The callback is not called any more. */
  stop(): void
  /** How many events were lost since the beginning, because threads wrote faster than this one read. */
  readonly dropped: number
}

/** The future of a task that runs. */
export interface RunningFuture {
  cancel(mayInterruptIfRunning?: boolean): boolean
}

/** Tells what happens in the pools of this thread. */
export interface EventSource {
  /**
   * Calls `callback` with the events from now on, several times a second and when {@link Listening.drain} is called.
   * The events are those of `pools`, or of all pools of this thread, also of pools that are made later. Events of one
   * thread are in their order. An error of the callback is reported as uncaught. A listener does not keep the process
   * alive.
   */
  listen(callback: (events: readonly PoolEvent[]) => void, pools?: Iterable<object>): Listening
  /** Now, on the clock of the events. */
  now(): number
  /** The future of a task that runs and whose events were listened to; undefined if this thread does not have it. */
  futureOf(task: number): RunningFuture | undefined
}
