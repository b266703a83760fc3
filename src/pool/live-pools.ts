/**
 * The pools that were made in this thread and are not garbage, so that `corepool/prometheus` can report all of them.
 * This list keeps no pool alive.
 */
import { perThread } from "../per-thread.ts"

/** Pools in the order in which they were made. */
const references = /* @__PURE__ */ perThread("live pools", () => new Set<WeakRef<object>>())

/** Each so many new pools, the references to pools that are garbage are removed. */
const SWEEP = 64

export function noteNewPool(pool: object): void {
  references.add(new WeakRef(pool))
  if (references.size % SWEEP === 0) livePools()
}

/** The pools of this thread that are not garbage. */
export function livePools(): object[] {
  const pools: object[] = []
  for (const reference of references) {
    const pool = reference.deref()
    if (pool === undefined) references.delete(reference)
    else pools.push(pool)
  }
  return pools
}
