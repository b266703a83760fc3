/**
 * All classes whose objects can be passed to a task. They are half of corepool, and most tasks need none of them: so a worker
 * loads this when the first such object comes. And what only the threads of a ForkJoinPool need.
 */
import { ThreadPoolExecutor } from "../pool/thread-pool-executor.ts"
import { ForkJoinPool } from "../forkjoin/fork-join-pool.ts"
import { ForkJoinRunner } from "../forkjoin/fork-join-runner.ts"
import { PARALLEL } from "../parallel/all-parts.ts"
import { DelegatedScheduledExecutorService } from "../schedule/delegated-scheduled-executor-service.ts"
import { ScheduledThreadPoolExecutor } from "../schedule/scheduled-thread-pool-executor.ts"
import { registerForkJoinPools, registerKnownClasses, registerPools, registerScheduledPools } from "./known-classes.ts"

export function registerAll(): void {
  registerKnownClasses()
  registerPools((handle) => ThreadPoolExecutor.from(handle))
  registerScheduledPools(
    (handle) => ScheduledThreadPoolExecutor.from(handle),
    (inner) => new DelegatedScheduledExecutorService(inner),
  )
  registerForkJoinPools((handle) => ForkJoinPool.from(handle))
}

/** What runs the tasks of a ForkJoinPool. Its threads block for what others send, and cannot load what they have yet to know. */
export function forkJoinRunner(): typeof ForkJoinRunner {
  registerAll()
  void PARALLEL // they have registered themselves
  return ForkJoinRunner
}
