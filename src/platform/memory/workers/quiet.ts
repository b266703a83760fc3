import { atLeast, TERMINATED } from "../../../core/control-word.ts"
import { HEADER } from "../layout.ts"
import type { PoolMemory } from "../pool-memory.ts"
import type { SharedWorkerTable } from "./shared-worker-table.ts"

/**
 * Whether a pool is quiescent: no task waits, and no worker has one. Any thread may ask. True means that the pool was
 * quiescent at some moment between question and answer.
 *
 * A task is always in one of these places; while it moves from one to the next, it is in both: the queue; CLAIM of a
 * worker; TASK, BESIDE or RETURNS of a worker; and, while REAPS is odd, the hands of the owner, which finds a place for
 * the tasks of a dead worker. No thread can look at all of them at once. So the asking thread counts what is completed
 * and REAPS, looks at all places in the order in which a task passes them, and counts again. A worker counts a task
 * before it lets go of it. So if both counts are equal, all places were free at the first one.
 * forkjoin/worker/quiescence.ts does the same for a pool whose tasks fork.
 */
export function isQuiet(
  memory: PoolMemory,
  queue: { readonly isEmpty: boolean },
  workerTable: SharedWorkerTable,
): boolean {
  if (atLeast(memory.state.control.snapshot, TERMINATED)) return true
  const count = (): number => memory.state.completed.value + workerTable.completed + memory.header(HEADER.REAPS)
  for (;;) {
    if (!queue.isEmpty) return false
    const before = count()
    if (!queue.isEmpty) return false
    for (const worker of workerTable) if (worker.claimed !== 0 || worker.isBusy) return false
    if (memory.header(HEADER.REAPS) % 2 !== 0) return false
    if (count() === before) return true
  }
}
