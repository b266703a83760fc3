/**
 * The pools that were made in this thread and are not garbage, so that `corepool/prometheus` can report all of them.
 *
 * The list keeps a pool alive until the event loop has gone round once, or the pool has ended. It does not make a weak
 * reference before: the runtime keeps the target of a new weak reference, and of one that was read, until the present
 * job is over. A program that makes and closes many pools without a turn of the event loop would have all of them in
 * memory. For the same reason the list is not searched for garbage.
 */
import { runtime } from "#host/runtime/clock"
import { UnsupportedOperationError } from "../errors.ts"
import { observing, type PoolInfo } from "../observing.ts"
import { perThread } from "../per-thread.ts"

interface LivePools {
  /** Whether `weaken` will be called when the event loop has gone round. */
  isDue: boolean
  /** Pools that were made since the event loop last went round. */
  readonly recent: Set<object>
  /** The other ones, in the order in which they were made. */
  readonly older: Set<WeakRef<object>>
  /** Removes the references to pools that are garbage. */
  readonly garbage: FinalizationRegistry<WeakRef<object>>
}

const pools = /* @__PURE__ */ perThread("live pools", (): LivePools => {
  const older = new Set<WeakRef<object>>()
  return {
    isDue: false,
    recent: new Set(),
    older,
    garbage: new FinalizationRegistry((reference) => older.delete(reference)),
  }
})

const infos: WeakMap<object, PoolInfo> = /* @__PURE__ */ perThread("infos of pools", () => new WeakMap())

export function noteNewPool(pool: object, info: PoolInfo, printsUnobserved = false): void {
  if (printsUnobserved && observing.newPool === undefined)
    throw new UnsupportedOperationError(
      "corepool/virtual cannot print unobserved failures: import the pool from corepool",
    )
  infos.set(pool, info)
  observing.newPool?.(info, printsUnobserved)
  pools.recent.add(pool)
  if (pools.isDue) return
  pools.isDue = true
  runtime.afterTurn(weaken)
}

/** How events name an executor that is in no list of pools. */
export function noteInfo(executor: object, info: PoolInfo): void {
  infos.set(executor, info)
}

/** How events name a pool that was made in this thread. */
export function infoOfPool(pool: object): PoolInfo | undefined {
  return infos.get(pool)
}

export function noteEndOfPool(pool: object | undefined): void {
  if (pool !== undefined) pools.recent.delete(pool)
}

function weaken(): void {
  pools.isDue = false
  for (const pool of pools.recent) {
    const reference = new WeakRef(pool)
    pools.older.add(reference)
    pools.garbage.register(pool, reference)
  }
  pools.recent.clear()
}

/** The pools of this thread that are not garbage, in the order in which they were made. */
export function livePools(): object[] {
  const older = [...pools.older].map((reference) => reference.deref()).filter((pool) => pool !== undefined)
  return [...older, ...pools.recent]
}
