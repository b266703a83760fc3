import type { Runnable } from "../../future/runnable.ts"
import { type Delayed, DelayQueue } from "../../queue/delay-queue.ts"
import { TimedTaskCore } from "./timed-task-core.ts"

/**
 * Shows the tasks of a scheduled pool of platform threads: all can be seen, but only those that are due can be taken.
 */
export class TimedTaskQueue extends DelayQueue<Delayed & Runnable> {
  /** To a user it is the queue that scheduled pools have, whatever their threads. */
  static override readonly name: string = "DelayedWorkQueue"

  constructor() {
    super(new TimedTaskCore("DelayQueue"))
  }
}
