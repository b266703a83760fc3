import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import type { SharedWorkerTable } from "../../platform/memory/shared-worker-table.ts"
import type { TaskQueue } from "../../platform/queue/task-queue.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"

/**
 * Who sleeps, and who calls them when there is something to do: the protocol of README.md, "Why no wake-up is lost". A
 * worker has one.
 */
export class HelperWakeups {
  readonly #threadContext: ThreadContext
  readonly #deques: Deques
  readonly #workerTable: SharedWorkerTable
  readonly #queue: Pick<TaskQueue, "announce">
  readonly #self: number
  readonly #grow: () => boolean

  /** For the worker with the number `self`; `grow` has one more made, if there are fewer than there should be. */
  constructor(
    threadContext: ThreadContext,
    deques: Deques,
    workerTable: SharedWorkerTable,
    queue: Pick<TaskQueue, "announce">,
    self: number,
    grow: () => boolean,
  ) {
    this.#threadContext = threadContext
    this.#deques = deques
    this.#workerTable = workerTable
    this.#queue = queue
    this.#self = self
    this.#grow = grow
  }

  // ------------------------------------------------------------------ for who sleeps

  /** The worker is going to sleep, and would help that one; 0 if it does not know whom. Look once more after this. */
  announce(victim: number): void {
    this.#deques.store(this.#self, PLACE.BLOCKED, 1)
    if (victim === 0) return
    this.#deques.store(this.#self, PLACE.HELPS, victim)
    this.#deques.store(victim, PLACE.CALL, 1)
  }

  /** It is awake. */
  withdraw(): void {
    this.#deques.store(this.#self, PLACE.HELPS, 0)
    this.#deques.store(this.#self, PLACE.BLOCKED, 0)
  }

  // ------------------------------------------------------------------ for who calls

  /**
   * The worker has forked something, and found that it is to call. Whoever is woken sees to it that the next one is
   * called.
   */
  call(): void {
    this.#deques.store(this.#self, PLACE.CALL, 0)
    for (const { number } of this.#workerTable) {
      if (number <= this.#deques.count && this.#deques.load(number, PLACE.HELPS) === this.#self) this.wake(number)
    }
    if (!this.#queue.announce() && this.#grow()) this.#deques.store(this.#self, PLACE.CALL, 1)
  }

  wake(worker: number): void {
    this.#threadContext.wake(this.#workerTable.at(worker).token, this.#deques.load(worker, PLACE.BELL))
  }

  /** Has the worker with this token look what it is asked for when it forks something. */
  remind(token: number): void {
    for (const worker of this.#workerTable) {
      if (worker.token === token && worker.number <= this.#deques.count) {
        this.#deques.store(worker.number, PLACE.CALL, 1)
      }
    }
  }
}
