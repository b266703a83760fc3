/**
 * Pools as `corepool/virtual` exports them: the classes of `corepool`, except that a pool without a given thread
 * factory has virtual threads.
 */
import { virtualSettings } from "../pool/pool-settings.ts"
import type { ThreadPoolOptions } from "../pool/thread-pool-options.ts"
import { ThreadPoolExecutor as Pool } from "../pool/thread-pool-executor.ts"
import { ScheduledThreadPoolExecutor as ScheduledPool } from "../schedule/scheduled-thread-pool-executor.ts"
import { plainThreads } from "../thread/thread-factory.ts"

/**
 * A pool of threads that run tasks from a queue; of virtual threads, unless it is given another factory.
 *
 *     await using pool = new ThreadPoolExecutor({
 *       corePoolSize: 2,
 *       maximumPoolSize: 8,
 *       workQueue: new ArrayBlockingQueue(100),
 *       handler: CallerRunsPolicy,
 *     })
 */
export const ThreadPoolExecutor: typeof Pool = /* @__PURE__ */ made(Pool, (options: ThreadPoolOptions) =>
  virtualSettings(options),
)
export type ThreadPoolExecutor = Pool

/**
 * A thread pool whose tasks have times, once after a delay, or again and again; of virtual threads, unless it is given
 * another factory.
 *
 *     await using timers = new ScheduledThreadPoolExecutor({ corePoolSize: 1 })
 *     timers.scheduleAtFixedRate(() => sample(), 0, 1000)
 */
export const ScheduledThreadPoolExecutor: typeof ScheduledPool = /* @__PURE__ */ made(ScheduledPool, plainThreads)
export type ScheduledThreadPoolExecutor = ScheduledPool

/**
 * The class with a second argument for its constructor, which makes virtual threads the default. Not a subclass: a
 * pool that was made by either is an `instanceof` both, and subclasses of either inherit the same.
 * Nor a default that changes as soon as `corepool` is loaded: then an `import` in another file would make closures fail
 * as tasks of a pool that ran them before.
 */
function made<C extends typeof Pool | typeof ScheduledPool>(type: C, second: unknown): C {
  return new Proxy(type, {
    construct: (target, [options]: unknown[], newTarget) =>
      Reflect.construct(target, [options, second], newTarget) as object,
  })
}
