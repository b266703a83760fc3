/**
 * Code that a task has left behind in the thread of a worker, in a timer or behind a promise. It may fork and join as a
 * task may; but it runs while the worker is idle, or has a task in hand that has nothing to do with it, or has just
 * left. [FJ81]
 */
import { standIn } from "../../memory/flow/waiting.ts"
import type { SharedWorker } from "../../platform/memory/shared-worker.ts"
import { thisThread } from "../task/this-thread.ts"

/**
 * Takes back what such code has forked while the worker was idle: the worker has called itself then, and has the task
 * in hand, but its loop goes on only when that code is over. `forked` are the tasks that this worker has forked and not
 * begun, by slot. 0 if the worker has none of them in hand.
 */
export function takeFromHand(self: SharedWorker, forked: readonly unknown[]): number {
  const slot = self.task
  if (slot === undefined || forked[slot] === undefined) return 0
  self.release()
  return slot
}

/**
 * The worker has left: its place, and the deque there, may be another worker's from now on. Until its thread has ended,
 * what such code forks goes where the forks of any thread go that is no worker.
 */
export function detach(): void {
  thisThread.forks = undefined
  thisThread.queue = undefined
  standIn.current = undefined
}
