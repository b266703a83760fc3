/** What `shutdownNow` gives back of what has not begun. */
import { RejectedExecutionError } from "../errors.ts"
import { FutureTask } from "../future/future-task.ts"
import type { Runnable } from "../future/runnable.ts"
import { guarded } from "../memory/flow/guard.ts"

/**
 * A command goes back as it is. A submitted task's future is cancelled, and its work goes back as a task of its own.
 */
export function handBack(task: Runnable, pool: string): Runnable {
  if (!(task instanceof FutureTask)) return task
  if (task.isDone) return task
  const renewed = task.renew()
  drop(task, new RejectedExecutionError(`${pool} was shut down before the task ran`, task))
  return renewed
}

/**
 * Cancels the task, if it has a future: it will not run. An error of a done() hook is told: other tasks must not
 * suffer.
 */
export function drop(task: Runnable, cause: unknown): void {
  if (task instanceof FutureTask) guarded(() => task.abandon(cause))
}
