/**
 * All classes whose objects can be passed to a task. They are half of corepool, and most tasks need none of them: so a
 * worker loads this when the first such object comes. And what only the threads of a ForkJoinPool need.
 */
import { ForkJoinPool } from "../forkjoin/fork-join-pool.ts"
import { ForkJoinRunner } from "../forkjoin/worker/fork-join-runner.ts"
import { PARALLEL } from "../parallel/all-parts.ts"
import { knowScheduledPools } from "../schedule/scheduled-thread-pool-executor.ts"
import { registerForkJoinPools } from "../platform/member/known-classes.ts"
import { usePlatform } from "../platform/provide.ts"

export function registerAll(): void {
  usePlatform()
  knowScheduledPools()
  registerForkJoinPools((handle) => ForkJoinPool.from(handle))
}

/**
 * What runs the tasks of a ForkJoinPool. Its threads block for what others send, and cannot load what they have yet to
 * know.
 */
export function forkJoinRunner(): typeof ForkJoinRunner {
  registerAll()
  void PARALLEL // they have registered themselves
  return ForkJoinRunner
}
