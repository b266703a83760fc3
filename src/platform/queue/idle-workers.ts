/**
 * Whether the tasks that are in a full queue beyond its bound, and one more, are as good as in the hands of idle
 * workers.
 *
 * A task that is offered while a worker is idle goes into the queue for as long as it takes the worker to come for it:
 * some microseconds, in which a queue of one place would be full. On virtual threads such a task never is in the queue.
 * So that both kinds of threads decide alike, what idle workers are about to take does not count. Asked only when the
 * queue is full.
 */
import { pause } from "#atomics"
import { CANCELLED, NORMAL } from "../../future/task-state.ts"
import type { ControlWord } from "../../core/control-word.ts"
import type { SharedWorkerTable } from "../memory/shared-worker-table.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** The queue, as far as this is concerned. */
export interface Waiting {
  /** How many tasks there are beyond the bound, without the one that is offered. */
  surplus(): number
  toArray(): readonly number[]
}

/**
 * For the task in slot `offered`. Nothing here waits for a worker, which may be suspended at any point for as long as
 * the machine is busy: it looks again only if the queue has changed in between, by the progress of another thread.
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
    // A task that went from the queue into a hand in between would have been counted twice, or not at all.
    if (waiting.surplus() === before) return before < control.workerCount - taken.size
    pause()
  }
}

/** The slots that workers have taken out of the queue and that are not over. */
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
      // It is about to take this slot, or has taken it, or another worker was faster: then that one has it, or the slot
      // is over.
      inside ??= new Set(waiting.toArray())
      if (claimed !== offered && !inside.has(claimed) && isUnderWay(claimed, tasks)) taken.add(claimed)
    }
  }
  return taken
}

/**
 * Whether there is something to do for it. The submitter of a task that is over, as it may know by now, counts on the
 * worker.
 */
function isUnderWay(slot: number, tasks: TaskRecords): boolean {
  const state = tasks.stateOf(slot)
  return state < NORMAL || state >= CANCELLED
}
