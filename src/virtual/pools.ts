/**
 * Pools as `corepool/virtual` exports them: the classes of `corepool`, except that a pool without a given thread
 * factory has virtual threads.
 */
import { ThreadPoolExecutor as Pool } from "../pool/thread-pool-executor.ts"
import { ScheduledThreadPoolExecutor as ScheduledPool } from "../schedule/scheduled-thread-pool-executor.ts"
import { virtualThreads } from "../thread/thread-factory.ts"

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
export const ThreadPoolExecutor: typeof Pool = /* @__PURE__ */ virtualByDefault(Pool)
export type ThreadPoolExecutor = Pool

/**
 * A thread pool whose tasks have times, once after a delay, or again and again; of virtual threads, unless it is given
 * another factory.
 *
 *     await using timers = new ScheduledThreadPoolExecutor({ corePoolSize: 1 })
 *     timers.scheduleAtFixedRate(() => sample(), 0, 1000)
 */
export const ScheduledThreadPoolExecutor: typeof ScheduledPool = /* @__PURE__ */ virtualByDefault(ScheduledPool)
export type ScheduledThreadPoolExecutor = ScheduledPool

/**
 * The class with another default factory. Not a subclass: a pool that was made by either is an `instanceof` both, and
 * subclasses of either inherit the same. Nor a default that changes as soon as `corepool` is loaded: then an `import`
 * in another file would make closures fail as tasks of a pool that ran them before.
 */
function virtualByDefault<C extends typeof Pool | typeof ScheduledPool>(type: C): C {
  return new Proxy(type, {
    construct: (target, [options]: unknown[], newTarget) =>
      Reflect.construct(target, [options, virtualThreads], newTarget) as object,
  })
}
