/** How a ThreadPoolExecutor is made, and what it then can do. */
import { typeError } from "../checks.ts"
import type { Times } from "../memory/structures/histogram.ts"
import type { Runnable } from "../future/runnable.ts"
import { BlockingQueue } from "../queue/base/blocking-queue.ts"
import type { RateLimiter } from "../sync/rate-limiter.ts"
import type { ThreadFactory } from "../thread/thread-factory.ts"
import type { RejectedExecutionHandler } from "./rejection.ts"

/** What comes first: the queue (`"lazy"`) or new threads (`"eager"`). */
export type Growth = "lazy" | "eager"

/** Settings of a `ThreadPoolExecutor`. */
export interface ThreadPoolOptions {
  /** How many threads to have before tasks are queued, and to keep when idle. */
  readonly corePoolSize: number
  /** How many threads to have at most: when the queue is full, or before tasks are queued if `growth` is `"eager"`. */
  readonly maximumPoolSize: number
  /** Milliseconds an idle thread beyond the core size stays; default 60 000. */
  readonly keepAliveTime?: number
  /** Where tasks wait; default an unbounded `LinkedBlockingQueue`. The pool adopts it: use it for nothing else. */
  readonly workQueue?: BlockingQueue<Runnable>
  /** Makes the threads: `platformThreads()`, the default, or `virtualThreads()`. */
  readonly threadFactory?: ThreadFactory
  /** What to do with a task that cannot be taken; default `AbortPolicy`. */
  readonly handler?: RejectedExecutionHandler
  /** Whether core threads leave too when idle; default false. */
  readonly allowCoreThreadTimeOut?: boolean
  /**
   * When a task is queued. `"lazy"`, the default, as in Java: once there are `corePoolSize` threads. Further threads
   * are made only if the queue is full. `"eager"`: a task that finds no idle thread gets a new one up to
   * `maximumPoolSize`, and waits only then.
   */
  readonly growth?: Growth
  /**
   * At whose pace tasks begin: each takes a permit, and waits in the queue until there is one. Several pools may have
   * the same limiter. The queue must have room, so it cannot be a `SynchronousQueue`.
   */
  readonly rateLimiter?: RateLimiter
  /** What the pool is called in messages. */
  readonly name?: string
  /**
   * Whether to print a warning if a task has failed and no code has looked at its error before the future was garbage;
   * default the option of the thread factory, which by default is false.
   */
  readonly warnUnobserved?: boolean
}

/** The sizes of a pool of `Executors.newCachedThreadPool`. */
export interface CachedPoolOptions {
  /** How many threads to keep when idle; default 0. */
  readonly corePoolSize?: number
  /** How many threads to have at most: further tasks wait. */
  readonly maximumPoolSize: number
  /** Milliseconds an idle thread beyond the core size stays; default 60 000. */
  readonly keepAliveTime?: number
}

/** See `ThreadPoolExecutor.stats`. */
export interface PoolStats {
  /** How many threads there are. */
  readonly threads: number
  /** How many threads have a task in hand. */
  readonly active: number
  /** How many tasks wait. */
  readonly queued: number
  /** How many tasks are over, however they ended. */
  readonly completed: number
  /** How many tasks the pool has given to its rejection handler. */
  readonly rejected: number
  /** How many tasks were abandoned (`abandonAfter` of `virtualThreads`) and still run. */
  readonly abandoned: number
  /** How long tasks waited for their start. Of a busy pool not every task is measured. */
  readonly wait: Times
  /** How long they ran. */
  readonly run: Times
}

export function requireQueue(value: unknown): BlockingQueue<Runnable> {
  if (!(value instanceof BlockingQueue)) throw typeError("workQueue", "a BlockingQueue of corepool", value)
  return value as BlockingQueue<Runnable>
}
