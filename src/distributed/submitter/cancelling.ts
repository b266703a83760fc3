import type { EngineQueue } from "../job/engine.ts"
import type { JobEntry } from "./job-entry.ts"
import type { Ledger } from "./ledger.ts"

export interface CancelsHost {
  queue(): Promise<EngineQueue>
  /** Nothing keeps the entry from being sent. */
  send(entry: JobEntry): void
  report(error: unknown): void
}

/**
 * How a cancellation travels: the future is done already, or is going to be when the job is over.
 *
 * Until it has arrived, the executor does not terminate, and sends no other job of the same id: the engine would take
 * that for the old one.
 */
export class Cancels {
  readonly #ledger: Ledger
  readonly #host: CancelsHost
  readonly #underWay = new Set<Promise<void>>()
  /** What waits for a cancellation of its id, in the order of submission. */
  readonly #held = new Set<JobEntry>()

  constructor(ledger: Ledger, host: CancelsHost) {
    this.#ledger = ledger
    this.#host = host
  }

  /** The entry is to be cancelled, with this wish. Nothing is sent. */
  wish(entry: JobEntry, interrupt: boolean): void {
    this.#ledger.change(entry, () => {
      entry.wish = { interrupt: interrupt || entry.wish?.interrupt === true }
      entry.isWishTold = false
    })
  }

  /** Tells the engine, which has the job. */
  travel(entry: JobEntry): void {
    if (entry.isOver) return
    // News that comes while it is under way may be of later: it is looked at again.
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
      // One that is over has no need of it. Otherwise it is said again when the engine is there again.
      if (!entry.isOver) {
        this.#ledger.wishFailed(entry, error)
        this.#host.report(error)
      }
    } finally {
      entry.isTravelling = false
      this.#ledger.wishTold(entry)
    }
  }

  /** Is fulfilled when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Sends the entry, as soon as every earlier cancellation of its id has arrived. */
  send(entry: JobEntry): void {
    if (this.#ledger.isBehindCancel(entry)) this.#held.add(entry)
    else this.#host.send(entry)
  }

  /** Some cancellation has arrived, or some entry is over. */
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
 * Takes the job out if no node has begun it. Otherwise marks it, so that no other node begins it should this one die,
 * and tells the nodes; the one that has it ends it, and the engine tells of that.
 */
async function cancelOnEngine(entry: JobEntry, queue: EngineQueue, ledger: Ledger): Promise<void> {
  const { id } = entry
  const publish = (): Promise<void> => queue.publish({ kind: "cancel", id, interrupt: entry.wish?.interrupt ?? false })
  // One that runs is told at once, for each way to the engine and back takes a while.
  const isTold = entry.isRunning
  const telling = isTold ? publish() : undefined
  telling?.catch(() => undefined) // it is awaited at the end, and must not count as unhandled before that
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
      if (!isTold) await publish()
      return
    }
  } finally {
    await telling
  }
}
