/**
 * Stray code: code that a task has left behind in the thread of a worker, in a timer or behind a promise. It may fork
 * and join as a task may. But it runs while the worker is idle, or runs an unrelated task, or has just left. [FJ81]
 */
import { compensator } from "../../memory/flow/waiting.ts"
import type { SharedWorker } from "../../platform/memory/workers/shared-worker.ts"
import { thisThread } from "../task/this-thread.ts"

/**
 * Takes back a task that stray code has forked while the worker was idle. The fork has woken the worker itself, which
 * then has the task in hand, but its loop goes on only after the stray code. `forked` has the tasks that this worker
 * has forked and not begun, by slot. 0 if the worker has none of them in hand.
 */
export function takeFromHand(self: SharedWorker, forked: readonly unknown[]): number {
  const slot = self.task
  if (slot === undefined || forked[slot] === undefined) return 0
  self.release()
  return slot
}

/**
 * Called when the worker has left: its place and its deque may belong to another worker from now on. Until the thread
 * has ended, forks of stray code go to the common pool, like those of any thread that is no worker.
 */
export function detach(): void {
  thisThread.forks = undefined
  thisThread.queue = undefined
  compensator.current = undefined
}
