/** A factory that can be told to fail, and what to look at then. */
import type { Thread, ThreadFactory, ThreadPoolExecutor } from "corepool"
import type { Pools } from "../../support/pools.ts"

/** Makes recorded threads, unless it is told to do otherwise. */
export class FlakyFactory implements ThreadFactory {
  readonly isVirtual: boolean
  calls = 0
  /** Undefined to work as it should. */
  instead: (() => unknown) | undefined
  readonly #pools: Pools

  constructor(pools: Pools) {
    this.#pools = pools
    this.isVirtual = pools.factory.isVirtual
  }

  newThread(target: () => unknown): Thread | null | undefined {
    this.calls++
    return this.instead === undefined ? this.#pools.factory.newThread(target) : (this.instead() as Thread)
  }
}

export function counters(pool: ThreadPoolExecutor): number[] {
  return [pool.poolSize, pool.activeCount, pool.largestPoolSize, pool.queue.size, pool.taskCount]
}
