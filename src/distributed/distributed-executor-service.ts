/** The contract of executors whose threads are on other machines. */
import type { Runnable } from "../future/runnable.ts"
import type { AnyFunction, ArgumentsOf, ResultOf } from "../future/signatures.ts"
import type { CronOptions } from "../schedule/cron-calendar.ts"
import type { ScheduledExecutorService } from "../schedule/scheduled-future.ts"
import type { DistributedFuture, DistributedScheduledFuture } from "./job/distributed-future.ts"
import type { NodeRecord } from "../executor/fleet-records.ts"
import type { JobCounts } from "./job/engine.ts"
import type { DistributedTaskOptions } from "./job/options.ts"

/** How many jobs of the queue are in which state, those of all processes; and how many this executor waits for. */
export interface DistributedStats extends JobCounts {
  /** How many tasks this executor waits for. */
  readonly outstanding: number
}

/**
 * An executor whose threads are on other machines.
 *
 * `shutdown`, `shutdownNow`, `awaitTermination` and `close` concern the tasks of this executor, as for a pool; other
 * processes and the nodes go on. Only the engine knows which tasks have begun, so `shutdownNow` returns a promise of
 * those that have not.
 */
export interface DistributedExecutorService extends ScheduledExecutorService<Promise<Runnable[]>> {
  submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): DistributedFuture<T>
  submit<F extends AnyFunction, A extends ArgumentsOf<F> & unknown[]>(
    task: F,
    ...args: A
  ): DistributedFuture<ResultOf<F, A>>

  /** The same executor, with these options for every task given to it through the returned view. */
  with(options: DistributedTaskOptions): DistributedExecutorService

  schedule<A extends unknown[], T>(
    task: (...args: A) => T | PromiseLike<T>,
    delay: number,
    ...args: A
  ): DistributedScheduledFuture<T>

  scheduleAtFixedRate<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    period: number,
    ...args: A
  ): DistributedScheduledFuture<void>

  scheduleWithFixedDelay<A extends unknown[]>(
    task: (...args: A) => unknown,
    initialDelay: number,
    delay: number,
    ...args: A
  ): DistributedScheduledFuture<void>

  scheduleCron<A extends unknown[]>(
    task: (...args: A) => unknown,
    expression: string,
    options?: CronOptions,
    ...args: A
  ): DistributedScheduledFuture<void>

  /**
   * The future of a task by its id; any process may have submitted it. Fails with `IllegalStateError` if the engine
   * does not know the id: the task was never stored, or was cancelled before it began, or its result has expired.
   */
  future<T = unknown>(id: string): DistributedScheduledFuture<T>

  /**
   * The nodes that take tasks of this queue, and how many tasks each runs, as of a second or two ago. A node that was
   * closed is not listed; one that was killed or cut off is listed for up to 5 seconds more.
   */
  nodes(): Promise<NodeRecord[]>

  /** How many tasks of the queue are in which state. */
  stats(): Promise<DistributedStats>
}
