/**
 * What becomes of the tasks that a worker was about to take, or had in its hand, when it died.
 *
 * Its CLAIM names a task from before the moment when it leaves the queue until long after, so it says little: the task
 * may still be in the queue, or be another's by now, or done. Nor does its TASK, after the outcome has been delivered:
 * the slot may be in use for another task.
 */
import { pause } from "#atomics"
import { COMPLETING, NEW } from "../../future/task-state.ts"
import type { Report } from "../../memory/flow/guard.ts"
import { now } from "../../time/timer.ts"
import type { CompletionQueues } from "../memory/completion-queues.ts"
import { isClaimed } from "../memory/endings.ts"
import { settleAsFailed } from "../submit/failure.ts"
import { COMMAND, TOLD } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { SharedWorkerTable } from "../memory/shared-worker-table.ts"
import type { SharedWorker } from "../memory/shared-worker.ts"
import type { SlotQueue } from "../queue/slot-queue.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/**
 * How long it can take a thread to do what takes a microsecond, in ms. If it takes longer, it has died, and nobody
 * knows.
 */
const PATIENCE = 100

/**
 * Whether a slot that a dead worker has claimed is in nobody's hands, and nobody is going to take it. The places are
 * looked at in the order in which a task goes through them; who has it all the while is found in one of them. A
 * periodic task goes through them again and again, but not without being due at another time.
 */
export function isOrphan(
  slot: number,
  memory: PoolMemory,
  tasks: TaskRecords,
  queue: SlotQueue,
  workerTable: SharedWorkerTable,
): boolean {
  const handle = tasks.handleOf(slot)
  const rank = tasks.rankOf(slot)
  if (queue.toArray().includes(slot)) return false
  for (const worker of workerTable) if (has(worker, slot)) return false
  // A thread that is no worker, and is about to take the slot or has just done so, will soon have marked it as taken.
  for (const end = now() + PATIENCE; isClaimed(memory, slot) && now() <= end;) pause()
  if (tasks.takerOf(slot) !== 0) return false
  return tasks.isCurrent(handle) && tasks.stateOf(slot) === NEW && Object.is(tasks.rankOf(slot), rank)
}

/**
 * Whether the dead worker has not delivered what it had in its hand. Ask when what has arrived in this thread was
 * looked at.
 */
export function isUndelivered(worker: SharedWorker, tasks: TaskRecords, completionQueues: CompletionQueues): boolean {
  const { currentSlot, handle } = worker
  return currentSlot !== 0 && tasks.isCurrent(handle) && !completionQueues.contains(currentSlot)
}

/**
 * The task is over, with this error. Of a command no other thread will tell: the error is told here, as one of its
 * thread.
 */
export function failOrphan(
  slot: number,
  error: unknown,
  tasks: TaskRecords,
  completionQueues: CompletionQueues,
  report: Report,
): void {
  // COMPLETING: its thread died while it wrote the outcome down.
  const fails = tasks.leaveNew(slot, COMPLETING) || tasks.stateOf(slot) === COMPLETING
  const isTold = fails && tasks.hasFlag(slot, COMMAND | TOLD)
  if (fails) {
    tasks.noteWorker(slot, 0)
    settleAsFailed(tasks, slot, error)
  }
  completionQueues.put(slot)
  if (isTold) report(error)
}

function has(worker: SharedWorker, slot: number): boolean {
  for (const end = now() + PATIENCE; ;) {
    if (worker.currentSlot === slot) return true
    if (worker.claimed !== slot && worker.returning !== slot) return false
    if (worker.currentSlot !== 0) return true // beneath another one, which it runs in the midst of it
    // It is about to take the slot, or to find that somebody else has, or to put it back: that alone does not say.
    if (!worker.isAlive || now() > end) return false
    pause()
  }
}
