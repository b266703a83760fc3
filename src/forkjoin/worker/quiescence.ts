import { load, read, store } from "#atomics"
import type { CompletionQueues } from "../../platform/memory/completion-queues.ts"
import { HEADER } from "../../platform/memory/layout.ts"
import type { PoolMemory } from "../../platform/memory/pool-memory.ts"
import type { SharedWorkerTable } from "../../platform/memory/workers/shared-worker-table.ts"
import type { SharedWorker } from "../../platform/memory/workers/shared-worker.ts"
import { atLeast, TERMINATED } from "../../core/control-word.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"
import type { StealingStore } from "../../platform/queue/stealing-store.ts"

/** The word SETTLES of a worker: odd while it settles what thieves have finished, perhaps with no task in hand. */
export class Settling {
  readonly #words: Int32Array
  readonly #at: number
  #depth = 0

  /**
   * For the worker with this number and this completion queue. The worker that had its place before may have died with
   * SETTLES odd.
   */
  constructor(deques: Deques, worker: number, completionQueue: number) {
    this.#words = deques.words
    this.#at = deques.placeOf(worker) + PLACE.SETTLES
    deques.store(worker, PLACE.COMPLETION_QUEUE, completionQueue)
    store(this.#words, this.#at, (load(this.#words, this.#at) + 1) & ~1)
  }

  /** Call before the worker takes anything out of its completion queue, or the ring. */
  begin(): void {
    this.#depth++
    if (!this.#isOn) this.#count()
  }

  /** `isMore` if something was taken out and cannot be settled yet. True if all is settled now. */
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
 * Whether a ForkJoinPool is quiescent: no task waits, and no worker runs one. Any thread may ask. True means that the
 * pool was quiescent at some moment between question and answer.
 *
 * A task is always in one of these places; while it moves from one to the next, it is in both:
 *
 *     the ring, a deque       it waits
 *     CLAIM                   a worker is about to take it out
 *     TASK, BESIDE            a worker runs it
 *     a completion queue      a thief has run it, and the worker that forked it has not looked yet
 *     SETTLES is odd          that worker looks: completers go on, and fork further parts
 *     REAPS is odd            the owner of the pool finds a place for the tasks of a dead worker
 *
 * No thread can look at all of them at once. So the asking thread counts, looks at all places in the order in which a
 * task passes them, and counts again. It counts completed tasks, and how often SETTLES and REAPS have changed. A place
 * that it finds free, but that was not free at the first count, became free in between; the thread that freed it
 * increased the count first, after all other work for the task. So if both counts are equal, all places were free at
 * the first one. Otherwise the pool has made progress, and the asking thread looks again.
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

  /** A completion queue is emptied only while SETTLES is odd, so SETTLES is read last. */
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

  /** Each part only grows, so equal sums mean equal parts. */
  get #count(): number {
    let count = this.#memory.state.completed.value + this.#workerTable.completed + this.#memory.header(HEADER.REAPS)
    const places = Math.min(this.#memory.header(HEADER.WORKERS), this.#deques.count)
    for (let worker = 1; worker <= places; worker++) count += this.#deques.load(worker, PLACE.SETTLES)
    return count
  }
}
