/**
 * Ready-made executors, as in `java.util.concurrent.Executors`. Each is a `ThreadPoolExecutor` with settings you
 * could write yourself; the doc of each says which.
 *
 * The default of `factory` is worker threads; `Executors.newFixedThreadPool(8, virtualThreads())` runs tasks on the event
 * loop.
 */
import { MAX_VALUE, requireInteger } from "./checks.ts"
import { DelegatedExecutorService } from "./executor/delegated-executor-service.ts"
import type { ExecutorService } from "./executor/executor.ts"
import { type Callable, callableOf, type Runnable } from "./future/runnable.ts"
import { ForkJoinPool } from "./forkjoin/fork-join-pool.ts"
import { PlatformThreadPerTaskExecutor } from "./pool/platform-thread-per-task.ts"
import { ThreadPerTaskExecutor } from "./pool/thread-per-task-executor.ts"
import { ThreadPoolExecutor } from "./pool/thread-pool-executor.ts"
import { LinkedBlockingQueue } from "./queue/linked-blocking-queue.ts"
import { SynchronousQueue } from "./queue/synchronous-queue.ts"
import { DelegatedScheduledExecutorService } from "./schedule/delegated-scheduled-executor-service.ts"
import type { ScheduledExecutorService } from "./schedule/scheduled-future.ts"
import { ScheduledThreadPoolExecutor } from "./schedule/scheduled-thread-pool-executor.ts"
import { platformThreads } from "./thread/platform-threads.ts"
import { requireThreadFactory, type ThreadFactory, virtualThreads } from "./thread/thread-factory.ts"

interface CallableAdapter {
  (runnable: Runnable): Callable<undefined>
  <T>(runnable: Runnable, result: T): Callable<T>
}

export const Executors = {
  /** `n` threads and an unbounded queue. */
  newFixedThreadPool(n: number, factory?: ThreadFactory): ThreadPoolExecutor {
    requireInteger("n", n, 1)
    return new ThreadPoolExecutor({
      corePoolSize: n,
      maximumPoolSize: n,
      keepAliveTime: 0,
      workQueue: new LinkedBlockingQueue(),
      ...given(factory),
    })
  },

  /**
   * One thread, so tasks run one after the other in order; it is replaced if a task kills it. Its size cannot be
   * changed.
   */
  newSingleThreadExecutor(factory?: ThreadFactory): ExecutorService {
    return new DelegatedExecutorService(Executors.newFixedThreadPool(1, factory))
  },

  /** A thread for every task that finds none idle; idle threads leave after a minute. */
  newCachedThreadPool(factory?: ThreadFactory): ThreadPoolExecutor {
    return new ThreadPoolExecutor({
      corePoolSize: 0,
      maximumPoolSize: MAX_VALUE,
      keepAliveTime: 60_000,
      workQueue: new SynchronousQueue(),
      ...given(factory),
    })
  },

  /** Runs tasks later or periodically, on `core` threads. */
  newScheduledThreadPool(core: number, factory?: ThreadFactory): ScheduledThreadPoolExecutor {
    return new ScheduledThreadPoolExecutor({ corePoolSize: core, ...given(factory) })
  },

  /** Runs tasks later or periodically, one after the other. Its size and policies cannot be changed. */
  newSingleThreadScheduledExecutor(factory?: ThreadFactory): ScheduledExecutorService {
    return new DelegatedScheduledExecutorService(Executors.newScheduledThreadPool(1, factory))
  },

  /** A virtual thread for every task: no pool, no limit. */
  newVirtualThreadPerTaskExecutor(): ThreadPerTaskExecutor {
    return new ThreadPerTaskExecutor(virtualThreads({ name: () => "" }))
  },

  /** A thread of this factory for every task: no pool, no limit. */
  newThreadPerTaskExecutor(factory: ThreadFactory): ExecutorService & { readonly threadCount: number } {
    requireThreadFactory("factory", factory)
    return factory.isVirtual ? new ThreadPerTaskExecutor(factory) : new PlatformThreadPerTaskExecutor(factory)
  },

  /**
   * Threads that steal tasks from each other, as many as there are processors unless told. What a task forks is begun in the order
   * in which it was forked: a `ForkJoinPool` with `asyncMode`.
   */
  newWorkStealingPool(parallelism?: number): ForkJoinPool {
    return new ForkJoinPool({ asyncMode: true, ...(parallelism === undefined ? {} : { parallelism }) })
  },

  /** A callable that runs the runnable and gives `result` (undefined if left out). */
  callable: callableOf as CallableAdapter,

  /** The executor without its settings: nobody can change them through what is returned. */
  unconfigurableExecutorService(executor: ExecutorService): ExecutorService {
    return new DelegatedExecutorService(executor)
  },

  /** The scheduled executor without its settings. */
  unconfigurableScheduledExecutorService(executor: ScheduledExecutorService): ScheduledExecutorService {
    return new DelegatedScheduledExecutorService(executor)
  },

  /** What pools use if no factory is given: platform threads, with their default names. */
  defaultThreadFactory(): ThreadFactory {
    return platformThreads()
  },
} as const

/** An option left out and an option given as undefined are not the same; a null is passed on to be refused. */
function given(factory: ThreadFactory | undefined): { threadFactory?: ThreadFactory } {
  return factory === undefined ? {} : { threadFactory: factory }
}
