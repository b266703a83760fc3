import { typeError } from "../../checks.ts"
import { FutureTask } from "../../future/future-task.ts"
import { IS_REMOTE, TIMING } from "../../future/internals.ts"
import type { Runnable } from "../../future/runnable.ts"
import { DelayCore, type Delayed, DelayQueue } from "../../queue/delay-queue.ts"

/**
 * Shows the tasks of a scheduled pool of platform threads: all can be seen, but only those that are due can be taken.
 */
export class TimedTaskQueue extends DelayQueue<Delayed & Runnable> {
  /** To a user it is the queue that scheduled pools have, whatever their threads. */
  static override readonly name: string = "DelayedWorkQueue"

  constructor() {
    super(new TimedTaskCore())
  }
}

class TimedTaskCore extends DelayCore<Delayed & Runnable> {
  override check(e: Delayed & Runnable): void {
    super.check(e)
    if (!(e instanceof FutureTask) || e[TIMING] === undefined) {
      throw typeError("e", "a scheduled task: use schedule() or execute()", e)
    }
    if (e[IS_REMOTE]) throw typeError("e", "a scheduled task that is in no queue", e)
  }
}
