import type { ThreadContext } from "../memory/thread/thread-context.ts"
import { perThread } from "../per-thread.ts"

/**
 * Which flows of this thread hold a read lock, and how often. No other thread needs to know: to the others the thread
 * reads, and when it dies its flows die with it. So this is in no shared memory, and has no limit.
 *
 * A thread may have several objects for one lock, each made from a clone of it. They must agree on which flows read. So
 * while a flow reads they find each other by the name of the lock, in a table of the thread. When no flow reads, the
 * table has no entry of the lock.
 *
 * Usually one flow reads, and one lock. So both maps keep their first entry outside of the map: putting one into a map
 * and taking it out again costs more than all the rest of locking and unlocking.
 */
export class ReadingFlows {
  /** The cell of the lock that stands for this thread, while a flow reads. */
  cell = 0
  /** How often the flows hold the read lock, all together. */
  total = 0
  #flow = 0
  #holds = 0
  #others: Map<number, number> | undefined

  /** How often the flow with this number holds it. */
  of(flow: number): number {
    return flow === this.#flow ? this.#holds : (this.#others?.get(flow) ?? 0)
  }

  add(flow: number, times: number): void {
    if (this.total === 0) this.#flow = flow
    this.total += times
    if (flow === this.#flow) this.#holds += times
    else (this.#others ??= new Map()).set(flow, this.of(flow) + times)
  }

  remove(flow: number, times: number): void {
    this.total -= times
    if (flow === this.#flow) this.#holds -= times
    else if (this.of(flow) === times) this.#others?.delete(flow)
    else this.#others?.set(flow, this.of(flow) - times)
  }
}

/** The read locks that flows of one thread hold, by their names. */
class ReadLocksHeld {
  made = 0
  #name = ""
  #flows: ReadingFlows | undefined
  readonly #others = new Map<string, ReadingFlows>()

  get(name: string): ReadingFlows | undefined {
    if (name === this.#name) return this.#flows
    return this.#others.size === 0 ? undefined : this.#others.get(name)
  }

  add(name: string, flows: ReadingFlows): void {
    if (this.#flows === undefined) {
      this.#name = name
      this.#flows = flows
    } else this.#others.set(name, flows)
  }

  remove(name: string): void {
    if (name === this.#name) {
      this.#name = ""
      this.#flows = undefined
    } else this.#others.delete(name)
  }
}

const tables = perThread("read locks", () => new WeakMap<ThreadContext, ReadLocksHeld>())

function readLocksHeldIn(threadContext: ThreadContext): ReadLocksHeld {
  let table = tables.get(threadContext)
  if (table === undefined) tables.set(threadContext, (table = new ReadLocksHeld()))
  return table
}

/** The number of the next lock that the thread makes. */
export function nextNumberIn(threadContext: ThreadContext): number {
  return ++readLocksHeldIn(threadContext).made
}

/** The flows of this thread that read one lock, as seen by one of the objects for that lock. */
export class ReadersHere {
  readonly #name: string
  readonly #table: ReadLocksHeld
  /** For the table, if the first flow begins to read through this object. */
  readonly #own = new ReadingFlows()

  constructor(threadContext: ThreadContext, name: string) {
    this.#name = name
    this.#table = readLocksHeldIn(threadContext)
  }

  get flows(): ReadingFlows {
    return this.#own.total > 0 ? this.#own : (this.#table.get(this.#name) ?? this.#own)
  }

  /** The first flow begins to read, with this cell. */
  begin(cell: number, flow: number, times: number): void {
    this.#own.cell = cell
    this.#own.add(flow, times)
    this.#table.add(this.#name, this.#own)
  }

  /** The last flow has stopped. */
  end(): void {
    this.#table.remove(this.#name)
  }
}
