/**
 * Which flows of this thread hold a read lock, and how often. Nobody else needs to know: to all other threads it is the
 * thread that reads, and when it dies its flows die with it. So this is in no shared memory, and has no limit.
 *
 * A thread may have several objects for one lock, each made from a clone of it. They must agree on who reads, so they find
 * each other by the name of the lock, in a table of the thread; but only while a flow reads, so the table holds on to
 * nothing that is out of use.
 */
import type { Here } from "../memory/here.ts"

export class ReadingFlows {
  /** The cell of the lock that stands for this thread, while a flow reads. */
  cell = 0
  /** How often the flows hold the read lock, all together. */
  total = 0
  readonly #holds = new Map<number, number>()

  /** How often the flow with this number holds it. */
  of(flow: number): number {
    return this.total === 0 ? 0 : (this.#holds.get(flow) ?? 0)
  }

  add(flow: number, times: number): void {
    this.#holds.set(flow, this.of(flow) + times)
    this.total += times
  }

  remove(flow: number, times: number): void {
    const left = this.of(flow) - times
    if (left === 0) this.#holds.delete(flow)
    else this.#holds.set(flow, left)
    this.total -= times
  }
}

/** The read locks that flows of one thread hold, by their names. */
export class ReadLocksHeld extends Map<string, ReadingFlows> {
  #made = 0

  /** The number of the next lock that the thread makes. */
  nextNumber(): number {
    return ++this.#made
  }
}

const tables = new WeakMap<Here, ReadLocksHeld>()

export function readLocksHeldIn(here: Here): ReadLocksHeld {
  let table = tables.get(here)
  if (table === undefined) tables.set(here, (table = new ReadLocksHeld()))
  return table
}
