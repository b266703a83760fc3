import type { ExecutorService } from "./executor/executor.ts"
import { callableOf } from "./future/runnable.ts"
import { ForkJoinPool } from "./forkjoin/fork-join-pool.ts"
import { platformThreads, type ScheduledThreadPoolExecutor, type ThreadPoolExecutor } from "./platform/pools.ts"
import { usePlatform } from "./platform/provide.ts"
import type { ThreadPerTaskExecutor } from "./pool/thread-per-task-executor.ts"
import type { CachedPoolOptions } from "./pool/thread-pool-options.ts"
import type { ScheduledExecutorService } from "./schedule/scheduled-future.ts"
import type { ThreadFactory } from "./thread/thread-factory.ts"
import {
  areSizes,
  type CachedPoolMaker,
  type CallableAdapter,
  newCachedThreadPool,
  newFixedThreadPool,
  newScheduledThreadPool,
  newSingleThreadExecutor,
  newSingleThreadScheduledExecutor,
  newThreadPerTaskExecutor,
  newVirtualThreadPerTaskExecutor,
  unconfigurableExecutorService,
  unconfigurableScheduledExecutorService,
} from "./virtual/executors.ts"

/**
 * Ready-made executors, as in `java.util.concurrent.Executors`. Most are a `ThreadPoolExecutor` with settings that a
 * program could write itself; the text of each says which.
 *
 * `factory` decides where tasks run: on worker threads by default, on the event loop with `virtualThreads()`.
 *
 * @example
 * ```ts
 * import { Executors, virtualThreads } from "corepool"
 *
 * await using pool = Executors.newFixedThreadPool(2) // two worker threads
 * console.log(await pool.submit((n: number) => n * n, 7)) // => 49
 *
 * await using flows = Executors.newFixedThreadPool(8, virtualThreads()) // at most eight at a time, on the event loop
 * console.log(await flows.submit(async () => "done")) // => done
 * ```
 */
export const Executors = {
  /**
   * `n` threads and an unbounded queue.
   *
   * @throws RangeError unless `n` is an integer ≥ 1.
   */
  newFixedThreadPool(n: number, factory?: ThreadFactory): ThreadPoolExecutor {
    return newFixedThreadPool(n, orPlatform(factory))
  },

  /**
   * One thread, so tasks run one after the other in order; it is replaced if a task kills it. Its size cannot be
   * changed.
   */
  newSingleThreadExecutor(factory?: ThreadFactory): ExecutorService {
    return newSingleThreadExecutor(orPlatform(factory))
  },

  /**
   * A thread for every task that finds none idle; idle threads leave after a minute. With sizes there are at most
   * `maximumPoolSize` threads, for which further tasks wait, and `corePoolSize` of them stay: a `ThreadPoolExecutor`
   * with `growth: "eager"`.
   *
   * @example
   * ```ts
   * import { Executors } from "corepool"
   *
   * await using pool = Executors.newCachedThreadPool({ corePoolSize: 1, maximumPoolSize: 4 })
   * console.log(await pool.submit((n: number) => n * n, 7)) // => 49
   * ```
   */
  newCachedThreadPool: cachedThreadPool as CachedPoolMaker,

  /**
   * Runs tasks later or periodically, on `core` threads.
   *
   * @throws RangeError unless `core` is an integer ≥ 0.
   */
  newScheduledThreadPool(core: number, factory?: ThreadFactory): ScheduledThreadPoolExecutor {
    return newScheduledThreadPool(core, orPlatform(factory))
  },

  /** Runs tasks later or periodically, one after the other. Its size and policies cannot be changed. */
  newSingleThreadScheduledExecutor(factory?: ThreadFactory): ScheduledExecutorService {
    return newSingleThreadScheduledExecutor(orPlatform(factory))
  },

  /** A virtual thread for every task: no pool, no limit. */
  newVirtualThreadPerTaskExecutor(): ThreadPerTaskExecutor {
    usePlatform()
    return newVirtualThreadPerTaskExecutor()
  },

  /** A thread of this factory for every task: no pool, no limit. */
  newThreadPerTaskExecutor(factory: ThreadFactory): ExecutorService & { readonly threadCount: number } {
    usePlatform()
    return newThreadPerTaskExecutor(factory)
  },

  /**
   * Threads that steal tasks from each other, as many as there are processors unless a number is given. What a task
   * forks is begun in the order in which it was forked: a `ForkJoinPool` with `asyncMode`.
   */
  newWorkStealingPool(parallelism?: number): ForkJoinPool {
    return new ForkJoinPool({ asyncMode: true, ...(parallelism === undefined ? {} : { parallelism }) })
  },

  /** A callable that runs the runnable and gives `result` (undefined if left out). */
  callable: callableOf as CallableAdapter,

  /** The executor without its settings: the returned object cannot change them. */
  unconfigurableExecutorService(executor: ExecutorService): ExecutorService {
    return unconfigurableExecutorService(executor)
  },

  /** The scheduled executor without its settings. */
  unconfigurableScheduledExecutorService(executor: ScheduledExecutorService): ScheduledExecutorService {
    return unconfigurableScheduledExecutorService(executor)
  },

  /** What pools use if no factory is given: platform threads, with their default names. */
  defaultThreadFactory(): ThreadFactory {
    return platformThreads()
  },
} as const

function cachedThreadPool(first?: ThreadFactory | CachedPoolOptions, second?: ThreadFactory): ThreadPoolExecutor {
  return areSizes(first) ? newCachedThreadPool(first, orPlatform(second)) : newCachedThreadPool(orPlatform(first))
}

/** The factory, or platform threads if it is undefined. Null is passed on, to be refused. */
function orPlatform(factory: ThreadFactory | undefined): ThreadFactory {
  usePlatform()
  return factory === undefined ? platformThreads() : factory
}
