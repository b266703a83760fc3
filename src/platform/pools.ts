/**
 * Pools and their threads as `corepool` exports them: the same classes as in `corepool/virtual`, which bring platform
 * threads along.
 */
import { ThreadPoolExecutor as Pool } from "../pool/thread-pool-executor.ts"
import {
  knowScheduledPools,
  ScheduledThreadPoolExecutor as ScheduledPool,
} from "../schedule/scheduled-thread-pool-executor.ts"
import { newPlatformThreads, type PlatformThreadOptions } from "../thread/platform-threads.ts"
import type { ThreadFactory } from "../thread/thread-factory.ts"
import { usePlatform } from "./provide.ts"

/** A factory of platform threads. */
export function platformThreads(options: PlatformThreadOptions = {}): ThreadFactory {
  usePlatform()
  return newPlatformThreads(options)
}

/**
 * A pool of threads that run tasks from a queue.
 *
 * A task is admitted in this order: a new thread while there are fewer than `corePoolSize`, even if some are idle; else
 * the queue; if the queue is full, a new thread up to `maximumPoolSize`; else the rejection handler decides.
 *
 * Threads beyond the core size leave after `keepAliveTime` ms without work; with `allowCoreThreadTimeOut` all do. An
 * idle pool does not keep the program alive.
 *
 * What a submitted task throws is in its future. What an executed command throws ends its thread, goes to the factory's
 * `uncaughtException`, and the thread is replaced.
 *
 * Subclasses may override `beforeExecute`, `afterExecute` and `terminated`, and `newTaskFor`.
 *
 * @example
 * ```ts
 * import { ArrayBlockingQueue, CallerRunsPolicy, ThreadPoolExecutor, virtualThreads } from "corepool"
 *
 * await using pool = new ThreadPoolExecutor({
 *   corePoolSize: 2,
 *   maximumPoolSize: 8,
 *   workQueue: new ArrayBlockingQueue(100),
 *   threadFactory: virtualThreads(),
 *   handler: CallerRunsPolicy,
 * })
 * console.log(await pool.submit((name: string) => `hello ${name}`, "pool")) // => hello pool
 * ```
 */
export const ThreadPoolExecutor: typeof Pool = /* @__PURE__ */ onPlatform(Pool)
export type ThreadPoolExecutor = Pool

/**
 * A thread pool whose tasks have times: once after a delay, or again and again.
 *
 * Times are kept by the monotonic clock, and a task never starts early. After `shutdown()` delayed tasks still run and
 * periodic ones are cancelled, unless the two policies say otherwise. A cancelled task stays in the queue until its
 * time, unless `removeOnCancel`.
 *
 * @example
 * ```ts
 * import { ScheduledThreadPoolExecutor, virtualThreads } from "corepool"
 *
 * await using timers = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads() })
 * const beat = timers.scheduleAtFixedRate(() => console.log("tick"), 0, 60_000)
 * const reminder = timers.schedule(() => "tea", 10)
 * console.log(await reminder)
 * beat.cancel()
 * // => tick
 * // => tea
 * ```
 */
export const ScheduledThreadPoolExecutor: typeof ScheduledPool = /* @__PURE__ */ scheduledOnPlatform()
export type ScheduledThreadPoolExecutor = ScheduledPool

/** The class. The call has a side effect, but the initializer is marked as pure, so both are dropped together. */
function onPlatform<C>(type: C): C {
  usePlatform()
  return type
}

function scheduledOnPlatform(): typeof ScheduledPool {
  usePlatform()
  knowScheduledPools()
  return ScheduledPool
}
