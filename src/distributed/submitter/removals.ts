import { now } from "../../time/timer.ts"

/** In ms. Longer than an event takes to arrive. */
const KEPT = 60_000

/**
 * Jobs that this executor has removed, and whose `removed` event has not come yet. Events of their ids until then are
 * about them, and not about jobs submitted later under the same ids. An event may be lost: so they are forgotten after
 * a time, and when the engine says that events were lost.
 */
export class Removals {
  /** How many events of an id are still to come, and since when; oldest first. */
  readonly #expected = new Map<string, { count: number; readonly since: number }>()

  add(id: string): void {
    this.#forgetOld()
    const count = (this.#expected.get(id)?.count ?? 0) + 1
    this.#expected.delete(id) // the newest stands last
    this.#expected.set(id, { count, since: now() })
  }

  /** Whether the `removed` event of such a job is still to come. */
  has(id: string): boolean {
    if (this.#expected.size === 0) return false
    this.#forgetOld()
    return this.#expected.has(id)
  }

  /** A `removed` event of this id has come. True if it was expected. */
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
