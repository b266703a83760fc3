/**
 * The distributed executors of this thread. The monitor shows them by this list, without loading their code. The list
 * does not keep an executor alive.
 */
import { perThread } from "../per-thread.ts"
import type { Fleet, FleetTitle } from "./fleet-records.ts"

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
