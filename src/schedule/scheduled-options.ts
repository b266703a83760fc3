import type { RateLimiter } from "../sync/rate-limiter.ts"
import { type Known, MAX_VALUE, requireInteger, requireOptions } from "../checks.ts"
import { UnsupportedOperationError } from "../errors.ts"
import { platform } from "../pool/platform-support.ts"
import type { RejectedExecutionHandler } from "../pool/rejection.ts"
import type { ThreadPoolOptions } from "../pool/thread-pool-options.ts"
import { requireThreadFactory, type ThreadFactory } from "../thread/thread-factory.ts"
import { type Clock, requireClock, systemClock } from "../time/clock.ts"
import { DelayedWorkQueue } from "./delayed-work-queue.ts"

/** Settings of a `ScheduledThreadPoolExecutor`. */
export interface ScheduledThreadPoolOptions {
  /** How many threads to keep. With 0 there is one while anything is scheduled. */
  readonly corePoolSize: number
  /** Makes the threads: `platformThreads()`, the default, or `virtualThreads()`. */
  readonly threadFactory?: ThreadFactory
  /** What to do with a task that comes after shutdown; default `AbortPolicy`. */
  readonly handler?: RejectedExecutionHandler
  /** At whose pace tasks begin, when they are due. */
  readonly rateLimiter?: RateLimiter
  /** The name of the pool in messages. */
  readonly name?: string
  /** As for a ThreadPoolExecutor. */
  readonly warnUnobserved?: boolean
  /** The clock: for tests, a `ManualClock` of `corepool/testing`. Only a pool of virtual threads can have one. */
  readonly clock?: Clock
}

/**
 * How long a thread beyond the core size stays, as in the JDK: for a core size of 0, or if core threads may time out.
 */
const KEEP_ALIVE = 10

const SCHEDULED_OPTIONS: Known<ScheduledThreadPoolOptions> = {
  corePoolSize: true,
  threadFactory: true,
  handler: true,
  rateLimiter: true,
  name: true,
  warnUnobserved: true,
  clock: true,
}

/** The settings of the pool that a scheduled executor is. */
export function poolOptionsOf(given: ScheduledThreadPoolOptions, newFactory: () => ThreadFactory): ThreadPoolOptions {
  const options = requireOptions("options", given, SCHEDULED_OPTIONS, "an object with corePoolSize")
  const corePoolSize = requireInteger("corePoolSize", options.corePoolSize, 0)
  const { clock, ...others } = options
  const threadFactory = others.threadFactory === undefined ? newFactory() : others.threadFactory
  const { isVirtual } = requireThreadFactory("threadFactory", threadFactory)
  if (clock !== undefined && requireClock("clock", clock) !== systemClock && !isVirtual) {
    throw new UnsupportedOperationError(
      "Platform threads wait by the system's clock, and so cannot follow another: pass `threadFactory: virtualThreads()` together with `clock`",
    )
  }
  return {
    ...others,
    threadFactory,
    corePoolSize,
    maximumPoolSize: MAX_VALUE,
    keepAliveTime: KEEP_ALIVE,
    workQueue: isVirtual ? new DelayedWorkQueue(clock) : platform().newTimedQueue(),
  }
}
