import { now } from "../../time/timer.ts"

/** In ms. Longer than an event is under way. */
const KEPT = 60_000

/**
 * The jobs that this executor has removed and of which the engine has not told yet. What it tells of their ids until
 * then is about them, and not about jobs that were submitted later under the same ids. An event may be lost: so they
 * are forgotten after a time, and when the engine says that events were lost.
 */
export class Removals {
  /** How many events are to come for an id, and since when; oldest first. */
  readonly #expected = new Map<string, { count: number; readonly since: number }>()

  add(id: string): void {
    this.#forgetOld()
    const count = (this.#expected.get(id)?.count ?? 0) + 1
    this.#expected.delete(id) // the newest stands last
    this.#expected.set(id, { count, since: now() })
  }

  /** Whether the engine has yet to tell of such a job. */
  has(id: string): boolean {
    if (this.#expected.size === 0) return false
    this.#forgetOld()
    return this.#expected.has(id)
  }

  /** The engine has told of a removed job of this id. True if it is one of these. */
  heard(id: string): boolean {
    if (!this.has(id)) return false
    const expected = this.#expected.get(id)
    if (expected !== undefined && --expected.count === 0) this.#expected.delete(id)
    return true
  }

  clear(): void {
    this.#expected.clear()
  }

  #forgetOld(): void {
    const oldest = now() - KEPT
    for (const [id, { since }] of this.#expected) {
      if (since > oldest) return
      this.#expected.delete(id)
    }
  }
}
