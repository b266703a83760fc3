import { load, store } from "#atomics"
import { LINE } from "../../memory/layout.ts"
import { BASE, COMPLETION_QUEUE, HEADER } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/**
 * Takes tasks out of the queue for a thread that is no worker: for `shutdownNow`, the methods of `pool.queue`,
 * `remove`, or a policy that discards the oldest task. The thread may die at any step, and the task must not be lost
 * with it.
 *
 *     CLAIM    of the thread's completion queue: the slot that the thread is about to take, written before the slot
 *              leaves the queue
 *     TAKEN    of TASK.COMPLETION_QUEUE, with the thread's token in TASK.LINK: written after that. From then on the
 *              task is the thread's, until the thread has put it into the completion queue of its submitter
 *
 * If the thread dies with a CLAIM on a slot that no other thread has, the owner of the pool puts the task back, or
 * cancels it if the pool has stopped (endings.ts). If the thread dies with a task that is TAKEN, the submitter of that
 * task settles it (submissions.ts). Only the submitter empties its completion queue, so only the submitter can tell
 * that the task has not come and never will.
 */
export class Taker {
  /** The index of the thread's CLAIM. */
  readonly claim: number
  readonly #memory: PoolMemory
  readonly #tasks: TaskRecords

  /** `completionQueue` is the number of this thread's completion queue. */
  constructor(memory: PoolMemory, tasks: TaskRecords, completionQueue: number) {
    this.#memory = memory
    this.#tasks = tasks
    this.claim = BASE.COMPLETION_QUEUES + completionQueue * LINE + COMPLETION_QUEUE.CLAIM
  }

  /** This thread has claimed the slot and has just taken it out of the queue; 0 if there was none. */
  hold(slot: number): number {
    const { words, threadContext } = this.#memory
    if (slot !== 0) {
      if (this.#memory.header(HEADER.TAKES) === 0) this.#memory.setHeader(HEADER.TAKES, 1)
      this.#tasks.noteTaker(slot, threadContext.token)
    }
    if (load(words, this.claim) !== 0) store(words, this.claim, 0)
    return slot
  }

  /** Takes exactly this slot by `remove`, which returns whether the slot was in the queue. */
  holdRemoved(slot: number, remove: (slot: number) => boolean): boolean {
    store(this.#memory.words, this.claim, slot)
    return this.hold(remove(slot) ? slot : 0) !== 0
  }
}
