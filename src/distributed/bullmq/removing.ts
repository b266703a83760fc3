/**
 * Takes jobs out of a queue. The jobs that are removed in one turn of the event loop go to the server together:
 * a statement for each costs the server more than the removal, and `shutdownNow` and programs that cancel much remove
 * thousands. Whether a job was removed is decided, and answered, for each by itself.
 */
import { runtime } from "#host/runtime/clock"

/** How many jobs go together at most. A server does nothing else meanwhile, if it is Redis. */
const TOGETHER = 500

interface Removal {
  readonly jobId: string
  readonly answer: (isRemoved: boolean) => void
  readonly fail: (error: unknown) => void
}

export class Removing {
  readonly #remove: (jobIds: readonly string[]) => Promise<readonly string[]>
  #waiting: Removal[] = []

  /** `remove` gives the ids of those that were removed. */
  constructor(remove: (jobIds: readonly string[]) => Promise<readonly string[]>) {
    this.#remove = remove
  }

  remove(jobId: string): Promise<boolean> {
    return new Promise((answer, fail) => {
      this.#waiting.push({ jobId, answer, fail })
      if (this.#waiting.length === 1) runtime.microtask(() => this.#send())
    })
  }

  #send(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (let start = 0; start < waiting.length; start += TOGETHER)
      void this.#together(waiting.slice(start, start + TOGETHER))
  }

  async #together(removals: readonly Removal[]): Promise<void> {
    try {
      const removed = new Set(await this.#remove(removals.map(({ jobId }) => jobId)))
      // Of several that remove the same job, the first one has done so.
      for (const { jobId, answer } of removals) answer(removed.delete(jobId))
    } catch (error) {
      for (const { fail } of removals) fail(error)
    }
  }
}
