/**
 * The distributed executors of this thread. The monitor shows them by this list, without loading their code. The list
 * does not keep an executor alive.
 */
import { perThread } from "../per-thread.ts"

/** What the monitor asks an executor for. */
export interface Fleet {
  readonly isShutdown: boolean
  readonly isTerminated: boolean
  nodes(): Promise<readonly FleetNode[]>
  stats(): Promise<FleetCounts>
}

export interface FleetNode {
  readonly id: string
  readonly name: string
  readonly host: string
  readonly pid: number
  readonly concurrency: number
  readonly running: number
  readonly isDraining: boolean
  readonly startedAt: number
  readonly seenAt: number
}

export interface FleetCounts {
  readonly waiting: number
  readonly delayed: number
  readonly active: number
  readonly completed: number
  readonly failed: number
  readonly outstanding: number
}

/** The name of the queue, and the kind and place of its server. */
export interface FleetTitle {
  readonly name: string
  readonly engine: string
}

interface LiveFleets {
  readonly titles: WeakMap<object, FleetTitle>
  readonly references: Set<WeakRef<Fleet>>
  readonly garbage: FinalizationRegistry<WeakRef<Fleet>>
}

const fleets = /* @__PURE__ */ perThread("live fleets", (): LiveFleets => {
  const references = new Set<WeakRef<Fleet>>()
  return {
    titles: new WeakMap(),
    references,
    garbage: new FinalizationRegistry((reference) => references.delete(reference)),
  }
})

export function noteNewFleet(fleet: Fleet, title: FleetTitle): void {
  const reference = new WeakRef(fleet)
  fleets.titles.set(fleet, title)
  fleets.references.add(reference)
  fleets.garbage.register(fleet, reference)
}

/** Undefined if this is no such executor of this thread. */
export function titleOfFleet(fleet: object): FleetTitle | undefined {
  return fleets.titles.get(fleet)
}

/** Those that are not garbage, in the order in which they were made. */
export function liveFleets(): Fleet[] {
  return [...fleets.references].map((reference) => reference.deref()).filter((fleet) => fleet !== undefined)
}
