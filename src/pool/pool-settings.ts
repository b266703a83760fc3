/** The options of a ThreadPoolExecutor, checked, with defaults for what was left out. */
import { type Known, requireDuration, requireInteger, requireOptions, requireString } from "../checks.ts"
import { UnsupportedOperationError } from "../errors.ts"
import type { Runnable } from "../future/runnable.ts"
import type { Shared } from "../memory/shared-memory.ts"
import type { BlockingQueue } from "../queue/blocking-queue.ts"
import { LinkedBlockingQueue } from "../queue/linked-blocking-queue.ts"
import { requireThreadFactory, type ThreadFactory } from "../thread/thread-factory.ts"
import type { GuestEngine, PoolShell } from "./pool-engine.ts"
import { AbortPolicy, type RejectedExecutionHandler, requireHandler } from "./rejection.ts"
import { requireQueue, type ThreadPoolOptions } from "./thread-pool-options.ts"

export interface PoolSettings {
  readonly core: number
  readonly maximum: number
  readonly keepAlive: number
  readonly queue: BlockingQueue<Runnable>
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

/** What is wrong is told in this order. */
export function settingsOf(given: ThreadPoolOptions, newFactory: () => ThreadFactory): PoolSettings {
  const options = requireOptions("options", given, POOL_OPTIONS, "an object with corePoolSize and maximumPoolSize")
  const { keepAliveTime, workQueue, threadFactory, handler, name, allowCoreThreadTimeOut } = options
  const core = requireInteger("corePoolSize", options.corePoolSize, 0)
  const maximum = requireInteger("maximumPoolSize", options.maximumPoolSize, 1)
  requireInteger("maximumPoolSize", maximum, core, `corePoolSize (${core})`)
  return {
    core,
    maximum,
    keepAlive: requireDuration("keepAliveTime", keepAliveTime === undefined ? 60_000 : keepAliveTime),
    queue: requireQueue(workQueue === undefined ? new LinkedBlockingQueue() : workQueue),
    threadFactory: requireThreadFactory("threadFactory", threadFactory === undefined ? newFactory() : threadFactory),
    handler: requireHandler("handler", handler === undefined ? AbortPolicy : handler),
    name: name === undefined ? undefined : requireString("name", name),
    allowCoreThreadTimeOut,
  }
}

/** What another thread has sent, in the place of options. */
export class SentPool {
  readonly shared: Shared
  /** Makes this thread a user of the pool. */
  readonly join: (shell: PoolShell) => GuestEngine

  constructor(shared: Shared, join: (shell: PoolShell) => GuestEngine) {
    this.shared = shared
    this.join = join
  }
}

/** In threads that were sent the pool: threads are made elsewhere. */
export const OWNERS_FACTORY: ThreadFactory = {
  isVirtual: false,
  newThread() {
    throw notTheOwner("make threads")
  },
}

export function notTheOwner(what: string): UnsupportedOperationError {
  return new UnsupportedOperationError(`Only the thread that made the pool can ${what}`)
}
