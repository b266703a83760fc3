import { platform } from "./platform-support.ts"
import {
  type Known,
  requireBoolean,
  requireDuration,
  requireInteger,
  requireOptions,
  requireString,
  typeError,
} from "../checks.ts"
import { EAGER, PACED, type PoolState } from "../core/pool-state.ts"
import type { Runnable } from "../future/runnable.ts"
import type { BlockingQueue } from "../queue/base/blocking-queue.ts"
import { plainThreads, requireThreadFactory, type ThreadFactory, warnsUnobserved } from "../thread/thread-factory.ts"
import { PACE } from "../memory/flow/internals.ts"
import type { RateLimiter } from "../sync/rate-limiter.ts"
import { AbortPolicy, type RejectedExecutionHandler, requireHandler } from "./rejection.ts"
import { requireQueue, type ThreadPoolOptions } from "./thread-pool-options.ts"

/** The options of a ThreadPoolExecutor, checked, with defaults for what was left out. */
export interface PoolSettings {
  readonly core: number
  readonly maximum: number
  readonly keepAlive: number
  /** Undefined if the pool makes its own queue, which has no bound. */
  readonly queue: BlockingQueue<Runnable> | undefined
  readonly threadFactory: ThreadFactory
  readonly handler: RejectedExecutionHandler
  readonly name: string | undefined
  readonly allowCoreThreadTimeOut: boolean | undefined
  readonly isEager: boolean
  readonly rateLimiter: RateLimiter | undefined
  readonly warnUnobserved: boolean
}

const POOL_OPTIONS: Known<ThreadPoolOptions> = {
  corePoolSize: true,
  maximumPoolSize: true,
  keepAliveTime: true,
  workQueue: true,
  threadFactory: true,
  handler: true,
  allowCoreThreadTimeOut: true,
  growth: true,
  rateLimiter: true,
  name: true,
  warnUnobserved: true,
}

/** The settings of a pool without given options: nothing of them needs a check but the factory. */
export function fixedSettings(threads: number, factory: ThreadFactory): PoolSettings {
  const threadFactory = requireThreadFactory("threadFactory", factory)
  return {
    core: threads,
    maximum: threads,
    keepAlive: 0,
    queue: undefined,
    threadFactory,
    handler: AbortPolicy,
    name: undefined,
    allowCoreThreadTimeOut: undefined,
    isEager: false,
    rateLimiter: undefined,
    warnUnobserved: warnsUnobserved(threadFactory),
  }
}

/** How `new ThreadPoolExecutor` of `corepool` reads options. A pool without a given factory has platform threads. */
export function platformSettings(given: ThreadPoolOptions): PoolSettings {
  return settingsOf(given, () => platform().newFactory())
}

/** The same for `corepool/virtual`. */
export function virtualSettings(given: ThreadPoolOptions): PoolSettings {
  return settingsOf(given, plainThreads)
}

/** Checks the options in this order, and throws for the first one that is wrong. */
function settingsOf(given: ThreadPoolOptions, newFactory: () => ThreadFactory): PoolSettings {
  const options = requireOptions("options", given, POOL_OPTIONS, "an object with corePoolSize and maximumPoolSize")
  const { keepAliveTime = 60_000, workQueue, threadFactory } = options
  const { handler = AbortPolicy, name, allowCoreThreadTimeOut, growth = "lazy", rateLimiter, warnUnobserved } = options
  const core = requireInteger("corePoolSize", options.corePoolSize, 0)
  const maximum = requireInteger("maximumPoolSize", options.maximumPoolSize, 1)
  requireInteger("maximumPoolSize", maximum, core, `corePoolSize (${core})`)
  const settings = {
    core,
    maximum,
    keepAlive: requireDuration("keepAliveTime", keepAliveTime),
    queue: workQueue === undefined ? undefined : requireQueue(workQueue),
    threadFactory: requireThreadFactory("threadFactory", threadFactory === undefined ? newFactory() : threadFactory),
    handler: requireHandler("handler", handler),
    name: name === undefined ? undefined : requireString("name", name),
    allowCoreThreadTimeOut,
  }
  if (growth !== "lazy" && growth !== "eager") throw typeError("growth", '"lazy" or "eager"', growth)
  if (rateLimiter !== undefined) requireLimiter(rateLimiter, settings.queue)
  if (warnUnobserved !== undefined) requireBoolean("warnUnobserved", warnUnobserved)
  return {
    ...settings,
    isEager: growth === "eager",
    rateLimiter,
    warnUnobserved: warnUnobserved ?? warnsUnobserved(settings.threadFactory),
  }
}

/** Not by `instanceof`: a program that has no limiter need not load the class. */
function requireLimiter(value: unknown, queue: BlockingQueue<Runnable> | undefined): void {
  if (typeof (value as Partial<RateLimiter> | null)?.[PACE] !== "function") {
    throw typeError("rateLimiter", "a RateLimiter", value)
  }
  if (queue !== undefined && queue.isEmpty && queue.remainingCapacity === 0) {
    throw typeError("workQueue", "a queue in which tasks can wait for the rateLimiter", queue)
  }
}

/** Writes sizes, times and growth into the state of a new pool. */
export function configure(state: PoolState, { core, maximum, keepAlive, isEager, rateLimiter }: PoolSettings): void {
  state.corePoolSize = core
  state.maximumPoolSize = maximum
  state.keepAliveTime = keepAlive
  if (isEager) state.setPolicy(EAGER, true)
  if (rateLimiter !== undefined) state.setPolicy(PACED, true)
}

/** Whether the pool, until it is used, looks the same without its engine. */
export function mayWait({ threadFactory, queue, rateLimiter }: PoolSettings): boolean {
  return !threadFactory.isVirtual && queue === undefined && rateLimiter === undefined && platform().mayWait()
}
