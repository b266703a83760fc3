import { heapInUse } from "#host/threads/memory-guard"
import type { Recycling } from "../../thread/platform-threads.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"

const MB = 2 ** 20

/** Says when a thread is to be replaced: after so many tasks, or when so much of its heap is in use. */
export class Wear {
  readonly #self: SharedWorker
  readonly #last: number
  readonly #heap: number

  /** From the tasks that the worker has completed by now, those before it in its line included. */
  constructor(self: SharedWorker, { tasks = Infinity, heapMB = Infinity }: Recycling) {
    this.#self = self
    this.#last = self.completed + tasks
    this.#heap = heapMB * MB
  }

  get isSpent(): boolean {
    return this.#self.completed >= this.#last || (this.#heap < Infinity && heapInUse() > this.#heap)
  }
}
