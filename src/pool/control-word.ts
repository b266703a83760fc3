/**
 * The control word of a ThreadPoolExecutor: run state and worker count in one Int32, so that a single compare-and-set
 * decides on both.
 *
 *     31 30 29 | 28 ................ 0        RUNNING  -> SHUTDOWN     shutdown()
 *     run state|     worker count             RUNNING  -> STOP         shutdownNow()
 *                                             SHUTDOWN -> STOP         shutdownNow()
 * The run state only grows; it need not       SHUTDOWN -> TIDYING      queue and pool empty
 * visit every value.                          STOP     -> TIDYING      pool empty
 *                                             TIDYING  -> TERMINATED   terminated() has returned or thrown
 *
 * Why one word: with two, a worker could be admitted between the check of the state and the increment of the count, and
 * nobody would wait for it.
 */
import { compareAndSet, load, read, store } from "#atomics"

const COUNT_BITS = 29

/** The most workers a pool can have; larger limits mean this one. */
export const MOST_WORKERS: number = (1 << COUNT_BITS) - 1

/** Accepts tasks and runs what is queued. */
const RUNNING = -1 << COUNT_BITS
/** Accepts nothing, runs what is queued. */
export const SHUTDOWN: number = 0 << COUNT_BITS
/** Accepts nothing, runs nothing, interrupts what runs. */
export const STOP: number = 1 << COUNT_BITS
/** No workers left; `terminated()` runs. */
export const TIDYING: number = 2 << COUNT_BITS
/** `terminated()` is over. */
export const TERMINATED: number = 3 << COUNT_BITS

/** A value of the word, read once: state and count belong together. */
export type Snapshot = number

/** Compares without taking the word apart: the state is in the highest bits, so order of words is order of states. */
export function atLeast(seen: Snapshot, state: number): boolean {
  return seen >= state
}

export function countIn(seen: Snapshot): number {
  return seen & MOST_WORKERS
}

/** Written by any thread, only through the transitions below. */
export class ControlWord {
  readonly #words: Int32Array
  readonly #index: number
  readonly #isShared: boolean

  constructor(words: Int32Array, index: number, isShared = true) {
    this.#words = words
    this.#index = index
    this.#isShared = isShared
  }

  /** -> { RUNNING, count: 0 }: by whoever made the block, before anybody else sees it. */
  initialize(): void {
    store(this.#words, this.#index, RUNNING)
  }

  /** Read several times for each task: so plainly, which is much cheaper, if there are no other threads. */
  get snapshot(): Snapshot {
    return this.#isShared ? load(this.#words, this.#index) : read(this.#words, this.#index)
  }

  get isRunning(): boolean {
    return this.snapshot < SHUTDOWN
  }

  get workerCount(): number {
    return countIn(this.snapshot)
  }

  /** Counts one more worker, unless the word is no longer what the caller decided on. */
  tryAddWorker(seen: Snapshot): boolean {
    return compareAndSet(this.#words, this.#index, seen, seen + 1)
  }

  /** Counts one worker less, unless the word is no longer what the caller decided on. */
  tryRemoveWorker(seen: Snapshot): boolean {
    return compareAndSet(this.#words, this.#index, seen, seen - 1)
  }

  removeWorker(): void {
    while (!this.tryRemoveWorker(this.snapshot));
  }

  /**
   * -> SHUTDOWN or STOP, unless there or beyond already; the count stays. -> TERMINATED, if all threads of the pool have died
   * together, and so did not count down.
   */
  advanceTo(state: number): void {
    for (;;) {
      const seen = this.snapshot
      if (atLeast(seen, state)) return
      // { state, count }
      if (compareAndSet(this.#words, this.#index, seen, state | countIn(seen))) return
    }
  }

  /** { SHUTDOWN | STOP, count: 0 } -> { TIDYING, count: 0 }: true for the one who may call `terminated()`. */
  tryTidy(seen: Snapshot): boolean {
    return compareAndSet(this.#words, this.#index, seen, TIDYING)
  }

  /** TIDYING -> TERMINATED, by whoever won `tryTidy`. */
  terminate(): void {
    store(this.#words, this.#index, TERMINATED)
  }
}
