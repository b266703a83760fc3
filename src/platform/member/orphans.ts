/**
 * Finds out what becomes of the tasks that a worker was about to take, or had, when it died.
 *
 * Its CLAIM names a task from before the moment when the task leaves the queue until long after. So the task may still
 * be in the queue, or another thread may have it by now, or it may be done. TASK is no proof either once the outcome
 * has been delivered: the slot may be in use for another task.
 */
import { pause } from "#atomics"
import { COMPLETING, NEW } from "../../future/task-state.ts"
import type { Report } from "../../memory/flow/guard.ts"
import { now } from "../../time/timer.ts"
import type { CompletionQueues } from "../memory/completion-queues.ts"
import { isClaimed } from "../memory/workers/endings.ts"
import { settleAsFailed } from "../submit/failure.ts"
import { COMMAND, REPORTED } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { SharedWorkerTable } from "../memory/workers/shared-worker-table.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import type { SlotQueue } from "../queue/slot-queue.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** How long a thread may take for what takes a microsecond, in ms. If it takes longer, it has died unnoticed. */
const PATIENCE = 100

/**
 * Whether no thread has the slot that a dead worker has claimed, and none is going to take it. The places are looked at
 * in the order in which a task passes through them, so a thread that has the task all the while is found in one of
 * them. A periodic task passes through them again and again, but each time it is due at another time.
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
 * Whether the dead worker has not delivered its current task. Ask after this thread has received what has arrived for
 * it.
 */
export function isUndelivered(worker: SharedWorker, tasks: TaskRecords, completionQueues: CompletionQueues): boolean {
  const { currentSlot, handle } = worker
  return currentSlot !== 0 && tasks.isCurrent(handle) && !completionQueues.contains(currentSlot)
}

/** Fails the task with this error. The error of a command is reported here, because no other thread will do so. */
export function failOrphan(
  slot: number,
  error: unknown,
  tasks: TaskRecords,
  completionQueues: CompletionQueues,
  report: Report,
): void {
  // COMPLETING: its thread died while it wrote the outcome.
  const fails = tasks.leaveNew(slot, COMPLETING) || tasks.stateOf(slot) === COMPLETING
  const isReported = fails && tasks.hasFlag(slot, COMMAND | REPORTED)
  if (fails) {
    tasks.noteWorker(slot, 0)
    settleAsFailed(tasks, slot, error)
  }
  completionQueues.put(slot)
  if (isReported) report(error)
}

function has(worker: SharedWorker, slot: number): boolean {
  for (const end = now() + PATIENCE; ;) {
    if (worker.currentSlot === slot) return true
    if (worker.claimed !== slot && worker.returning !== slot) return false
    if (worker.currentSlot !== 0) return true // it is below the task that the worker runs now
    // The worker is about to take the slot, or to find that another thread has it, or to put it back: CLAIM and RETURNS
    // alone do not say which.
    if (!worker.isAlive || now() > end) return false
    pause()
  }
}
