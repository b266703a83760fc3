import { load, read, store } from "#atomics"
import type { CompletionQueues } from "../../platform/memory/completion-queues.ts"
import { HEADER } from "../../platform/memory/layout.ts"
import type { PoolMemory } from "../../platform/memory/pool-memory.ts"
import type { SharedWorkerTable } from "../../platform/memory/shared-worker-table.ts"
import type { SharedWorker } from "../../platform/memory/shared-worker.ts"
import { atLeast, TERMINATED } from "../../core/control-word.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"
import type { StealingStore } from "../../platform/queue/stealing-store.ts"

/** What a worker says while it settles what thieves have finished, though it may have no task in hand. */
export class Settling {
  readonly #words: Int32Array
  readonly #at: number
  #depth = 0

  /**
   * For the worker with this number, which hears of its thieves in this box. The one before it may have died in the
   * midst of this.
   */
  constructor(deques: Deques, worker: number, completionQueue: number) {
    this.#words = deques.words
    this.#at = deques.placeOf(worker) + PLACE.SETTLES
    deques.store(worker, PLACE.COMPLETION_QUEUE, completionQueue)
    store(this.#words, this.#at, (load(this.#words, this.#at) + 1) & ~1)
  }

  /** Before the worker takes anything out of the box, or the ring. */
  begin(): void {
    this.#depth++
    if (!this.#isOn) this.#count()
  }

  /** `isMore` if something has been taken out and cannot be settled yet. True if all is settled now. */
  end(isMore = false): boolean {
    if (--this.#depth > 0 || isMore) return false
    this.#count()
    return true
  }

  get #isOn(): boolean {
    return (read(this.#words, this.#at) & 1) === 1
  }

  #count(): void {
    store(this.#words, this.#at, (read(this.#words, this.#at) + 1) | 0)
  }
}

/**
 * Whether a ForkJoinPool is quiescent: nothing waits, and no thread works for it. Any thread may ask, and is told of a
 * moment that there has been, between its question and the answer.
 *
 * A task is always in one of these places, and on its way from one to the next for a moment in both:
 *
 *     the ring, a deque       it waits
 *     CLAIM                   a worker is about to take it out
 *     TASK, BESIDE            a worker runs it
 *     the box of a worker     a thief has run it, and the worker that has forked it has not looked yet
 *     SETTLES is odd          that worker looks: completers go on, and fork further parts
 *     REAPS is odd          the owner of the pool finds a place for what a dead worker had
 *
 * No thread can look at all of them at once. So the thread that asks counts, looks at all, in the order of a task's
 * way, and counts again: completed tasks, and how often SETTLES and REAPS have changed. A place that is found free and
 * was not at the first count has become free since; its thread counts before it frees the place, and after all that it
 * has done for the task. So if both counts are the same, all places were free at the first one. Otherwise the pool has
 * got on, and it is looked at again.
 */
export class Quiescence {
  readonly #memory: PoolMemory
  readonly #workerTable: SharedWorkerTable
  readonly #completionQueues: CompletionQueues
  readonly #store: StealingStore
  readonly #deques: Deques

  constructor(
    memory: PoolMemory,
    workerTable: SharedWorkerTable,
    completionQueues: CompletionQueues,
    stealing: StealingStore,
  ) {
    this.#memory = memory
    this.#workerTable = workerTable
    this.#completionQueues = completionQueues
    this.#store = stealing
    this.#deques = stealing.deques
  }

  get isReached(): boolean {
    if (atLeast(this.#memory.state.control.snapshot, TERMINATED)) return true
    for (;;) {
      if (!this.#store.isEmpty) return false
      const count = this.#count
      if (!this.#store.isEmpty || this.#isAnyBusy) return false
      if (this.#count === count) return true
    }
  }

  get #isAnyBusy(): boolean {
    for (const worker of this.#workerTable) if (this.#isBusy(worker)) return true
    return this.#memory.header(HEADER.REAPS) % 2 !== 0
  }

  /** A box is emptied only while SETTLES is odd, so that is looked at last. */
  #isBusy(worker: SharedWorker): boolean {
    if (worker.claimed !== 0 || worker.isBusy || worker.beside !== 0) return true
    const { number } = worker
    if (number > this.#deques.count) return false
    const completionQueue = this.#deques.load(number, PLACE.COMPLETION_QUEUE)
    if (
      completionQueue !== 0 &&
      this.#completionQueues.isOf(completionQueue, worker.token) &&
      !this.#completionQueues.isEmpty(completionQueue)
    )
      return true
    return this.#deques.load(number, PLACE.SETTLES) % 2 !== 0
  }

  /** Each part only ever grows, so the sum is the same only if each part is. */
  get #count(): number {
    let count = this.#memory.state.completed.value + this.#workerTable.completed + this.#memory.header(HEADER.REAPS)
    const places = Math.min(this.#memory.header(HEADER.WORKERS), this.#deques.count)
    for (let worker = 1; worker <= places; worker++) count += this.#deques.load(worker, PLACE.SETTLES)
    return count
  }
}
