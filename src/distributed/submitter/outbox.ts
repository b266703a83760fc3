import { runtime } from "#host/runtime/clock"
import { inBackground } from "../job/background.ts"
import type { EngineQueue, JobOrder } from "../job/engine.ts"
import type { JobEntry } from "./job-entry.ts"

/**
 * How many jobs are sent at once. More would keep the engine busy for too long; and nodes begin with the first ones
 * while the rest is on its way.
 */
const MOST_AT_ONCE = 250

export interface OutboxHost {
  queue(): Promise<EngineQueue>
  /** The engine has them. */
  stored(entries: readonly JobEntry[], queue: EngineQueue): void
  /** The engine has not taken them. */
  refused(entries: readonly JobEntry[], error: unknown): void
}

/**
 * Jobs on their way to the engine. All jobs that are submitted in one turn of the event loop are added in one round
 * trip; jobs that are submitted during a round trip go with the next one. So the order is kept, and a burst costs few
 * round trips.
 */
export class Outbox {
  readonly #host: OutboxHost
  readonly #waiting = new Set<JobEntry>()
  #isSending = false
  #underWay: Promise<void> = Promise.resolve()

  constructor(host: OutboxHost) {
    this.#host = host
  }

  put(entry: JobEntry): void {
    this.#waiting.add(entry)
    if (this.#isSending) return
    this.#isSending = true
    runtime.afterTurn(() => void inBackground(() => this.#sendAll()))
  }

  /** Takes the entry out if it has not been sent; false if it has. */
  takeOut(entry: JobEntry): boolean {
    return this.#waiting.delete(entry)
  }

  /** Is fulfilled when the round trip that is under way has ended. */
  sent(): Promise<void> {
    return this.#underWay
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const entries: JobEntry[] = []
      for (const entry of this.#waiting) {
        this.#waiting.delete(entry)
        entry.place = "sending"
        if (entries.push(entry) === MOST_AT_ONCE) break
      }
      this.#underWay = this.#send(entries)
      await this.#underWay
    }
    this.#isSending = false
  }

  async #send(entries: readonly JobEntry[]): Promise<void> {
    let queue: EngineQueue | undefined
    try {
      queue = await this.#host.queue()
      const now = queue.now()
      await queue.add(entries.flatMap((entry) => orderFor(entry, now)))
    } catch (error) {
      await this.#sendFailed(entries, queue, error)
      return
    }
    this.#host.stored(entries, queue)
  }

  /**
   * A connection may break after the engine has taken the jobs, and before it has said so. The jobs that the engine has
   * are stored.
   */
  async #sendFailed(entries: readonly JobEntry[], queue: EngineQueue | undefined, error: unknown): Promise<void> {
    let found: readonly unknown[] = []
    try {
      found = (await queue?.find(entries.map(({ id }) => id))) ?? []
    } catch {
      // The engine does not answer either: the first error is reported.
    }
    const stored = entries.filter((_, i) => found[i] !== undefined)
    if (queue !== undefined && stored.length > 0) this.#host.stored(stored, queue)
    this.#host.refused(
      entries.filter((_, i) => found[i] === undefined),
      error,
    )
  }
}

function orderFor(entry: JobEntry, now: number): JobOrder[] {
  const order = entry.plan.order?.(now)
  if (order === undefined) return []
  if (order.delay > 0) entry.dueAt = now + order.delay
  return [order]
}
