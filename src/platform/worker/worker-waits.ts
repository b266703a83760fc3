import type { WaitedFor, WorkerObserver } from "../../observing.ts"
import { BLOCKED, isListening, UNBLOCKED, WAITS, type WorkerEvents } from "../memory/workers/worker-events.ts"
import type { WorkerContext } from "./worker-context.ts"

/** Writes the waits of the tasks of this worker thread into its ring. */
export class WorkerWaits implements WorkerObserver {
  readonly #events: WorkerEvents
  readonly #context: WorkerContext

  constructor(events: WorkerEvents, context: WorkerContext) {
    this.#events = events
    this.#context = context
  }

  blocked(_thread: object | undefined, what: WaitedFor): boolean {
    const { memory, self } = this.#context
    if (!isListening(memory) || self.hasLeft || self.task === undefined) return false
    this.#write(BLOCKED, what)
    return true
  }

  unblocked(_thread: object | undefined, what: WaitedFor): void {
    const { memory, self } = this.#context
    if (isListening(memory) && !self.hasLeft) this.#write(UNBLOCKED, what)
  }

  tracesRun(): void {
    const { memory, self, tasks } = this.#context
    if (isListening(memory) && self.task !== undefined) this.#events.noteTraced(tasks.handleOf(self.task))
  }

  #write(kind: number, what: WaitedFor): void {
    const { self, tasks } = this.#context
    this.#events.write(kind, self.task === undefined ? 0 : tasks.handleOf(self.task), WAITS.indexOf(what))
  }
}
