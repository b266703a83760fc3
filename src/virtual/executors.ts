/**
 * Ready-made executors: the parts of `Executors` of `corepool/virtual`, by which those of `corepool` are made, too.
 * Functions first, so that a bundler can leave out those that a program does not call, and with them the classes that
 * only they need: no known bundler drops a property of an object, and not all drop a member of a namespace.
 */
import { MAX_VALUE, requireInteger, requireOptions } from "../checks.ts"
import { DelegatedExecutorService } from "../executor/service/delegated-executor-service.ts"
import type { ExecutorService } from "../executor/executor.ts"
import { type Callable, callableOf, type Runnable } from "../future/runnable.ts"
import { platform } from "../pool/platform-support.ts"
import { fixedSettings, virtualSettings } from "../pool/pool-settings.ts"
import { ThreadPerTaskExecutor } from "../pool/thread-per-task-executor.ts"
import { ThreadPoolExecutor } from "../pool/thread-pool-executor.ts"
import type { CachedPoolOptions } from "../pool/thread-pool-options.ts"
import { SynchronousQueue } from "../queue/synchronous-queue.ts"
import { DelegatedScheduledExecutorService } from "../schedule/delegated-scheduled-executor-service.ts"
import type { ScheduledExecutorService } from "../schedule/scheduled-future.ts"
import { ScheduledThreadPoolExecutor } from "../schedule/scheduled-thread-pool-executor.ts"
import { plainThreads, requireThreadFactory, type ThreadFactory } from "../thread/thread-factory.ts"

/** `n` threads and an unbounded queue. */
export function newFixedThreadPool(n: number, factory: ThreadFactory = plainThreads()): ThreadPoolExecutor {
  requireInteger("n", n, 1)
  return new ThreadPoolExecutor({ corePoolSize: n, maximumPoolSize: n }, () => fixedSettings(n, factory))
}

/**
 * One thread, so tasks run one after the other in order; it is replaced if a task kills it. Its size cannot be
 * changed.
 */
export function newSingleThreadExecutor(factory?: ThreadFactory): ExecutorService {
  return new DelegatedExecutorService(newFixedThreadPool(1, factory))
}

/** How `newCachedThreadPool` is called. */
export interface CachedPoolMaker {
  (factory?: ThreadFactory): ThreadPoolExecutor
  (sizes: CachedPoolOptions, factory?: ThreadFactory): ThreadPoolExecutor
}

/** A thread for every task that finds none idle; idle threads leave after a minute. */
export function newCachedThreadPool(factory?: ThreadFactory): ThreadPoolExecutor
/** The same with bounds: beyond `maximumPoolSize` tasks wait, and `corePoolSize` threads stay. */
export function newCachedThreadPool(sizes: CachedPoolOptions, factory?: ThreadFactory): ThreadPoolExecutor
export function newCachedThreadPool(
  first?: ThreadFactory | CachedPoolOptions,
  second?: ThreadFactory,
): ThreadPoolExecutor {
  if (areSizes(first)) return boundedPool(first, second)
  const threadFactory = first === undefined ? plainThreads() : first
  const workQueue = new SynchronousQueue<Runnable>()
  const sizes = { corePoolSize: 0, maximumPoolSize: MAX_VALUE, keepAliveTime: 60_000 }
  return new ThreadPoolExecutor({ ...sizes, workQueue, threadFactory }, virtualSettings)
}

/** Whether the first argument of `newCachedThreadPool` is no factory, and not to be refused as one. */
export function areSizes(first: ThreadFactory | CachedPoolOptions | undefined): first is CachedPoolOptions {
  return typeof first === "object" && first !== null && !("newThread" in first) && !("isVirtual" in first)
}

function boundedPool(sizes: CachedPoolOptions, factory: ThreadFactory = plainThreads()): ThreadPoolExecutor {
  const known = { corePoolSize: true, maximumPoolSize: true, keepAliveTime: true } as const
  const given = requireOptions("sizes", sizes, known, "a ThreadFactory, or an object with maximumPoolSize")
  return new ThreadPoolExecutor({ corePoolSize: 0, ...given, growth: "eager", threadFactory: factory }, virtualSettings)
}

