import { noteSleep } from "./fork-events.ts"
import type { ParkPlace } from "../../memory/flow/wait-list.ts"
import type { Steps, Wake } from "../../memory/flow/waiting.ts"
import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import type { SharedWorkerTable } from "../../platform/memory/workers/shared-worker-table.ts"
import type { TaskQueue } from "../../platform/queue/task-queue.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"

/** What a worker sleeps for. */
export interface Sleep {
  /** The worker that it would help; 0 if that is unknown. */
  readonly victim: number
  /** Notes for other workers which worker sleeps; 0 when it is awake again. */
  announced(worker: number): void
  /** Whether there is a reason not to sleep. */
  hasNews(): boolean
  /** Where it sleeps; called only if there is no news. */
  place(): ParkPlace
}

/**
 * How a worker announces that it sleeps, and how it wakes sleepers when it has forked something: the protocol of
 * README.md, "Why no wake-up is lost". Each worker has one.
 */
export class HelperWakeups {
  readonly #threadContext: ThreadContext
  readonly #deques: Deques
  readonly #workerTable: SharedWorkerTable
  readonly #queue: Pick<TaskQueue, "announce">
  readonly #self: number
  readonly #grow: () => boolean

  /** For the worker with the number `self`; `grow` adds a thread if there are fewer than the parallelism. */
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

  // ------------------------------------------------------------------ the sleeper

  /**
   * Sleeps until another worker calls, unless there is news. The order of the steps is the protocol: the worker
   * announces itself, looks once more, and only then sleeps. What it gives says how the sleep ended; undefined if there
   * was news.
   */
  *sleeping(sleep: Sleep): Steps<Wake | undefined> {
    this.#announce(sleep.victim)
    let awake: (() => void) | undefined
    try {
      sleep.announced(this.#self)
      if (sleep.hasNews()) return undefined
      const place = sleep.place()
      awake = noteSleep()
      return yield place
    } finally {
      awake?.()
      sleep.announced(0)
      this.#withdraw()
    }
  }

  #announce(victim: number): void {
    this.#deques.store(this.#self, PLACE.BLOCKED, 1)
    if (victim === 0) return
    this.#deques.store(this.#self, PLACE.HELPS, victim)
    this.#deques.store(victim, PLACE.CALL, 1)
  }

  #withdraw(): void {
    this.#deques.store(this.#self, PLACE.HELPS, 0)
    this.#deques.store(this.#self, PLACE.BLOCKED, 0)
  }

  // ------------------------------------------------------------------ the worker that wakes

  /** Wakes sleepers, after a fork that found CALL set. A woken worker sets CALL again and wakes the next. */
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

  /** Makes the worker with this token look for requests at its next fork. */
  remind(token: number): void {
    for (const worker of this.#workerTable) {
      if (worker.token === token && worker.number <= this.#deques.count) {
        this.#deques.store(worker.number, PLACE.CALL, 1)
      }
    }
  }
}
