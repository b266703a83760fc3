/** All setups, by the number of the defect. */
import { cancelComputing, cancelDeaf, cancelWaiting, endWhileRunning, nextAfterCancel } from "./cancelling.ts"
import { deathBeforeMany, deathBesideOthers, everyDeath, exit } from "./death.ts"
import { afterTheEnd, capacity, closing, order, orderWithSignals, priorityWithSignals, refusal } from "./queueing.ts"
import type { Setup } from "./setup.ts"
import { functionAsResult, manyOutstanding, thrownThings } from "./values.ts"

export const setups: readonly Setup[] = [
  closing,
  capacity,
  refusal,
  order,
  orderWithSignals,
  priorityWithSignals,
  afterTheEnd,
  functionAsResult,
  exit,
  everyDeath,
  cancelComputing,
  cancelWaiting,
  cancelDeaf,
  endWhileRunning,
  nextAfterCancel,
  thrownThings,
  deathBesideOthers,
  manyOutstanding,
  deathBeforeMany,
]
