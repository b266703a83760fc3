import { MAX_VALUE } from "../checks.ts"
import { NoQueue } from "./member/no-queue.ts"
import type { ThreadFactory } from "../thread/thread-factory.ts"
import { ThreadPoolExecutor } from "../pool/thread-pool-executor.ts"

/**
 * Starts a new platform thread for every task: for few, long tasks that must not share a thread with others. A thread
 * costs some ten milliseconds and some megabytes; for most tasks a pool is better.
 *
 * It is a pool whose queue takes nothing, so that each task is admitted with a thread of its own, and whose threads
 * leave as soon as they have nothing to do.
 */
export class PlatformThreadPerTaskExecutor extends ThreadPoolExecutor {
  constructor(threadFactory: ThreadFactory) {
    super({
      corePoolSize: 0,
      maximumPoolSize: MAX_VALUE,
      keepAliveTime: 0,
      workQueue: new NoQueue(),
      threadFactory,
    })
  }

  /** How many threads there are now. */
  get threadCount(): number {
    return this.poolSize
  }
}
