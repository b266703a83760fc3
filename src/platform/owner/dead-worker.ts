import type { SharedWorker } from "../memory/shared-worker.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/**
 * What a worker had when it died, as its line in the roster tells: read at once, before that is cleared. What has to be
 * done with it is for the owner of the pool.
 *
 * How many of its tasks are to be counted as completed, so that each run is counted once, at whatever step the worker
 * has died:
 *
 *     TASK in hand, not delivered                 it fails, and is counted
 *     TASK in hand, delivered, not yet counted    it is counted: COMPLETED is what it was when the worker got the task
 *     RETURNS, not yet counted                    a run of a periodic task is over: it is counted, and the task goes back into the queue
 *     neither                                     all is counted
 */
export class DeadWorker {
  readonly token: number
  readonly task: number
  /** Whether it counted among those that wait for a task to be handed over. */
  readonly waited: boolean
  readonly #claimed: number
  readonly #returning: number
  readonly #hasCounted: boolean

  constructor(worker: SharedWorker) {
    this.token = worker.token
    this.task = worker.currentSlot
    this.waited = worker.waits
    this.#claimed = worker.claimed
    this.#returning = worker.returning
    this.#hasCounted = worker.hasCounted
  }

  /** The tasks that are over because of its death. `isUndelivered` says whether TASK is one of them. */
  heldTasks(worker: SharedWorker, tasks: TaskRecords, isUndelivered: () => boolean): Set<number> {
    // One may be in two of these places for a moment, on its way from one to the other.
    const heldTasks = new Set([...tasks.linked(worker.below), ...tasks.linked(worker.beside)])
    if (this.task !== 0 && isUndelivered()) heldTasks.add(this.task)
    return heldTasks
  }

  /** How many tasks it has had and not counted, those in hand among them. */
  uncounted(heldTasks: ReadonlySet<number>): number {
    const isAnyOver = this.task === 0 ? this.#returning !== 0 : !heldTasks.has(this.task)
    return heldTasks.size + (isAnyOver && !this.#hasCounted ? 1 : 0)
  }

  /** The slot that is to be in the queue, unless it is in other hands, or there already; 0 if there is none. */
  get toRestore(): number {
    // If it has a task in hand, then the claim is for one that it was about to run in the midst of it.
    if (this.task !== 0) return this.#claimed === this.task ? 0 : this.#claimed
    return this.#returning || this.#claimed
  }
}
