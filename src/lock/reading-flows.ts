/**
 * Which flows of this thread hold a read lock, and how often. Nobody else needs to know: to all other threads it is the
 * thread that reads, and when it dies its flows die with it. So this is in no shared memory, and has no limit.
 *
 * A thread may have several objects for one lock, each made from a clone of it. They must agree on who reads, so they find
 * this by the name of the lock, in a table of the thread. The table does not keep it alive. But while a flow reads
 * something must, for another object may be made to unlock it: so those in use are linked to each other in a ring. (Keeping a
 * table of these alone would be simpler. It costs three times as much as all the rest of locking and unlocking.)
 */
import type { Here } from "../memory/here.ts"

export class ReadingFlows {
  /** The cell of the lock that stands for this thread, while a flow reads. */
  cell = 0
  /** How often the flows hold the read lock, all together. */
  total = 0
  readonly #ring: ReadingFlows
  #before: ReadingFlows = this
  #after: ReadingFlows = this
  /** One flow and its holds; usually there is no other. */
  #flow = 0
  #holds = 0
  readonly #others = new Map<number, number>()

  /** `ring` is any that is in use; without, it begins a new one. */
  constructor(ring?: ReadingFlows) {
    this.#ring = ring ?? this
  }

  /** How often the flow with this number holds it. */
  of(flow: number): number {
    if (flow === this.#flow) return this.#holds
    return this.#others.size === 0 ? 0 : (this.#others.get(flow) ?? 0)
  }

  add(flow: number, times: number): void {
    if (this.total === 0) {
      this.#link()
      this.#flow = flow
    }
    this.total += times
    if (flow === this.#flow) this.#holds += times
    else this.#others.set(flow, this.of(flow) + times)
  }

  remove(flow: number, times: number): void {
    this.total -= times
    const left = this.of(flow) - times
    if (flow === this.#flow) this.#holds = left
    else if (left === 0) this.#others.delete(flow)
    else this.#others.set(flow, left)
    if (this.total === 0) this.#unlink()
  }

  #link(): void {
    this.#before = this.#ring
    this.#after = this.#ring.#after
    this.#before.#after = this.#after.#before = this
  }

  #unlink(): void {
    this.#before.#after = this.#after
    this.#after.#before = this.#before
    this.#before = this.#after = this
  }
}

/** The read locks that flows of one thread hold, or may come to hold. */
class ReadLocks {
  readonly #ring = new ReadingFlows()
  readonly #byName = new Map<string, WeakRef<ReadingFlows>>()
  readonly #gone = new FinalizationRegistry<string>((name) => {
    if (this.#byName.get(name)?.deref() === undefined) this.#byName.delete(name)
  })
  #made = 0

  /** The number of the next lock that the thread makes. */
  nextNumber(): number {
    return ++this.#made
  }

  flowsOf(name: string): ReadingFlows {
    const known = this.#byName.get(name)?.deref()
    if (known !== undefined) return known
    const flows = new ReadingFlows(this.#ring)
    this.#byName.set(name, new WeakRef(flows))
    this.#gone.register(flows, name)
    return flows
  }
}

const locks = new WeakMap<Here, ReadLocks>()

export function readLocksIn(here: Here): ReadLocks {
  let found = locks.get(here)
  if (found === undefined) locks.set(here, (found = new ReadLocks()))
  return found
}
