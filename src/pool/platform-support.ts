import { UnsupportedOperationError } from "../errors.ts"
import type { ExecutorService } from "../executor/executor.ts"
import type { Runnable } from "../future/runnable.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import type { BlockingQueue } from "../queue/base/blocking-queue.ts"
import type { ThreadFactory } from "../thread/thread-factory.ts"
import type { PoolEngine, PoolShell } from "./pool-engine.ts"
import type { SentPool } from "./sent-pool.ts"

/**
 * What pools of platform threads consist of, as far as the pools themselves need it. They do not import it: it is most
 * of corepool, and a program of virtual threads alone is to be bundled without it. It is provided from above, by
 * platform/provide.ts, together with whatever can ask for such a pool: `platformThreads`, and the classes of pools that
 * `corepool` exports.
 */
export interface PlatformSupport {
  /** What makes the threads of a pool that was given no factory. */
  newFactory(): ThreadFactory
  /** It ends when `pool` is garbage. */
  newEngine(queue: BlockingQueue<Runnable>, shell: PoolShell, maximum: number, pool: object): PoolEngine
  /**
   * Whether a pool may put off its engine until it is used: true for the first one, as the code of engines is not
   * loaded then.
   */
  mayWait(): boolean
  /**
   * Makes the engine of a pool that has put it off, and gives it a task, both by `give`. The thread for that task
   * starts meanwhile, if `factory` makes it in the usual way: to start a thread takes as long as to load the code of
   * engines.
   */
  ahead(factory: ThreadFactory, give: () => void): void
  /** The pool of another thread, made by `open` the first time; the same after that. */
  openOnce<P extends object>(shared: Shared, open: (sent: SentPool) => P): P
  /** The queue of a pool whose tasks have times. */
  newTimedQueue(): BlockingQueue<Runnable>
  /** Pools of tasks with times can be sent to other threads and come back, from now on. */
  knowScheduledPools(open: (shared: Shared) => ExecutorService, delegate: (inner: never) => ExecutorService): void
  newThreadPerTaskExecutor(factory: ThreadFactory): ExecutorService & { readonly threadCount: number }
}

let provided: PlatformSupport | undefined

export function providePlatform(support: PlatformSupport): void {
  provided = support
}

export function platform(): PlatformSupport {
  if (provided !== undefined) return provided
  throw new UnsupportedOperationError(
    "corepool/virtual has no platform threads: import platformThreads() or the pool from corepool, or pass virtualThreads()",
  )
}
