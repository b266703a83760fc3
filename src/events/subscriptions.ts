/**
 * Notices that a program wants events: it has subscribed to a channel, or has asked a pool to print
 * failures. Until then only this file and channels.ts are loaded, with the first pool.
 */
import { observing, type PoolInfo } from "../observing.ts"
import { channelsOfThread, hasSubscribers } from "./channels.ts"
import { hub } from "./hub.ts"

/** From now on pools that are made in this thread tell what happens to subscribers. */
export function tellSubscribers(): void {
  observing.newPool ??= newPool
}

function newPool(pool: PoolInfo, printsUnobserved: boolean): void {
  // Should the runtime not tell of a subscription, it is noticed here.
  if (hasSubscribers(channelsOfThread(() => hub().on()))) hub().on()
  if (printsUnobserved) hub().printUnobserved(pool)
  observing.by?.poolCreated(pool)
}
