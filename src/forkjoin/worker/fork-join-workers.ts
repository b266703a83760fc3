import { CANCELLED } from "../../future/task-state.ts"
import type { SharedWorkerTable } from "../../platform/memory/workers/shared-worker-table.ts"
import type { SlotQueue } from "../../platform/queue/slot-queue.ts"
import type { TaskQueue } from "../../platform/queue/task-queue.ts"
import type { CompletionQueues } from "../../platform/memory/completion-queues.ts"
import type { PoolMemory } from "../../platform/memory/pool-memory.ts"
import type { TaskRecords } from "../../platform/memory/task-records.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"
import { Quiescence } from "./quiescence.ts"
import { allWait } from "./compensation.ts"
import type { StealingStore } from "../../platform/queue/stealing-store.ts"

/** The workers of a ForkJoinPool and what they have forked, as any member of it sees them, the owner or a guest. */
export class ForkJoinWorkers {
  readonly store: StealingStore
  readonly deques: Deques
  readonly #workerTable: SharedWorkerTable
  readonly #tasks: TaskRecords
  readonly #quiescence: Quiescence

  constructor(
    memory: PoolMemory,
    waiting: SlotQueue,
    workerTable: SharedWorkerTable,
    tasks: TaskRecords,
    completionQueues: CompletionQueues,
  ) {
    this.store = (waiting as TaskQueue).stealing as StealingStore
    this.deques = this.store.deques
    this.#workerTable = workerTable
    this.#tasks = tasks
    this.#quiescence = new Quiescence(memory, workerTable, completionQueues, this.store)
  }

  /** How many workers run a task and are not blocked. */
  get runningCount(): number {
    let count = 0
    for (const { isBusy, number } of this.#workerTable) {
      if (isBusy && (number > this.deques.count || this.deques.load(number, PLACE.BLOCKED) === 0)) count++
    }
    return count
  }

  get isQuiescent(): boolean {
    return this.#quiescence.isReached
  }

  /** Whether tasks wait and all workers are blocked: see compensation.ts. */
  get isToGrow(): boolean {
    return allWait(this.#workerTable, this.deques) && !this.store.isEmpty
  }

  /**
   * Cancels the tasks that workers run, and those beneath them on the same stack. A worker notices at its next fork or
   * join, or when the task is over.
   */
  cancelRunning(): void {
    const tasks = this.#tasks
    for (const worker of this.#workerTable) {
      if (worker.currentSlot !== 0) tasks.leaveNew(worker.currentSlot, CANCELLED)
      for (const slot of tasks.linked(worker.below)) tasks.leaveNew(slot, CANCELLED)
    }
  }
}