/** Runs tasks later or periodically, on `core` threads. */
export function newScheduledThreadPool(
  core: number,
  factory: ThreadFactory = plainThreads(),
): ScheduledThreadPoolExecutor {
  return new ScheduledThreadPoolExecutor({ corePoolSize: core, threadFactory: factory })
}

/** Runs tasks later or periodically, one after the other. Its size and policies cannot be changed. */
export function newSingleThreadScheduledExecutor(factory?: ThreadFactory): ScheduledExecutorService {
  return new DelegatedScheduledExecutorService(newScheduledThreadPool(1, factory))
}

/** A virtual thread for every task: no pool, no limit. */
export function newVirtualThreadPerTaskExecutor(): ThreadPerTaskExecutor {
  return new ThreadPerTaskExecutor(plainThreads(() => ""))
}

/** A thread of this factory for every task: no pool, no limit. */
export function newThreadPerTaskExecutor(factory: ThreadFactory): ExecutorService & { readonly threadCount: number } {
  requireThreadFactory("factory", factory)
  return factory.isVirtual ? new ThreadPerTaskExecutor(factory) : platform().newThreadPerTaskExecutor(factory)
}

/** How `callable` is called. */
export interface CallableAdapter {
  (runnable: Runnable): Callable<undefined>
  <T>(runnable: Runnable, result: T): Callable<T>
}

/** A callable that runs the runnable and gives `result` (undefined if left out). */
export const callable: CallableAdapter = callableOf as CallableAdapter

/** The executor without its settings: the returned object cannot change them. */
export function unconfigurableExecutorService(executor: ExecutorService): ExecutorService {
  return new DelegatedExecutorService(executor)
}

/** The scheduled executor without its settings. */
export function unconfigurableScheduledExecutorService(executor: ScheduledExecutorService): ScheduledExecutorService {
  return new DelegatedScheduledExecutorService(executor)
}

/** The default factory of pools: virtual threads, with their default names. */
export function defaultThreadFactory(): ThreadFactory {
  return plainThreads()
}

/** All of these functions, as in `corepool`, but for `newWorkStealingPool`, whose threads are platform threads. */
export const Executors: {
  /** `n` threads and an unbounded queue. */
  readonly newFixedThreadPool: typeof newFixedThreadPool
  /** One thread: tasks run one after the other. */
  readonly newSingleThreadExecutor: typeof newSingleThreadExecutor
  /** A thread for every task that finds none idle. */
  readonly newCachedThreadPool: typeof newCachedThreadPool
  /** Runs tasks later or periodically. */
  readonly newScheduledThreadPool: typeof newScheduledThreadPool
  /** Runs tasks later or periodically, one after the other. */
  readonly newSingleThreadScheduledExecutor: typeof newSingleThreadScheduledExecutor
  /** A virtual thread for every task. */
  readonly newVirtualThreadPerTaskExecutor: typeof newVirtualThreadPerTaskExecutor
  /** A thread of the given factory for every task. */
  readonly newThreadPerTaskExecutor: typeof newThreadPerTaskExecutor
  /** A callable that runs a runnable. */
  readonly callable: typeof callable
  /** The executor without its settings. */
  readonly unconfigurableExecutorService: typeof unconfigurableExecutorService
  /** The scheduled executor without its settings. */
  readonly unconfigurableScheduledExecutorService: typeof unconfigurableScheduledExecutorService
  /** Virtual threads, with their default names. */
  readonly defaultThreadFactory: typeof defaultThreadFactory
} = {
  newFixedThreadPool,
  newSingleThreadExecutor,
  newCachedThreadPool,
  newScheduledThreadPool,
  newSingleThreadScheduledExecutor,
  newVirtualThreadPerTaskExecutor,
  newThreadPerTaskExecutor,
  callable,
  unconfigurableExecutorService,
  unconfigurableScheduledExecutorService,
  defaultThreadFactory,
}
