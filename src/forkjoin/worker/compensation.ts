import type { Compensator } from "../../memory/flow/waiting.ts"
import type { SharedWorkerTable } from "../../platform/memory/workers/shared-worker-table.ts"
import { RUNNING } from "../../platform/memory/workers/worker-line.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"
import type { WorkerParts } from "./forks.ts"

/** How long a wait of corepool's own lasts before the worker counts as blocked, in ms. */
const PATIENCE = 10

/** How long a surplus thread waits for a task before it leaves, in ms. */
const SPARE_KEEP_ALIVE = 500

/**
 * Whether this worker is blocked. A worker that has not begun is not, whatever the last worker in its place has left.
 */
function isBlocked(worker: { readonly number: number; readonly status: number }, deques: Deques): boolean {
  const { number, status } = worker
  return number <= deques.count && status === RUNNING && deques.load(number, PLACE.BLOCKED) === 1
}

/** Whether all workers are blocked, except perhaps the one with this number; true if there are no workers. */
export function allWait(workerTable: SharedWorkerTable, deques: Deques, except = 0): boolean {
  for (const worker of workerTable) if (worker.number !== except && !isBlocked(worker, deques)) return false
  return true
}

/**
 * Compensation: adds a thread when every worker of a ForkJoinPool is blocked.
 *
 * A worker that joins a part it has forked helps to run it (helping.ts). A worker that waits for anything else (a lock,
 * a queue, a future of another pool) cannot help, and may be waiting for the very task that sits in this pool's queue.
 * If all workers are blocked and the queue is not empty, the pool starts one more thread. It leaves soon after the
 * blocked workers have returned.
 *
 *     a worker that waits                              a thread that submits
 *     BLOCKED := 1                                     puts the task into the queue
 *     queue not empty, and all are BLOCKED?            all are BLOCKED?
 *       one more thread                                  one more thread
 *
 * The thread that comes second sees what the other has done, so one of them makes the thread. A worker that forks is
 * not BLOCKED, and looks at the queue when it blocks. A worker that leaves the pool looks, too, after it is no longer
 * counted.
 *
 * Making a thread takes tens of milliseconds, and most waits are over before that. So a wait of corepool's own counts
 * only after a moment (`Compensator.patience`). A wait in `ForkJoinPool.managedBlock` is expected to be long and
 * counts at once.
 *
 * The alternative is to keep as many working threads as the parallelism says at all times. Java does so for tasks that
 * announce that they block. A thread costs more here, and a missing one does no harm as long as another one works.
 */
export class Compensation implements Compensator {
  readonly #parts: WorkerParts
  readonly #deques: Deques
  readonly #self: number

  constructor(parts: WorkerParts, deques: Deques) {
    this.#parts = parts
    this.#deques = deques
    this.#self = parts.self.number
  }

  get patience(): number {
    const { self } = this.#parts
    return self.task === undefined || this.#deques.load(this.#self, PLACE.BLOCKED) === 1 ? Infinity : PATIENCE
  }

  begin(): void {
    this.#deques.store(this.#self, PLACE.BLOCKED, 1)
    this.#shielded(() => this.compensate())
  }

  end(): void {
    this.#deques.store(this.#self, PLACE.BLOCKED, 0)
    this.#shielded(() => this.#dismiss())
  }

  /** Runs the function; the worker counts as blocked meanwhile. Returns the function's result. */
  during<T>(body: () => T): T {
    if (this.patience === Infinity) return body()
    this.begin()
    try {
      return body()
    } finally {
      this.end()
    }
  }

  /** Adds a thread if all workers but `except` are blocked and the queue is not empty. */
  compensate(except: number = this.#self): void {
    const { workerTable, queue, core } = this.#parts
    if (!queue.isEmpty && allWait(workerTable, this.#deques, except)) core.addWorker("maximum")
  }

  /** The worker has left the pool: it may have been the last one that was not blocked. */
  left(): void {
    this.compensate(0)
  }

  /** Interrupts as many idle workers as are surplus, so that they check whether they are still needed. */
  #dismiss(): void {
    let surplus = this.#surplus
    if (surplus <= 0) return
    for (const worker of this.#parts.workerTable) {
      if (worker.isBusy || worker.isInterrupted) continue
      worker.interrupt()
      if (--surplus === 0) return
    }
  }

  /** How many threads beyond the parallelism are not blocked; negative if there are fewer. */
  get #surplus(): number {
    const { workerTable, memory } = this.#parts
    let surplus = -memory.state.corePoolSize
    for (const worker of workerTable) if (!isBlocked(worker, this.#deques)) surplus++
    return surplus
  }

  /** The keep-alive time of this worker while there are surplus threads; undefined if the pool's applies. */
  get patienceWhenIdle(): number | undefined {
    return this.#surplus > 0 ? SPARE_KEEP_ALIVE : undefined
  }

  /** Runs the function outside of user code: a thread is not killed there. */
  #shielded(body: () => void): void {
    const { self } = this.#parts
    const wasInUserCode = self.isInUserCode
    if (wasInUserCode) self.leaveUserCode()
    try {
      body()
    } finally {
      if (wasInUserCode) self.enterUserCode()
    }
  }
}
