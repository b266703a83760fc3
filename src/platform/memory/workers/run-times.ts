import { sharedNow } from "../../../time/shared-clock.ts"
import { MEASURED, OBSERVED, TIMED } from "../layout.ts"
import type { PoolMemory } from "../pool-memory.ts"
import type { TaskRecords } from "../task-records.ts"
import type { WorkerEvents } from "./worker-events.ts"

/**
 * Notes when tasks begin and end, in the thread that runs them: for time limits, for the statistics of the pool, and
 * for listeners.
 */
export class RunTimes {
  readonly #memory: PoolMemory
  readonly #tasks: TaskRecords
  readonly #events: WorkerEvents

  constructor(memory: PoolMemory, tasks: TaskRecords, events: WorkerEvents) {
    this.#memory = memory
    this.#tasks = tasks
    this.#events = events
  }

  /** The task begins; `hasTime` if it was not to run at once but at a time. Only otherwise its wait is recorded. */
  noteStart(slot: number, hasTime: boolean): void {
    const tasks = this.#tasks
    if (!tasks.hasFlag(slot, TIMED | MEASURED | OBSERVED)) return
    const time = sharedNow()
    tasks.noteStart(slot, time)
    if (!hasTime && tasks.hasFlag(slot, MEASURED)) this.#memory.times.wait.record(time - tasks.submissionOf(slot))
    if (tasks.hasFlag(slot, OBSERVED)) this.#events.began(slot, tasks, hasTime)
  }

  /** The task has ended. */
  noteEnd(slot: number): void {
    const tasks = this.#tasks
    if (!tasks.hasFlag(slot, MEASURED | OBSERVED)) return
    const start = tasks.hasFlag(slot, MEASURED) ? tasks.startOf(slot) : 0
    if (start !== 0) this.#memory.times.run.record(sharedNow() - start)
    if (tasks.hasFlag(slot, OBSERVED)) this.#events.ended(slot, tasks)
  }
}
