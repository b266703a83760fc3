import type { Callable, Runnable } from "../future/runnable.ts"
import type { Handle } from "../memory/shared/shared-memory.ts"
import type { BlockingQueue } from "../queue/base/blocking-queue.ts"
import type { Thread } from "../thread/thread.ts"
import type { PoolState } from "../core/pool-state.ts"
import type { PoolTimes } from "../core/pool-times.ts"
import type { RejectedExecutionHandler } from "./rejection.ts"
import type { Capabilities } from "./thread-pool-options.ts"

/** What the pool itself, its hooks and its settings have to say. */
export interface PoolShell {
  /** Undefined if the factory refuses. */
  newThread(target: () => unknown): Thread | undefined
  /** Which of the next two there are: 1 and 2, added up. */
  readonly hooks: number
  /** These three give what the hook has returned, which is to be heeded: see memory/flow/guard.ts. */
  beforeExecute(thread: Thread, task: Runnable): unknown
  afterExecute(task: Runnable, error?: unknown): unknown
  terminated(): unknown
  reject(task: Runnable): void
  announceTermination(): void
  /** Nothing is to be done any more, until the pool is given another task. */
  rest(): void
}

/**
 * What a ThreadPoolExecutor is made of behind its face: a core over some memory, a queue and threads of one kind. There
 * are three: VirtualEngine, and platform/PoolOwner and PoolGuest.
 */
export interface PoolEngine {
  readonly state: PoolState
  /** Whether this is the thread that made the pool. */
  readonly isOwner: boolean
  /** What other threads are sent. Throws if the pool cannot be shared. */
  readonly handle: Handle
  /** The tasks that wait. */
  readonly queue: BlockingQueue<Runnable>
  readonly capabilities: Capabilities
  readonly poolSize: number
  readonly activeCount: number
  readonly completedTaskCount: number
  readonly times: PoolTimes

  /** Whether something is to be done that this thread has to stay for. */
  readonly isBusy: boolean
  execute(task: Runnable): void
  /** The function with its arguments, as something to execute. */
  callable<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T>
  remove(task: Runnable): boolean
  /** The pool is shut down: cancels what has a time and may not run any more. */
  dropUnwanted(): void
  /** Takes out everything that waits, in order, and lets `handBack` make of each task what the caller gets. */
  drain(handBack: (task: Runnable) => Runnable): Runnable[]
  /** This thread is about to shut the pool down, which does not end before {@link finishEnd}. */
  beginEnd(): void
  /** All that was taken out of the queue is handed back: ends the pool if nothing is left to do. */
  finishEnd(): void
  /**
   * The caller is going to shut the pool down and to wait for its end: no task may wait for a thread that the factory
   * refuses.
   */
  closing(): void

  addWorker(bound: "core" | "maximum"): boolean
  ensureWorker(): void
  interruptIdleWorkers(): void
  interruptWorkers(): void
  tryTerminate(): void
  /** Whether it is one of the pool's own. */
  hasThread(thread: unknown): boolean
  /** The pool has been told to shut down. */
  shuttingDown(): void
  /** What rejects tasks has changed. Other threads know the ready-made policies too. */
  setHandler(handler: RejectedExecutionHandler): void
}

/** That of a pool that another thread has made. */
export interface GuestEngine extends PoolEngine {
  /** Has the pool's policy, or the owner of its handler, decide on a task that was not taken. */
  readonly handler: RejectedExecutionHandler
}
