/** What `shutdownNow` gives back of what has not begun. */
import { RejectedExecutionError } from "../errors.ts"
import { FutureTask } from "../future/future-task.ts"
import type { Runnable } from "../future/runnable.ts"
import { guarded } from "../memory/guard.ts"
import { textOf } from "../user-values.ts"

/** A command goes back as it is. A submitted task's future is cancelled, and its work goes back as a task of its own. */
export function handBack(task: Runnable, pool: { toString(): string }): Runnable {
  if (!(task instanceof FutureTask)) return task
  if (task.isDone) return task
  const renewed = task.renew()
  // An error of a done() hook: the other tasks must not suffer.
  guarded(() => task.abandon(new RejectedExecutionError(`${textOf(pool)} was shut down before the task ran`, task)))
  return renewed
}
