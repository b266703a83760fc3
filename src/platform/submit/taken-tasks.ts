import { ThreadDeathError } from "../../errors.ts"
import { CANCELLED, COMPLETING } from "../../future/task-state.ts"
import { atLeast, STOP } from "../../core/control-word.ts"
import { fail, settleAsFailed } from "./failure.ts"
import { HEADER } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/**
 * Tasks that a thread which is no worker has taken out of the queue (taker.ts). If that thread dies, or the pool ends
 * first, the submitter of each task settles it, in its own thread, by the code of this file.
 */
export class TakenTasks {
  readonly #memory: PoolMemory
  readonly #tasks: TaskRecords
  #deathsSeen = 0

  constructor(memory: PoolMemory, tasks: TaskRecords) {
    this.#memory = memory
    this.#tasks = tasks
  }

  /** Whether threads have died since the last time, and there is a reason to look for what they had. */
  get isWorthALook(): boolean {
    const { deaths } = this.#memory.threadContext.registry
    if (deaths === this.#deathsSeen) return false
    this.#deathsSeen = deaths
    return this.#memory.header(HEADER.TAKES) !== 0
  }

  /**
   * Whether the task, which has not arrived in its submitter's box, was that of a thread that has died: then it never
   * will, and is settled here. Ask when the box is empty.
   */
  settleIfLost(slot: number): boolean {
    const taker = this.#tasks.takerOf(slot)
    if (taker === 0 || this.#memory.threadContext.registry.isAlive(taker)) return false
    if (atLeast(this.#memory.state.control.snapshot, STOP)) this.#tasks.leaveNew(slot, CANCELLED)
    const died = new ThreadDeathError("The thread that had taken the task out of the queue has ended")
    if (!fail(this.#tasks, slot, died) && this.#tasks.stateOf(slot) === COMPLETING) {
      settleAsFailed(this.#tasks, slot, died) // it died while it wrote the outcome down
    }
    return true
  }

  /**
   * The pool has ended. True if the task is cancelled by now. Otherwise it is over, and on its way to the box if a
   * living thread has it that is no worker. All workers have left: what one of them has not delivered is settled by
   * {@link settleIfLeft}.
   */
  cancel(slot: number): boolean {
    this.#tasks.leaveNew(slot, CANCELLED)
    return this.#tasks.stateOf(slot) >= CANCELLED
  }

  /** The pool has ended, and the task is over, but has not arrived. True if no thread is left that could deliver it. */
  settleIfLeft(slot: number): boolean {
    const taker = this.#tasks.takerOf(slot)
    if (taker !== 0 && this.#memory.threadContext.registry.isAlive(taker)) return false
    if (this.#tasks.stateOf(slot) === COMPLETING) {
      settleAsFailed(this.#tasks, slot, new ThreadDeathError("The thread that ran the task has ended"))
    }
    return true
  }
}
