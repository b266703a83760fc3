/** What the tests of exchangers share. */
import { GrowableMemory } from "#src/memory/shared/growable-memory.js"
import { ExchangeHall } from "#src/sync/exchange-hall.js"
import type { Exchanger } from "#src/sync/index.js"

export function hallOf(exchanger: Exchanger<unknown>): ExchangeHall {
  return new ExchangeHall(GrowableMemory.openGrown("Exchanger", exchanger))
}

/** Whether somebody waits for a partner from another thread. */
export function isOffered(exchanger: Exchanger<unknown>): boolean {
  return hallOf(exchanger).hasOffer
}
