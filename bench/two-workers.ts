/** Two worker threads that do something at the same time, again and again. */
import { Worker } from "node:worker_threads"

export interface Job {
  readonly work: string
  /** What they share, by name. */
  readonly shared: Record<string, unknown>
  readonly turns: number
}

export class TwoWorkers {
  readonly #workers: Worker[]

  constructor(module: URL) {
    this.#workers = [0, 1].map((number) => new Worker(module, { workerData: number }))
    for (const worker of this.#workers) worker.unref()
  }

  /** Settles when both are done. */
  async run(job: Job): Promise<void> {
    const done = this.#workers.map(
      (worker) =>
        new Promise<void>((resolve, reject) => {
          worker.once("message", resolve)
          worker.once("error", reject)
        }),
    )
    for (const worker of this.#workers) worker.postMessage(job)
    await Promise.all(done)
    for (const worker of this.#workers) worker.removeAllListeners()
  }
}
