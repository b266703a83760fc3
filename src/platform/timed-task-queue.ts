/** What shows the tasks of a scheduled pool of platform threads: only what is due can be taken, all can be seen. */
import type { Runnable } from "../future/runnable.ts"
import { type Delayed, DelayQueue } from "../queue/delay-queue.ts"

export class TimedTaskQueue extends DelayQueue<Delayed & Runnable> {
  /** To a user it is the queue that scheduled pools have, whatever their threads. */
  static override readonly name: string = "DelayedWorkQueue"
}
