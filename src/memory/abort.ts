/**
 * Listening to an AbortSignal that many waits and tasks share. Each signal gets one listener of ours,
 * however many parties: with one each, Node warns of a leak from the eleventh on, and removing one of
 * n listeners is a linear search.
 */

type Party = (reason: unknown) => void

const parties = new WeakMap<AbortSignal, Set<Party>>()

/** Calls `party` once when the signal aborts, until {@link unlisten}. The signal must not be aborted yet. */
export function listen(signal: AbortSignal, party: Party): void {
  let set = parties.get(signal)
  if (set === undefined) {
    const fresh = new Set<Party>()
    set = fresh
    parties.set(signal, fresh)
    signal.addEventListener("abort", () => abortAll(signal, fresh), { once: true })
  }
  set.add(party)
}

export function unlisten(signal: AbortSignal, party: Party): void {
  parties.get(signal)?.delete(party)
}

function abortAll(signal: AbortSignal, set: Set<Party>): void {
  // In the order in which they came; those that leave while the others are told are skipped.
  for (const party of set) {
    set.delete(party)
    try {
      party(signal.reason)
    } catch (error) {
      // As loud as from a listener of its own, but the others must hear of the abort too.
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
