import { ThreadDeathError } from "../../errors.ts"
import { CANCELLED, COMPLETING } from "../../future/task-state.ts"
import { atLeast, STOP } from "../../core/control-word.ts"
import { fail, settleAsFailed } from "./failure.ts"
import { HEADER } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/**
 * Settles tasks that a thread which is no worker has taken out of the queue (taker.ts), if that thread has died or the
 * pool has terminated first. The submitter of each task does so, in its own thread.
 */
export class TakenTasks {
  readonly #memory: PoolMemory
  readonly #tasks: TaskRecords
  #deathsSeen = 0

  constructor(memory: PoolMemory, tasks: TaskRecords) {
    this.#memory = memory
    this.#tasks = tasks
  }

  /** Whether threads have died since this was last asked, and may have had tasks. */
  get isWorthALook(): boolean {
    const { deaths } = this.#memory.threadContext.registry
    if (deaths === this.#deathsSeen) return false
    this.#deathsSeen = deaths
    return this.#memory.header(HEADER.TAKES) !== 0
  }

  /**
   * Whether a dead thread had the task, which then never arrives in the completion queue of its submitter and is
   * settled here. Ask only when the completion queue is empty.
   */
  settleIfLost(slot: number): boolean {
    const taker = this.#tasks.takerOf(slot)
    if (taker === 0 || this.#memory.threadContext.registry.isAlive(taker)) return false
    if (atLeast(this.#memory.state.control.snapshot, STOP)) this.#tasks.leaveNew(slot, CANCELLED)
    const died = new ThreadDeathError("The thread that had taken the task out of the queue has ended")
    if (!fail(this.#tasks, slot, died) && this.#tasks.stateOf(slot) === COMPLETING) {
      settleAsFailed(this.#tasks, slot, died) // the thread died while it wrote the outcome
    }
    return true
  }

  /**
   * The pool has terminated. True if the task is cancelled by now. Otherwise the task is over, and on its way to the
   * completion queue if a living thread that is no worker has it. All workers have left: {@link settleIfLeft} settles
   * what one of them has not delivered.
   */
  cancel(slot: number): boolean {
    this.#tasks.leaveNew(slot, CANCELLED)
    return this.#tasks.stateOf(slot) >= CANCELLED
  }

  /**
   * The pool has terminated, and the task is over but has not arrived. True if no thread is left that could deliver it.
   */
  settleIfLeft(slot: number): boolean {
    const taker = this.#tasks.takerOf(slot)
    if (taker !== 0 && this.#memory.threadContext.registry.isAlive(taker)) return false
    if (this.#tasks.stateOf(slot) === COMPLETING) {
      settleAsFailed(this.#tasks, slot, new ThreadDeathError("The thread that ran the task has ended"))
    }
    return true
  }
}
