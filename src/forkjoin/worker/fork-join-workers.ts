import { CANCELLED } from "../../future/task-state.ts"
import type { SharedWorkerTable } from "../../platform/memory/shared-worker-table.ts"
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

  /** How many workers have a task in hand and do not wait for others. */
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

  /** Whether there is something to do, and nobody who could: see compensation.ts. */
  get isToGrow(): boolean {
    return allWait(this.#workerTable, this.deques) && !this.store.isEmpty
  }

  /**
   * What workers have in hand, and what lies beneath that; a worker finds out when it forks or joins something, or is
   * done.
   */
  cancelRunning(): void {
    const tasks = this.#tasks
    for (const worker of this.#workerTable) {
      if (worker.currentSlot !== 0) tasks.leaveNew(worker.currentSlot, CANCELLED)
      for (const slot of tasks.linked(worker.below)) tasks.leaveNew(slot, CANCELLED)
    }
  }
}
