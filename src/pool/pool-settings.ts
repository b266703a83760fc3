import { type Known, requireDuration, requireInteger, requireOptions, requireString } from "../checks.ts"
import type { Runnable } from "../future/runnable.ts"
import type { BlockingQueue } from "../queue/base/blocking-queue.ts"
import { requireThreadFactory, type ThreadFactory } from "../thread/thread-factory.ts"
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
}

const POOL_OPTIONS: Known<ThreadPoolOptions> = {
  corePoolSize: true,
  maximumPoolSize: true,
  keepAliveTime: true,
  workQueue: true,
  threadFactory: true,
  handler: true,
  allowCoreThreadTimeOut: true,
  name: true,
}

/** Checks the options in this order, and throws for the first one that is wrong. */
export function settingsOf(given: ThreadPoolOptions, newFactory: () => ThreadFactory): PoolSettings {
  const options = requireOptions("options", given, POOL_OPTIONS, "an object with corePoolSize and maximumPoolSize")
  const { keepAliveTime = 60_000, workQueue, threadFactory } = options
  const { handler = AbortPolicy, name, allowCoreThreadTimeOut } = options
  const core = requireInteger("corePoolSize", options.corePoolSize, 0)
  const maximum = requireInteger("maximumPoolSize", options.maximumPoolSize, 1)
  requireInteger("maximumPoolSize", maximum, core, `corePoolSize (${core})`)
  return {
    core,
    maximum,
    keepAlive: requireDuration("keepAliveTime", keepAliveTime),
    queue: workQueue === undefined ? undefined : requireQueue(workQueue),
    threadFactory: requireThreadFactory("threadFactory", threadFactory === undefined ? newFactory() : threadFactory),
    handler: requireHandler("handler", handler),
    name: name === undefined ? undefined : requireString("name", name),
    allowCoreThreadTimeOut,
  }
}
