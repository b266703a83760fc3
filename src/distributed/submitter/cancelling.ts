import type { EngineQueue } from "../job/engine.ts"
import type { JobEntry } from "./job-entry.ts"
import type { Ledger } from "./ledger.ts"

export interface CancelsHost {
  queue(): Promise<EngineQueue>
  /** Sends the entry at once. */
  send(entry: JobEntry): void
  report(error: unknown): void
}

/**
 * Brings cancellations to the engine. The future is done already, or is done when the job is over.
 *
 * Until a cancellation has arrived, the executor does not terminate, and sends no other job of the same id: the engine
 * would take that job for the old one.
 */
export class Cancels {
  readonly #ledger: Ledger
  readonly #host: CancelsHost
  readonly #underWay = new Set<Promise<void>>()
  /** Entries that wait for a cancellation of their id, in the order of submission. */
  readonly #held = new Set<JobEntry>()

  constructor(ledger: Ledger, host: CancelsHost) {
    this.#ledger = ledger
    this.#host = host
  }

  /** Notes that the entry is to be cancelled, and how. Sends nothing. */
  wish(entry: JobEntry, interrupt: boolean): void {
    this.#ledger.change(entry, () => {
      entry.wish = { interrupt: interrupt || entry.wish?.interrupt === true }
      entry.isWishSettled = false
    })
  }

  /** Sends the cancellation to the engine, which has the job. */
  travel(entry: JobEntry): void {
    if (entry.isOver) return
    // If a cancellation is under way, this news may be later than it: the loop runs once more.
    entry.hasToTravel = true
    if (entry.isTravelling) return
    entry.isTravelling = true
    const travelling = this.#travel(entry)
    this.#underWay.add(travelling)
    void travelling.finally(() => this.#underWay.delete(travelling))
  }

  async #travel(entry: JobEntry): Promise<void> {
    try {
      while (entry.hasToTravel && !entry.isOver) {
        entry.hasToTravel = false
        await cancelOnEngine(entry, await this.#host.queue(), this.#ledger)
      }
    } catch (error) {
      // If the job is over, the cancellation is not needed. Otherwise it is sent again when the engine is back.
      if (!entry.isOver) {
        this.#ledger.wishFailed(entry, error)
        this.#host.report(error)
      }
    } finally {
      entry.isTravelling = false
      this.#ledger.wishSettled(entry)
    }
  }

  /** Is fulfilled when no cancellation is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Sends the entry, as soon as all earlier cancellations of its id have arrived. */
  send(entry: JobEntry): void {
    if (this.#ledger.isBehindCancel(entry)) this.#held.add(entry)
    else this.#host.send(entry)
  }

  /** Sends held entries that need not wait any more: a cancellation has arrived, or an entry is over. */
  release(): void {
    for (const entry of this.#held) {
      const isWanted = !entry.isOver && entry.wish === undefined && !entry.isTakenBack
      if (isWanted && this.#ledger.isBehindCancel(entry)) continue
      this.#held.delete(entry)
      if (isWanted) this.#host.send(entry)
    }
  }
}

/**
 * Removes the job if no node has begun it. Otherwise marks it, so that no other node begins it should this node die,
 * and publishes a cancel message. The node that has the job ends it, and the engine notifies all processes of that end.
 */
async function cancelOnEngine(entry: JobEntry, queue: EngineQueue, ledger: Ledger): Promise<void> {
  const { id } = entry
  const publish = (): Promise<void> => queue.publish({ kind: "cancel", id, interrupt: entry.wish?.interrupt ?? false })
  // The node of a running job gets the message at once, because each round trip to the engine takes a while.
  const isPublished = entry.isRunning
  const publishing = isPublished ? publish() : undefined
  publishing?.catch(() => undefined) // awaited at the end, and must not count as unhandled before that
  try {
    for (;;) {
      if (!entry.isRunning && (await queue.remove(id))) {
        ledger.removedHere(entry)
        ledger.cancel(entry, undefined)
        ledger.over(entry)
        return
      }
      const [record] = await queue.find([id])
      if (entry.isOver) return
      if (record === undefined || record.state === "completed" || record.state === "failed") {
        ledger.found(entry, record)
        return
      }
      entry.isRunning = record.state === "active"
      if (!entry.isRunning || !(await queue.update(id, { ...record.data, cancelled: true }))) continue
      if (!isPublished) await publish()
      return
    }
  } finally {
    await publishing
  }
}
