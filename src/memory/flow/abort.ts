/**
 * Listens to AbortSignals that many waits and tasks share. corepool adds one listener to each signal, however many
 * parties wait for it: with a listener for each party, Node warns of a leak from the eleventh on, and removing one of n
 * listeners is a linear search.
 */
import { OwnSet } from "../../primordials.ts"
import { alone } from "../../checks.ts"
import { guarded } from "./guard.ts"

type Party = (reason: unknown) => void

interface Audience {
  readonly parties: Set<Party>
  readonly listener: () => void
}

const audiences = new WeakMap<AbortSignal, Audience>()

/** Calls `party` once when the signal aborts, until {@link unlisten}. The signal must not be aborted yet. */
export function listen(signal: AbortSignal, party: Party): void {
  let audience = audiences.get(signal)
  if (audience === undefined) {
    const parties = new OwnSet<Party>()
    audience = { parties, listener: () => abortAll(signal, parties) }
    audiences.set(signal, audience)
    signal.addEventListener("abort", audience.listener, alone({ once: true }))
  }
  audience.parties.add(party)
}

/**
 * Removes the listener from the signal when the last party leaves. The listener itself costs little, but a runtime
 * keeps a signal alive that has a listener: each `AbortSignal.any(…)` and `AbortSignal.timeout(…)` would stay in memory
 * until it aborts, perhaps for ever.
 */
export function unlisten(signal: AbortSignal, party: Party): void {
  const audience = audiences.get(signal)
  if (audience?.parties.delete(party) !== true || audience.parties.size > 0 || signal.aborted) return
  audiences.delete(signal)
  signal.removeEventListener("abort", audience.listener)
}

function abortAll(signal: AbortSignal, set: Set<Party>): void {
  // In the order in which the parties came. A party that leaves during this loop is skipped.
  for (const party of set) {
    set.delete(party)
    guarded(() => party(signal.reason)) // the other parties must be called too
  }
}
