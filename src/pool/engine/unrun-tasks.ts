/** What `shutdownNow` returns for tasks that have not begun. */
import { ABANDON, RENEW } from "../../future/internals.ts"
import { RejectedExecutionError } from "../../errors.ts"
import { FutureTask } from "../../future/future-task.ts"
import type { Runnable } from "../../future/runnable.ts"
import { guarded } from "../../memory/flow/guard.ts"

/** Returns a command as it is. Cancels the future of a submitted task, and returns its work as a task of its own. */
export function handBack(task: Runnable, pool: string): Runnable {
  if (!(task instanceof FutureTask)) return task
  if (task.isDone) return task
  const renewed = task[RENEW]()
  drop(task, new RejectedExecutionError(`${pool} was shut down before the task ran`, task))
  return renewed
}

/**
 * Cancels the future of a task that will not run. An error of its done() hook is reported: other tasks must not suffer.
 */
export function drop(task: Runnable, cause: unknown): void {
  if (task instanceof FutureTask) guarded(() => task[ABANDON](cause))
}
