import type { StandIn } from "../../memory/flow/waiting.ts"
import type { SharedWorkerTable } from "../../platform/memory/shared-worker-table.ts"
import { RUNNING } from "../../platform/memory/shared-worker.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"
import type { WorkerParts } from "./forks.ts"

/** How long a worker waits before it counts as one that does, in ms. */
const PATIENCE = 10

/** How long a thread that is one too many waits for a task before it leaves, in ms. */
const SPARE_KEEP_ALIVE = 500

/** Whether this worker waits. One that is about to begin does not, whatever the one before it in its place has left. */
function isBlocked(worker: { readonly number: number; readonly status: number }, deques: Deques): boolean {
  const { number, status } = worker
  return number <= deques.count && status === RUNNING && deques.load(number, PLACE.BLOCKED) === 1
}

/** Whether there are workers and all of them wait, but for the one with this number. */
export function allWait(workerTable: SharedWorkerTable, deques: Deques, except = 0): boolean {
  for (const worker of workerTable) if (worker.number !== except && !isBlocked(worker, deques)) return false
  return true
}

/**
 * Who works for a ForkJoinPool while its workers wait. A worker that waits for a part it has forked helps (helping.ts).
 * One that waits for anything else, a lock, a queue, a future of another pool, can do nothing for this pool meanwhile;
 * and what it waits for may well be the doing of a task that lies in the queue. So if all of them wait, and there is
 * something to do, one more thread is made. It leaves soon after those that wait have returned.
 *
 *     who waits                                        who submits something
 *     BLOCKED := 1                                     puts it into the queue
 *     something in the queue, and all are BLOCKED?     all are BLOCKED?
 *       one more thread                                  one more thread
 *
 * Whichever comes second sees what the other has done, so somebody makes the thread. Who forks something is not
 * BLOCKED, and looks at the queue if it is to be. Who leaves the pool looks, too, when it is no longer counted.
 *
 * To make a thread takes tens of milliseconds, and most waits are over before that. So a wait of corepool's own counts
 * only after a moment (`StandIn.patience`). What is said to take long, by `ForkJoinPool.managedBlock`, counts at once.
 *
 * That there are at all times as many threads that work as the parallelism says was the other way, which is Java's for
 * those who say that they block. A thread costs more here; and that one is missing is no harm as long as another one
 * works.
 */
export class Compensation implements StandIn {
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

  /** The worker waits while the function runs. Its result. */
  during<T>(body: () => T): T {
    if (this.patience === Infinity) return body()
    this.begin()
    try {
      return body()
    } finally {
      this.end()
    }
  }

  /** If nobody else can do anything for the pool, and there is something to do, there has to be one more. */
  compensate(except: number = this.#self): void {
    const { workerTable, queue, core } = this.#parts
    if (!queue.isEmpty && allWait(workerTable, this.#deques, except)) core.addWorker("maximum")
  }

  /** The worker is no longer one of the pool's: it may have been the last that did not wait. */
  left(): void {
    this.compensate(0)
  }

  /** Has those who are idle look whether they are still needed. */
  #dismiss(): void {
    let surplus = this.#surplus
    if (surplus <= 0) return
    for (const worker of this.#parts.workerTable) {
      if (worker.isBusy || worker.isInterrupted) continue
      worker.interrupt()
      if (--surplus === 0) return
    }
  }

  /** How many more threads than there should be could work. */
  get #surplus(): number {
    const { workerTable, memory } = this.#parts
    let surplus = -memory.state.corePoolSize
    for (const worker of workerTable) if (!isBlocked(worker, this.#deques)) surplus++
    return surplus
  }

  /** How long this worker is to wait for a task, if not as long as the pool says. */
  get patienceWhenIdle(): number | undefined {
    return this.#surplus > 0 ? SPARE_KEEP_ALIVE : undefined
  }

  /** Should this thread have to be killed, then not in here. */
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
