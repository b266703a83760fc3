import type { CompletionQueues } from "../memory/completion-queues.ts"
import type { FunctionTable } from "../memory/function-table.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { SharedWorkerTable } from "../memory/workers/shared-worker-table.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** What the parts of a worker thread have in common: the pool as this thread sees it, and the thread's own worker. */
export interface WorkerContext {
  readonly memory: PoolMemory
  readonly tasks: TaskRecords
  readonly completionQueues: CompletionQueues
  readonly functions: FunctionTable
  readonly workerTable: SharedWorkerTable
  readonly self: SharedWorker
}
