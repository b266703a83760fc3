/**
 * Provides the pools with platform threads. Every part of `corepool` that can ask for such a pool calls this first, so
 * that a bundler keeps it exactly if one of these parts is kept. No module does so merely by being loaded.
 */
import { tellSubscribers } from "../events/subscriptions.ts"
import { ThreadPoolExecutor } from "../pool/thread-pool-executor.ts"
import { type PlatformSupport, providePlatform } from "../pool/platform-support.ts"
import { newPlatformThreads } from "../thread/platform-threads.ts"
import { equip } from "./member/equip.ts"
import { watchPool } from "./owner/forgotten-pools.ts"
import { registerPools, registerScheduledPools } from "./member/known-classes.ts"
import { startAhead } from "./start/thread-ahead.ts"
import { PlatformThreadPerTaskExecutor } from "./platform-thread-per-task.ts"
import { PoolGuest } from "./member/pool-guest.ts"
import { PoolOwner } from "./owner/pool-owner.ts"
import { TimedTaskQueue } from "./member/timed-task-queue.ts"

/** Whether this thread has pools of platform threads. */
let hasPools = false

const support: PlatformSupport = {
  newFactory: () => newPlatformThreads(),
  newEngine(queue, shell, maximum, pool, rateLimiter) {
    hasPools = true
    knowPools()
    const owner = new PoolOwner(queue, shell, maximum, { limiter: rateLimiter })
    watchPool(pool, owner)
    return owner
  },
  mayWait() {
    const isFirst = !hasPools
    hasPools = true
    return isFirst
  },
  ahead(factory, give) {
    const end = startAhead(factory)
    try {
      give()
    } finally {
      end()
    }
  },
  openOnce: (shared, open) => PoolGuest.once(shared, open),
  newTimedQueue: () => new TimedTaskQueue(),
  knowScheduledPools: registerScheduledPools,
  newThreadPerTaskExecutor: (factory) => new PlatformThreadPerTaskExecutor(factory),
}

let isProvided = false

export function usePlatform(): void {
  if (isProvided) return
  isProvided = true
  providePlatform(support)
  tellSubscribers()
  equip()
  knowPools()
}

/** If a thread has several copies of corepool, the copy that made the last pool opens pools from other threads. */
function knowPools(): void {
  registerPools((shared) => ThreadPoolExecutor.from(shared))
}
