/**
 * Which tasks started and how they ended. Several starts of one step may come in any order, so a step shows them
 * sorted.
 */
import type { JsonObject } from "../json.ts"
import { sorted } from "../results.ts"

export class Journal {
  #starts: string[] = []
  #ends: string[] = []
  #entries = 0

  started(task: string): void {
    this.#starts.push(task)
    this.#entries++
  }

  ended(task: string, how: "returned" | "threw" | "interrupted" | "caller"): void {
    this.#ends.push(`${task}:${how}`)
    this.#entries++
  }

  /** How much was ever written: for telling whether something still happens. */
  get length(): number {
    return this.#entries
  }

  /** What was written since the last call. */
  page(): JsonObject {
    const page = { newStarts: sorted(this.#starts), newEnds: sorted(this.#ends) }
    this.#starts = []
    this.#ends = []
    return page
  }
}
