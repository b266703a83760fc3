import { INTERRUPTED, INTERRUPTING } from "../../future/task-state.ts"
import { HEADER, SCOPED } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { TaskRecords } from "../memory/task-records.ts"
import type { SharedWorkerTable } from "../memory/workers/shared-worker-table.ts"
import type { SlotQueue } from "../queue/slot-queue.ts"

/** The pool, as its owner has it. */
interface PoolOfForks {
  readonly memory: PoolMemory
  readonly tasks: TaskRecords
  readonly waiting: SlotQueue
  readonly workerTable: SharedWorkerTable
  /** Interrupts the worker that runs the task, if there is one. */
  stop(slot: number, handle: number): unknown
}

/**
 * For the owner of a pool: when a thread has died, cancels the forks that its scopes have submitted, wherever they run
 * or wait. No fork outlives its scope. [SS23]
 *
 * How a fork is known: its record is SCOPED, and the thread is dead that has taken the slot. That stays so until the
 * owner itself frees the slot, because what is put for a dead scope arrives in the completion queue of the owner.
 */
export function endOrphanedForks(pool: PoolOfForks): void {
  const { memory, tasks, waiting, workerTable } = pool
  if (memory.header(HEADER.SCOPES) === 0) return
  // The places in the order in which a task passes through them: a task that is on its way is met in one of them.
  for (const slot of waiting.toArray()) endIfOrphaned(slot, pool)
  for (const worker of workerTable) {
    endIfOrphaned(worker.claimed, pool)
    endIfOrphaned(worker.currentSlot, pool)
    for (const slot of tasks.linked(worker.below)) endIfOrphaned(slot, pool)
    for (const slot of tasks.linked(worker.beside)) endIfOrphaned(slot, pool)
  }
}

function endIfOrphaned(slot: number, pool: PoolOfForks): void {
  const { memory, tasks } = pool
  if (slot === 0) return
  const handle = tasks.handleOf(slot)
  if (!tasks.hasFlag(slot, SCOPED) || memory.threadContext.registry.isAlive(tasks.submitterOf(slot))) return
  if (tasks.handleOf(slot) !== handle) return // it is in use for another task since
  // INTERRUPTING: the dead thread was just cancelling it.
  if (!tasks.leaveNew(slot, INTERRUPTING) && tasks.stateOf(slot) !== INTERRUPTING) return
  pool.stop(slot, handle)
  tasks.settle(slot, INTERRUPTED)
}
