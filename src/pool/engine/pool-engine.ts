import type { BulkMap } from "../../executor/executor.ts"
import type { Callable, Runnable } from "../../future/runnable.ts"
import type { Handle } from "../../memory/shared/shared-memory.ts"
import type { PoolInfo } from "../../observing.ts"
import type { BlockingQueue } from "../../queue/base/blocking-queue.ts"
import type { RateLimiter } from "../../sync/rate-limiter.ts"
import type { Thread } from "../../thread/thread.ts"
import type { PoolState } from "../../core/pool-state.ts"
import type { PoolTimes } from "../../core/pool-times.ts"
import type { Capabilities } from "./capabilities.ts"

/** What an engine calls in its pool: factory, hooks, rejection handler and settings. */
export interface PoolShell {
  /** The pool, as events name it. */
  readonly info: PoolInfo
  /** Undefined if the factory refuses. */
  newThread(target: () => unknown): Thread | undefined
  /** Which of the next two hooks a subclass has: 1 for beforeExecute, 2 for afterExecute, or their sum. */
  readonly hooks: number
  /** The three hooks return what the user's hook has returned; the caller must heed it: see memory/flow/guard.ts. */
  beforeExecute(thread: Thread, task: Runnable): unknown
  afterExecute(task: Runnable, error?: unknown): unknown
  terminated(): unknown
  reject(task: Runnable): void
  announceTermination(): void
  /** The pool is quiescent, or was a moment ago. */
  quiescent(): void
  /** Nothing is left to do until the pool gets another task. */
  rest(): void
}

/** A thread of a pool, as a thread dump shows it. */
export interface PoolThread {
  /** Undefined if this thread does not know it: the pool is that of another one. */
  readonly thread: Thread | undefined
  /** Of a platform thread: its token, 0 before it has begun. */
  readonly token?: number
  /** What it runs: the task itself, or the name of its function; undefined if it is idle. */
  readonly task: Runnable | string | undefined
  /** Whether it runs the task of this future. */
  runs(future: object): boolean
}

/**
 * What a ThreadPoolExecutor works by: a core over some memory, a queue, and threads of one kind. There are three
 * engines: VirtualEngine, and platform/PoolOwner and PoolGuest.
 */
export interface PoolEngine {
  readonly state: PoolState
  /** Whether this is the thread that made the pool. */
  readonly isOwner: boolean
  /** What this thread sends to other threads in place of the pool. Throws if the pool cannot be shared. */
  readonly handle: Handle
  /** The queue of waiting tasks. */
  readonly queue: BlockingQueue<Runnable>
  readonly capabilities: Capabilities
  readonly poolSize: number
  readonly activeCount: number
  readonly completedTaskCount: number
  /** How many tasks were abandoned and have not ended yet; only of virtual threads. */
  readonly abandoned?: number
  readonly times: PoolTimes
  /** At whose pace tasks begin. */
  readonly rateLimiter: RateLimiter | undefined

  /** Whether the pool has work for which this thread has to stay. */
  readonly isBusy: boolean
  execute(task: Runnable): void
  /** The function with its arguments, as a task. */
  callable<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T>
  /**
   * How `map` puts several items into one task. Virtual threads do not: a task costs little there, and items of one
   * task would wait for each other.
   */
  readonly bulkMap?: BulkMap
  remove(task: Runnable): boolean
  /** The pool is shut down: cancels tasks with times that may not run any more. Only of platform threads. */
  dropUnwanted?(): void
  /** Takes out all waiting tasks, in order, and returns what `handBack` makes of each. */
  drain(handBack: (task: Runnable) => Runnable): Runnable[]
  /** This thread is about to shut the pool down. The pool does not end before {@link finishEnd}. */
  beginEnd(): void
  /** All tasks that this thread took out of the queue are handed back: ends the pool if nothing is left to do. */
  finishEnd(): void
  /**
   * The caller will shut the pool down and wait for its end: no task may wait for a thread that the factory refuses.
   */
  closing(): void

  /** No worker begins a task until {@link resume}. */
  pause(): void
  resume(): void
  /** True if nothing waits and nothing runs. Otherwise the engine calls `shell.quiescent()` when that may be so. */
  watchForQuiescence(): boolean
  /** Whether nothing waits and nothing runs. */
  readonly isQuiet: boolean

  addWorker(bound: "core" | "maximum"): boolean
  ensureWorker(): void
  /** Starts threads for what waits, as far as the sizes allow. */
  grow(): void
  interruptIdleWorkers(): void
  interruptWorkers(): void
  tryTerminate(): void
  /** The threads of the pool now, and what they do. */
  threads(): PoolThread[]
  /** Whether the thread is one of the pool's own. */
  hasThread(thread: unknown): boolean
  /** The pool's run state has become SHUTDOWN or STOP, and other threads have to know. */
  shuttingDown?(): void
  /** The rejection handler has changed: other threads have to know a ready-made policy. Only of the owner. */
  setHandler?(handler: object): void
}
