/**
 * All classes whose objects can be passed to a task, and what only the threads of a ForkJoinPool need. The classes are
 * half of corepool, and most tasks need none of them: so a worker loads this when the first such object comes.
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
 * The runner for tasks of a ForkJoinPool. Its threads block for what other threads send, and then cannot load classes:
 * so all are loaded beforehand.
 */
export function forkJoinRunner(): typeof ForkJoinRunner {
  registerAll()
  // They have registered themselves. To look at them keeps a bundler from leaving them out.
  if (PARALLEL.includes(undefined)) throw new Error("corepool: a parallel algorithm is missing")
  return ForkJoinRunner
}
