/**
 * The control word of a ThreadPoolExecutor: run state, pause and worker count in one Int32, so that a single
 * compare-and-set decides on all three, and a worker reads them at once.
 *
 *     31 30 29 |   28  | 27 ......... 0       RUNNING  -> SHUTDOWN     shutdown()
 *     run state| PAUSED|  worker count        RUNNING  -> STOP         shutdownNow()
 *                                             SHUTDOWN -> STOP         shutdownNow()
 * The run state only grows; it need not       SHUTDOWN -> TIDYING      queue and pool empty
 * visit every value.                          STOP     -> TIDYING      pool empty
 *                                             TIDYING  -> TERMINATED   terminated() has returned or thrown
 *
 * PAUSED is set by pause() and cleared by resume(). In a pool that has stopped it
 * says that the pool was paused when it was stopped.
 *
 * Why one word: with two, a worker could be admitted between the check of the state and the increment of the count, and
 * termination would not wait for it.
 */
import { compareAndSet, load, store } from "#atomics"

/** The most workers a pool can have. A larger limit has the same effect. */
export const MOST_WORKERS = 0x0fff_ffff

const PAUSED = 0x1000_0000

/** Accepts tasks and runs what is queued. */
const RUNNING = -0x2000_0000
/** Accepts nothing, runs what is queued. */
export const SHUTDOWN: number = 0
/** Accepts nothing, starts no queued task, interrupts running tasks. */
export const STOP: number = 0x2000_0000
/** No workers left; `terminated()` runs. */
export const TIDYING: number = 0x4000_0000
/** `terminated()` is over. */
export const TERMINATED: number = 0x6000_0000

/** A value of the word, read once, so that state and count belong together. */
export type Snapshot = number

/** Compares without taking the word apart: the state is in the highest bits, so words are ordered as their states. */
export function atLeast(seen: Snapshot, state: number): boolean {
  return seen >= state
}

/** Whether no worker may begin a task until the pool is resumed. */
export function isPaused(seen: Snapshot): boolean {
  return (seen & PAUSED) !== 0 && seen < STOP
}

/** Whether no worker may begin a task ever: the pool was stopped while it was paused. */
export function hasStoppedPaused(seen: Snapshot): boolean {
  return (seen & PAUSED) !== 0 && seen >= STOP
}

export function countIn(seen: Snapshot): number {
  return seen & MOST_WORKERS
}

/** The control word of a pool. It changes only through the transitions below. */
export abstract class Control {
  abstract readonly snapshot: Snapshot

  /** Writes the next value, unless the word is no longer what the caller decided on. */
  protected abstract replace(seen: Snapshot, next: Snapshot): boolean

  get isRunning(): boolean {
    return this.snapshot < SHUTDOWN
  }

  get workerCount(): number {
    return this.snapshot & MOST_WORKERS
  }

  /** Counts one more worker, unless the word is no longer what the caller decided on. */
  tryAddWorker(seen: Snapshot): boolean {
    return this.replace(seen, seen + 1)
  }

  /** Counts one worker less, unless the word is no longer what the caller decided on. */
  tryRemoveWorker(seen: Snapshot): boolean {
    return this.replace(seen, seen - 1)
  }

  removeWorker(): void {
    while (!this.tryRemoveWorker(this.snapshot));
  }

  /** Sets the count, unless the word is no longer what the caller decided on. */
  tryCount(seen: Snapshot, count: number): boolean {
    return this.replace(seen, (seen & ~MOST_WORKERS) | count)
  }

  /**
   * -> SHUTDOWN or STOP, unless the state is there or beyond already; the count stays, and so does the pause.
   * -> TERMINATED, if all threads of the pool have died together and therefore have not counted themselves down.
   */
  advanceTo(state: number): void {
    for (;;) {
      const seen = this.snapshot
      if (atLeast(seen, state)) return
      // { state, paused, count }
      if (this.replace(seen, state | (seen & (MOST_WORKERS | PAUSED)))) return
    }
  }

  /** Sets or clears PAUSED; false if it is so already, or the pool has stopped. */
  setPaused(paused: boolean): boolean {
    for (;;) {
      const seen = this.snapshot
      if (isPaused(seen) === paused || atLeast(seen, STOP)) return false
      if (this.replace(seen, seen ^ PAUSED)) return true
    }
  }

  /**
   * { SHUTDOWN | STOP, count: 0 } -> { TIDYING, count: 0 }. True for one caller only, which then calls `terminated()`.
   */
  tryTidy(seen: Snapshot): boolean {
    return this.replace(seen, TIDYING)
  }

  /** TIDYING -> TERMINATED, by the caller that won `tryTidy`. */
  abstract terminate(): void
}

/** A control word in memory that threads share. Any thread may write it. */
export class ControlWord extends Control {
  readonly #words: Int32Array
  readonly #index: number

  constructor(words: Int32Array, index: number) {
    super()
    this.#words = words
    this.#index = index
  }

  /** -> { RUNNING, count: 0 }. Called by the thread that made the block, before other threads see it. */
  initialize(): void {
    store(this.#words, this.#index, RUNNING)
  }

  get snapshot(): Snapshot {
    return load(this.#words, this.#index)
  }

  protected replace(seen: Snapshot, next: Snapshot): boolean {
    return compareAndSet(this.#words, this.#index, seen, next)
  }

  terminate(): void {
    store(this.#words, this.#index, TERMINATED)
  }
}

/**
 * The control word of a pool whose threads are flows of one event loop: nothing changes between two steps of a flow.
 */
export class LocalControl extends Control {
  snapshot: Snapshot = RUNNING

  protected replace(_seen: Snapshot, next: Snapshot): boolean {
    this.snapshot = next
    return true
  }

  terminate(): void {
    this.snapshot = TERMINATED
  }
}
