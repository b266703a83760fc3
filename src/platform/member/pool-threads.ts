import { REMOTE_HANDLE, REMOTE_TASKS } from "../../future/internals.ts"
import type { FutureTask } from "../../future/future-task.ts"
import type { RemoteTasks } from "../../future/task-observers.ts"
import type { PoolThread } from "../../pool/engine/pool-engine.ts"
import type { Thread } from "../../thread/thread.ts"
import type { FunctionTable } from "../memory/function-table.ts"
import type { SharedWorkerTable } from "../memory/workers/shared-worker-table.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** The threads of a pool, for a thread dump. All of it is read from shared memory: no thread is asked. */
export function threadsOf(
  table: SharedWorkerTable,
  tasks: TaskRecords,
  functions: FunctionTable,
  { remote }: { readonly remote: RemoteTasks },
): PoolThread[] {
  return Array.from(table, (worker) => {
    const { token, handle, currentSlot } = worker
    return {
      thread: worker.thread as Thread | undefined,
      token,
      task: currentSlot === 0 ? undefined : titleOf(worker, currentSlot, tasks, functions),
      runs: (future) =>
        currentSlot !== 0 &&
        (future as FutureTask<unknown>)[REMOTE_TASKS] === remote &&
        (future as FutureTask<unknown>)[REMOTE_HANDLE] === handle,
    }
  })
}

/** The name of the function that the worker calls. The worker goes on meanwhile, and the slot may be another task's. */
function titleOf(worker: SharedWorker, slot: number, tasks: TaskRecords, functions: FunctionTable): string {
  const number = tasks.functionOf(slot)
  if (number < 0 || worker.currentSlot !== slot) return "a task"
  try {
    return functions.titleOf(number)
  } catch {
    return "a task" // the number was that of another time
  }
}
