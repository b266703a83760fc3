import { UnsupportedOperationError } from "../errors.ts"
import type { ExecutorService } from "../executor/executor.ts"
import type { Runnable } from "../future/runnable.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import type { BlockingQueue } from "../queue/base/blocking-queue.ts"
import type { RateLimiter } from "../sync/rate-limiter.ts"
import type { ThreadFactory } from "../thread/thread-factory.ts"
import type { PoolEngine, PoolShell } from "./engine/pool-engine.ts"
import type { SentPool } from "./sent-pool.ts"

/**
 * What the pools need of platform threads. The pools do not import that code: it is most of corepool, and a program
 * that uses virtual threads only must be bundled without it. platform/provide.ts provides it from above, together with
 * everything that can ask for such a pool: `platformThreads`, and the classes of pools that `corepool` exports.
 */
export interface PlatformSupport {
  /** The thread factory of a pool that was given none. */
  newFactory(): ThreadFactory
  /** The engine ends when `pool` is garbage. */
  newEngine(
    queue: BlockingQueue<Runnable>,
    shell: PoolShell,
    maximum: number,
    pool: object,
    rateLimiter: RateLimiter | undefined,
  ): PoolEngine
  /**
   * Whether a pool may put off making its engine until it is used: true for the first pool that asks, since the code of
   * engines is not loaded then.
   */
  mayWait(): boolean
  /**
   * Calls `give`, which makes the engine of a pool that has put it off, and gives the engine a task. Starts the thread
   * for that task meanwhile, if `factory` makes threads in the usual way: starting a thread takes as long as loading
   * the code of engines.
   */
  ahead(factory: ThreadFactory, give: () => void): void
  /** The pool of another thread: `open` makes it on the first call, later calls return the same one. */
  openOnce<P extends object>(shared: Shared, open: (sent: SentPool) => P): P
  /** The queue of a pool whose tasks have times. */
  newTimedQueue(): BlockingQueue<Runnable>
  /** From now on scheduled pools can be sent to other threads and come back. */
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
