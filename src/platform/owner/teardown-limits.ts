import { TERMINATE_AFTER } from "../../thread/platform-threads.ts"
import { Timer } from "../../time/timer.ts"
import { TEARDOWN } from "../memory/workers/worker-line.ts"
import type { WorkerBody } from "../start/thread-body.ts"

/** Limits the time that threads have to run their modules of `teardown`: see platform/memory/workers/teardowns.ts. */
export class TeardownLimits {
  readonly #end: (body: WorkerBody, ms: number) => void
  /** The threads that have such modules, and live. */
  readonly #bodies = new Set<WorkerBody>()
  readonly #timers = new Map<WorkerBody, Timer>()

  /** `end` is called when the time of a thread is up, unless it has ended. */
  constructor(end: (body: WorkerBody, ms: number) => void) {
    this.#end = end
  }

  add(body: WorkerBody): void {
    if (body.options.teardown !== undefined) this.#bodies.add(body)
  }

  /** A thread rings when it begins. */
  look(): void {
    for (const body of this.#bodies) {
      if (body.worker.status !== TEARDOWN || this.#timers.has(body)) continue
      const ms = body.options.terminateAfter ?? TERMINATE_AFTER
      this.#timers.set(body, new Timer(Math.max(ms, 0), true, () => this.#end(body, ms)))
    }
  }

  /** The thread has ended. */
  delete(body: WorkerBody): void {
    this.#timers.get(body)?.cancel()
    this.#timers.delete(body)
    this.#bodies.delete(body)
  }
}
