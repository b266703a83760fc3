import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import type { TaskRecords } from "../memory/task-records.ts"
import { UNCOUNTING } from "../memory/workers/worker-line.ts"

/**
 * What a worker had when it died, read from its line in the worker table before that is cleared. The owner of the pool
 * settles it.
 *
 * Each run of a task must be counted as completed once, at whatever step the worker has died:
 *
 *     TASK, not delivered                 it fails, and is counted
 *     TASK, delivered, not yet counted    it is counted: COMPLETED is what it was when the worker got the task
 *     RETURNS, not yet counted            a run of a periodic task is over: it is counted, and the task goes back into
 *                                         the queue
 *     neither                             all is counted
 */
export class DeadWorker {
  readonly token: number
  readonly task: number
  /** Whether the worker was counted among those that wait for a hand-over. */
  readonly waited: boolean
  /** Whether the worker was about to leave, and it is not known whether it is still counted. */
  readonly isUncounting: boolean
  readonly #claimed: number
  readonly #returning: number
  readonly #hasCounted: boolean

  constructor(worker: SharedWorker) {
    this.token = worker.token
    this.task = worker.currentSlot
    this.waited = worker.waits
    this.isUncounting = worker.status === UNCOUNTING
    this.#claimed = worker.claimed
    this.#returning = worker.returning
    this.#hasCounted = worker.hasCounted
  }

  /** The tasks that fail because of the death. `isUndelivered` says whether TASK is one of them. */
  heldTasks(worker: SharedWorker, tasks: TaskRecords, isUndelivered: () => boolean): Set<number> {
    // A task that is moving from one of these lists to the other may be in both for a moment.
    const heldTasks = new Set([...tasks.linked(worker.below), ...tasks.linked(worker.beside)])
    if (this.task !== 0 && isUndelivered()) heldTasks.add(this.task)
    return heldTasks
  }

  /** How many tasks the worker has had and not counted, `heldTasks` among them. */
  uncounted(heldTasks: ReadonlySet<number>): number {
    const isAnyOver = this.task === 0 ? this.#returning !== 0 : !heldTasks.has(this.task)
    return heldTasks.size + (isAnyOver && !this.#hasCounted ? 1 : 0)
  }

  /** The slot that must be in the queue, unless it is there already or another thread has it; 0 if there is none. */
  get toRestore(): number {
    // If the worker has a TASK, the claim is for a task that it was about to run inside of that.
    if (this.task !== 0) return this.#claimed === this.task ? 0 : this.#claimed
    return this.#returning || this.#claimed
  }
}
