import { typeError } from "../../checks.ts"
import { FutureTask } from "../../future/future-task.ts"
import { IS_REMOTE, TIMING } from "../../future/internals.ts"
import type { Runnable } from "../../future/runnable.ts"
import { DelayCore } from "../../queue/base/delay-core.ts"
import type { Delayed } from "../../queue/delay-queue.ts"

/** Takes scheduled tasks alone. */
export class TimedTaskCore extends DelayCore<Delayed & Runnable> {
  override check(e: Delayed & Runnable): void {
    super.check(e)
    if (!(e instanceof FutureTask) || e[TIMING] === undefined) {
      throw typeError("e", "a scheduled task: use schedule() or execute()", e)
    }
    if (e[IS_REMOTE]) throw typeError("e", "a scheduled task that is in no queue", e)
  }
}
