import type { Taker } from "./taker.ts"
import type { WorkQueue } from "../../core/pool-host.ts"

/**
 * How long an idle worker blocks before it lets its event loop go on, in ms. Blocked, it is woken several times faster;
 * but its timers and sockets stand still meanwhile.
 */
export const LINGER = 2

/**
 * Where the tasks of a pool of platform threads wait, as all members see it. There are two: TaskQueue and
 * DelayedTaskQueue.
 */
export interface SlotQueue extends WorkQueue<number> {
  /** How many tasks wait at most; see `HEADER.BOUND`. */
  readonly bound: number
  readonly size: number
  /** How many workers wait for a task. */
  readonly idleWorkers: number
  /** Everything inside, first first. */
  toArray(): number[]
  /** Puts back what was taken out by mistake, or by a worker that died before it could begin: whatever the bound. */
  restore(slot: number): void
  /**
   * If this thread is no worker: how it takes slots out, by {@link take}, {@link draw}, {@link seize}, `remove` and
   * `takeBack`.
   */
  taker: Taker | undefined
  /** Takes this slot out for a worker that has claimed it; true if it was inside. */
  pull(slot: number): boolean
  /**
   * Takes the first one out, for a thread that is no worker; nothing if the bound is 0 and there are workers: what is
   * inside is promised to them.
   */
  take(): number | undefined
  /** The same, and if it has a time, whether or not that has come. */
  draw(): number | undefined
  /** The same, whether or not it is promised. */
  seize(): number | undefined
  first(): number | undefined
  /** In how many ms the task in this slot can be taken at the earliest; 0 or less if it can be now. */
  untilReady(slot: number): number
  /** A worker that waited has died. */
  forgetWaiter(): void
}
