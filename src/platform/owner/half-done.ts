import { isPaused } from "../../core/control-word.ts"
import type { PoolCore } from "../../core/pool-core.ts"
import { guarded, type Report } from "../../memory/flow/guard.ts"
import { Timer } from "../../time/timer.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import { abandonedLines, freeAbandoned, recount } from "../memory/workers/recount.ts"
import type { SharedWorkerTable } from "../memory/workers/shared-worker-table.ts"
import type { SlotQueue } from "../queue/slot-queue.ts"
import type { WorkerThreads } from "./worker-threads.ts"

/** When the owner looks again, in ms, if it could not count the workers. */
const LOOK_AGAIN = 100

/** The pool, as its owner has it. */
interface MendedPool {
  readonly memory: PoolMemory
  readonly workerTable: SharedWorkerTable
  readonly core: PoolCore<number>
  readonly waiting: SlotQueue
  readonly workerThreads: Pick<WorkerThreads, "areSome" | "isRefused">
  /** Fails the first task of a worker that will not come. */
  fail(slot: number): void
  report: Report
}

/**
 * For the owner of a pool: finishes what other threads have begun and died of, where that concerns the number of
 * workers. The locks, tasks and shutdowns of dead threads are settled elsewhere (worker-reaper.ts, endings.ts).
 *
 * - A thread has reserved a line for a worker, and has not asked for its thread. The line is freed, and the workers are
 *   counted anew.
 * - A worker was leaving. The workers are counted anew.
 * - A thread has resumed the pool, and has not let the workers go on.
 * - A thread has put a task into the queue of a pool without workers, and has not admitted one.
 */
export class HalfDone {
  readonly #pool: MendedPool
  #isMiscounted = false
  #reaps = 0

  constructor(pool: MendedPool) {
    this.#pool = pool
  }

  /** Reaps a worker. While its line says that it has ended and it is still counted, nothing can be counted. */
  reaping(reap: () => void): void {
    this.#reaps++
    try {
      reap()
    } finally {
      this.#reaps--
      if (this.#isMiscounted) this.#recount()
    }
  }

  /** A worker that was leaving has died. */
  miscounted(): void {
    this.#isMiscounted = true
  }

  /** A thread has died. */
  afterDeath(): void {
    const pool = this.#pool
    const { memory, workerTable } = pool
    for (const number of abandonedLines(memory)) {
      const worker = workerTable.at(number)
      const { currentSlot, handle } = worker
      worker.release()
      freeAbandoned(memory, number)
      if (currentSlot !== 0 && memory.slots.handleOf(currentSlot) === handle) pool.fail(currentSlot)
      this.#isMiscounted = true
    }
    if (this.#isMiscounted) this.#recount()
    else this.admitForDead()
  }

  /**
   * Admits a worker if the pool has none, and tasks wait: the thread that has submitted them may have died before it
   * admitted one. Not if the factory makes no threads, or the pool is paused; {@link resume} admits workers, too. And
   * not while a thread of the pool runs, because it may have left, and be about to admit the worker that replaces it:
   * the owner calls this again when the thread has ended.
   */
  admitForDead(): void {
    const { memory, core, waiting, workerThreads, report } = this.#pool
    const { control } = memory.state
    if (workerThreads.isRefused || workerThreads.areSome) return
    if (control.workerCount > 0 || waiting.isEmpty || isPaused(control.snapshot)) return
    guarded(() => core.ensureWorker(), report)
  }

  /** A thread has died that was resuming the pool. */
  resume(): void {
    const { memory, core, report } = this.#pool
    if (!isPaused(memory.state.control.snapshot)) guarded(() => core.resumed(), report)
  }

  #recount(): void {
    const { memory, core, waiting, report } = this.#pool
    if (this.#reaps > 0) return
    if (!recount(memory)) {
      Timer.after(LOOK_AGAIN, () => this.#isMiscounted && this.#recount())
      return
    }
    this.#isMiscounted = false
    guarded(() => {
      if (!waiting.isEmpty) core.ensureWorker()
      core.tryTerminate()
    }, report)
  }
}
