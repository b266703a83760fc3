import type { Taker } from "./taker.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import type { Steps } from "../../memory/flow/waiting.ts"
import type { Deliveries, WorkQueue } from "../../core/pool-host.ts"

/**
 * How long an idle worker blocks before it lets its event loop run, in ms. A blocked worker is woken several times
 * faster, but its timers and sockets stand still meanwhile.
 */
export const LINGER = 2

/** The queue of a pool of platform threads, as all members see it. TaskQueue and DelayedTaskQueue implement it. */
export interface SlotQueue extends WorkQueue<number>, Deliveries<number> {
  /** How many tasks may wait; see `HEADER.BOUND`. */
  readonly bound: number
  readonly size: number
  /** How many workers wait for a task. */
  readonly idleWorkers: number
  /** All slots inside, in order. */
  toArray(): number[]
  /**
   * Puts back a slot that was taken out by mistake, or by a worker that died before it could begin. The bound does not
   * apply.
   */
  restore(slot: number): void
  /**
   * If this thread is no worker: how it takes slots out by {@link take}, {@link draw}, {@link seize}, `remove` and
   * `takeBack`.
   */
  taker: Taker | undefined
  /** Takes this slot out for a worker that has claimed it; true if it was inside. */
  pull(slot: number): boolean
  /**
   * Takes the first slot out, for a thread that is no worker. Returns undefined if the bound is 0 and there are
   * workers: every task inside is then promised to a worker.
   */
  take(): number | undefined
  /** As {@link take}, even if the task is not yet due. */
  draw(): number | undefined
  /** As {@link draw}, even if the task is promised to a worker. */
  seize(): number | undefined
  first(): number | undefined
  /** In how many ms at the earliest the task in this slot can be taken; 0 or less if it can be taken now. */
  untilReady(slot: number): number
  /** As {@link receive}, but leaves the task in its place; false if time ran out. `isPatient`: see sync/pacing.ts. */
  looking(flow: Flow, isPatient: boolean): Steps<boolean>
  /** From now on this thread, the owner of the pool, may put its own tasks in by a shorter way, if there is one. */
  openEntrance?(): void
  /** A worker that waited has died. */
  forgetWaiter(): void
}
