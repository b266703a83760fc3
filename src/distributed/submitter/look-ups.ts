import { Timer } from "../../time/timer.ts"
import type { EngineQueue } from "../job/engine.ts"
import type { JobEntry } from "./job-entry.ts"
import type { Ledger } from "./ledger.ts"

/** How many jobs are looked up at once. */
const AT_ONCE = 1000
/** How long to wait before looking jobs up again, if the engine has not answered or has no record of them. */
const LOOK_AGAIN = 1000

interface FindOptions {
  /** A job of which the engine has no record counts as missing. */
  readonly isLast?: boolean
  /** Also finds outcomes whose time is over. */
  readonly withExpired?: boolean
}

/**
 * Asks the engine what has become of jobs: jobs of other processes, jobs whose ids may have been taken, and all jobs
 * when events may have been lost. It also reviews all jobs from time to time, in case the engine has lost an event
 * without knowing it.
 */
export class LookUps {
  readonly #ledger: Ledger
  readonly #queue: () => Promise<EngineQueue>
  readonly #report: (error: unknown) => void
  #isLooking = false
  #hasToLookAgain = false
  /** The newest job that the coming review looks up; later jobs are left to the review after that. */
  #reviewUpTo = 0
  #isReviewPlanned = false

  constructor(ledger: Ledger, queue: () => Promise<EngineQueue>, report: (error: unknown) => void) {
    this.#ledger = ledger
    this.#queue = queue
    this.#report = report
  }

  /** Reviews all jobs every so many milliseconds, as long as there are any. */
  review(interval: number): void {
    if (this.#isReviewPlanned) return
    this.#isReviewPlanned = true
    Timer.after(interval, () => void this.#review(interval))
  }

  async #review(interval: number): Promise<void> {
    const old = [...this.#ledger.entries].filter(
      ({ place, handle }) => place === "stored" && handle <= this.#reviewUpTo,
    )
    this.#reviewUpTo = this.#ledger.newest
    try {
      if (old.length > 0) await this.find(old)
    } catch (error) {
      if (old.some(({ isOver }) => !isOver)) this.#report(error)
    }
    this.#isReviewPlanned = false
    if (this.#ledger.size > 0) this.review(interval)
  }

  /** Looks up all stored jobs. Tries again until the engine has answered. */
  all(): void {
    this.#hasToLookAgain = true
    if (this.#isLooking) return
    this.#isLooking = true
    void this.#lookAtAll()
  }

  async #lookAtAll(): Promise<void> {
    while (this.#hasToLookAgain) {
      this.#hasToLookAgain = false
      const stored = [...this.#ledger.entries].filter(({ place }) => place === "stored")
      try {
        if (stored.length > 0) await this.find(stored)
      } catch (error) {
        if (stored.every(({ isOver }) => isOver)) continue // the executor has ended in the meantime
        this.#report(error)
        this.#hasToLookAgain = true
        await new Promise<void>((resolve) => Timer.after(LOOK_AGAIN, resolve))
      }
    }
    this.#isLooking = false
  }

  /**
   * Passes the engine's records to the ledger. A job of which the engine has no record may have just ended, and its
   * event may be on its way. So it is looked up once more, a while later, before it counts as missing.
   */
  async find(entries: readonly JobEntry[], { isLast = false, withExpired = false }: FindOptions = {}): Promise<void> {
    const queue = await this.#queue()
    const missing: JobEntry[] = []
    for (let start = 0; start < entries.length; start += AT_ONCE) {
      const some = entries.slice(start, start + AT_ONCE)
      const records = await queue.find(
        some.map(({ id }) => id),
        withExpired,
      )
      for (const [i, entry] of some.entries()) {
        if (records[i] !== undefined || isLast || entry.plan.role === "watched") this.#ledger.found(entry, records[i])
        else missing.push(entry)
      }
    }
    if (missing.length > 0) Timer.after(LOOK_AGAIN, () => void this.#findAgain(missing))
  }

  async #findAgain(entries: readonly JobEntry[]): Promise<void> {
    const left = entries.filter(({ isOver }) => !isOver)
    try {
      if (left.length > 0) await this.find(left, { isLast: true })
    } catch (error) {
      if (left.every(({ isOver }) => isOver)) return
      this.#report(error)
      this.all()
    }
  }
}
