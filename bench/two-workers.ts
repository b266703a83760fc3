/** Two worker threads that do something at the same time, again and again. The process that has them is killed at the end. */
import { Worker } from "node:worker_threads"

export interface Job {
  readonly work: string
  /** What they share, by name. */
  readonly shared: Record<string, unknown>
  readonly turns: number
}

export class TwoWorkers {
  readonly #workers: Worker[]
  #pending = 0
  #done: () => void = () => undefined

  constructor(module: URL) {
    this.#workers = [0, 1].map((number) => {
      const worker = new Worker(module, { workerData: number })
      worker.on("message", () => {
        if (--this.#pending === 0) this.#done()
      })
      return worker
    })
  }

  /** Settles when both are done. */
  run(job: Job): Promise<void> {
    return new Promise((resolve) => {
      this.#pending = this.#workers.length
      this.#done = resolve
      for (const worker of this.#workers) worker.postMessage(job)
    })
  }
}
