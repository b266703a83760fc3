/**
 * Whether idle workers are about to take the tasks that a full queue holds beyond its bound, and one more.
 *
 * A task that is offered while a worker is idle stays in the queue until the worker comes for it: some microseconds, in
 * which a queue of one place would be full. On virtual threads such a task is never in the queue. For both kinds of
 * threads to decide alike, tasks that idle workers are about to take do not count. Asked only when the queue is full.
 */
import { pause } from "#atomics"
import { CANCELLED, NORMAL } from "../../future/task-state.ts"
import type { ControlWord } from "../../core/control-word.ts"
import type { SharedWorkerTable } from "../memory/workers/shared-worker-table.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** What {@link isAwaited} needs of the queue. */
export interface Waiting {
  /** How many tasks there are beyond the bound, without the offered one. */
  surplus(): number
  toArray(): readonly number[]
}

/**
 * Decides for the task in slot `offered`. This never waits for a worker, which the machine may suspend at any point for
 * any time: it looks again only if another thread has changed the queue in between.
 */
export function isAwaited(
  offered: number,
  workerTable: SharedWorkerTable,
  tasks: TaskRecords,
  control: ControlWord,
  waiting: Waiting,
): boolean {
  for (;;) {
    const before = waiting.surplus()
    const taken = takenBy(workerTable, tasks, offered, waiting)
    // A task that a worker took in between would have been counted twice, or not at all.
    if (waiting.surplus() === before) return before < control.workerCount - taken.size
    pause()
  }
}

/** Whether idle workers are about to take all that waits. */
export function hasIdleWorkers(
  queue: { readonly size: number; toArray(): readonly number[] },
  workerTable: SharedWorkerTable,
  tasks: TaskRecords,
  control: ControlWord,
): boolean {
  // No slot has the number 0: all tasks are in the queue already.
  return isAwaited(0, workerTable, tasks, control, { surplus: () => queue.size - 1, toArray: () => queue.toArray() })
}

/** The slots that workers have taken out of the queue and that are under way. */
function takenBy(workerTable: SharedWorkerTable, tasks: TaskRecords, offered: number, waiting: Waiting): Set<number> {
  const taken = new Set<number>()
  let inside: ReadonlySet<number> | undefined
  for (const worker of workerTable) {
    const { currentSlot, handle, returning } = worker
    if (currentSlot !== 0) {
      if (tasks.isCurrent(handle) && isUnderWay(currentSlot, tasks)) taken.add(currentSlot)
    } else if (returning !== 0) taken.add(returning)
    else if (worker.isAlive) {
      const { claimed } = worker
      if (claimed === 0) continue
      // The worker is about to take this slot, or has taken it. Or another worker was faster: then that one has the
      // slot, or the slot is over.
      inside ??= new Set(waiting.toArray())
      if (claimed !== offered && !inside.has(claimed) && isUnderWay(claimed, tasks)) taken.add(claimed)
    }
  }
  return taken
}

/**
 * Whether the worker still has to do with the task. With a completed task it has not: the submitter may know the
 * outcome by now, and relies on the worker being free.
 */
function isUnderWay(slot: number, tasks: TaskRecords): boolean {
  const state = tasks.stateOf(slot)
  return state < NORMAL || state >= CANCELLED
}
