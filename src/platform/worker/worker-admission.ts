import type { Admission } from "../../core/pool-host.ts"
import { mayEnd } from "../memory/workers/endings.ts"
import { HEADER } from "../memory/layout.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import { hasIdleWorkers } from "../queue/idle-workers.ts"
import type { SlotQueue } from "../queue/slot-queue.ts"
import type { WorkerContext } from "./worker-context.ts"

/** What a worker leaves to the owner of its pool: to make another worker, and to end the pool. */
export class WorkerAdmission implements Admission<number> {
  readonly #context: WorkerContext
  readonly #queue: SlotQueue

  constructor(context: WorkerContext, queue: SlotQueue) {
    this.#context = context
    this.#queue = queue
  }

  readonly hasIdleWorkers = (): boolean => {
    const { memory, tasks, workerTable } = this.#context
    return hasIdleWorkers(this.#queue, workerTable, tasks, memory.state.control)
  }

  enlist(firstTask: number | undefined): SharedWorker | undefined {
    return this.#context.workerTable.enlist(firstTask)
  }

  /** There was no room. */
  newWorker(): undefined {
    return undefined
  }

  mayEnd(isEmpty: boolean): boolean {
    return mayEnd(this.#context.memory, isEmpty)
  }

  endPool(): void {
    const { memory, self } = this.#context
    memory.setHeader(HEADER.LAST, self.number)
    memory.ringOwner()
  }
}
