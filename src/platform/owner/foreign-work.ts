import type { CompletionQueues } from "../memory/completion-queues.ts"
import { HEADER } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { SlotQueue } from "../queue/slot-queue.ts"
import type { Submissions } from "../submit/submissions.ts"

/** The pool, as its owner has it. */
interface WatchedPool {
  readonly memory: PoolMemory
  readonly submissions: Submissions
  readonly waiting: SlotQueue
  readonly completionQueues: CompletionQueues
  isQuiet(): boolean
  activeCount(): number
  /** Whether the process stays alive until the pool has terminated. */
  isShuttingDown(): boolean
  /** The pool is quiescent, which this thread wanted to know. */
  quiescent(): void
}

/**
 * For the owner of a pool: keeps its process alive for tasks of other threads, and announces quiescence.
 * Both depend on what happens in other threads. So while the owner is interested, FOREIGN is set, and workers ring the
 * owner when they become idle.
 */
export class ForeignWork {
  readonly #pool: WatchedPool
  /** Whether this thread wants to know when the pool is quiescent. */
  #isWatched = false

  constructor(pool: WatchedPool) {
    this.#pool = pool
  }

  /** The process stays alive for tasks of guests. */
  review(): void {
    const { memory, submissions } = this.#pool
    while (memory.header(HEADER.FOREIGN) !== 0) {
      if (!this.#mayRest) {
        submissions.keepAlive(true)
        return
      }
      memory.setHeader(HEADER.FOREIGN, 0)
      if (this.#mayRest) {
        if (!this.#pool.isShuttingDown()) submissions.keepAlive(false)
        return
      }
      // A guest that saw FOREIGN set has submitted a task, which may be over by now on a worker that did not ring.
      memory.setHeader(HEADER.FOREIGN, 1)
    }
  }

  /** Whether the pool is quiescent, except that tasks of this thread may wait if some of them are unref'd. */
  get #mayRest(): boolean {
    const { submissions, waiting } = this.#pool
    if (this.#pool.isQuiet()) return true
    if (!submissions.hasUnheld || this.#pool.activeCount() > 0) return false
    return waiting.toArray().every((slot) => submissions.taskIn(slot) !== undefined)
  }

  /** From now on workers ring the owner when they go to sleep, and the process stays alive until all do. */
  watch(): boolean {
    this.#pool.submissions.look()
    this.#isWatched = true
    this.#pool.memory.setHeader(HEADER.FOREIGN, 1)
    this.review()
    this.announce()
    if (!this.#isWatched) this.review() // it may have become quiescent in between
    return !this.#isWatched
  }

  /** If the pool is quiescent, wakes the waits for that, here and in other threads. */
  announce(): void {
    const { memory } = this.#pool
    while (this.#isWatched || memory.header(HEADER.WATCHED) !== 0) {
      if (this.#pool.isQuiet()) {
        this.#isWatched = false
        if (memory.setHeader(HEADER.WATCHED, 0) !== 0) this.#pool.completionQueues.ringAll()
        this.#pool.quiescent()
        return
      }
      if (memory.setHeader(HEADER.FOREIGN, 1) !== 0) return // workers ring when they go to sleep
    }
  }
}
