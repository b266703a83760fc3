import { load, store } from "#atomics"
import { LINE } from "../../memory/layout.ts"
import { BASE, COMPLETION_QUEUE, HEADER } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/**
 * A thread that takes tasks out of the queue though it is no worker: by `shutdownNow`, by the methods of `pool.queue`,
 * by `remove`, or because a policy discards the oldest task. The thread may die at any step of that, and the task must
 * not be lost with it.
 *
 *     CLAIM    of the thread's box: the slot that it is about to take, written before the slot leaves the queue
 *     TAKEN    of TASK.BOX, with the thread's token in TASK.LINK: written after that. The task is the thread's from then on, until
 *              the thread has put it into its submitter's box
 *
 * If the thread dies with a CLAIM that is in no other hands, the owner of the pool puts the task back, or cancels it if
 * the pool has stopped (endings.ts). If it dies with a task that is TAKEN, the submitter of that task settles it
 * (submissions.ts): the submitter alone empties its box, so it alone can tell that the task has not come and never
 * will.
 */
export class Taker {
  /** The index of the thread's CLAIM. */
  readonly claim: number
  readonly #memory: PoolMemory
  readonly #tasks: TaskRecords

  /** `box` is the number of this thread's box. */
  constructor(memory: PoolMemory, tasks: TaskRecords, completionQueue: number) {
    this.#memory = memory
    this.#tasks = tasks
    this.claim = BASE.COMPLETION_QUEUES + completionQueue * LINE + COMPLETION_QUEUE.CLAIM
  }

  /** This thread has claimed the slot, and has just taken it out of the queue; 0 if there was none. */
  hold(slot: number): number {
    const { words, threadContext } = this.#memory
    if (slot !== 0) {
      if (this.#memory.header(HEADER.TAKES) === 0) this.#memory.setHeader(HEADER.TAKES, 1)
      this.#tasks.noteTaker(slot, threadContext.token)
    }
    if (load(words, this.claim) !== 0) store(words, this.claim, 0)
    return slot
  }

  /** Takes this very slot by `remove`, which tells whether it was in the queue. */
  holdRemoved(slot: number, remove: (slot: number) => boolean): boolean {
    store(this.#memory.words, this.claim, slot)
    return this.hold(remove(slot) ? slot : 0) !== 0
  }
}
