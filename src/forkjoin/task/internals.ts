/** Names of members of fork/join tasks that only corepool uses: see src/future/internals.ts. */
export const ARRIVED: unique symbol = "c$arrived" as never
export const AS_FUTURE: unique symbol = "c$asFuture" as never
export const CAN_BE_JOINED: unique symbol = "c$canBeJoined" as never
export const COMPLETE_AS: unique symbol = "c$completeAs" as never
export const COMPUTE_ALL: unique symbol = "c$computeAll" as never
export const DIFFERS: unique symbol = "c$differs" as never
export const ENDING_OF: unique symbol = "c$endingOf" as never
export const FINISH: unique symbol = "c$finish" as never
export const GO_TO: unique symbol = "c$goTo" as never
export const HIDDEN: unique symbol = "c$hidden" as never
export const IS_FRESH: unique symbol = "c$isFresh" as never
export const IS_PART_OF: unique symbol = "c$isPartOf" as never
export const IS_RUNNING: unique symbol = "c$isRunning" as never
export const LIE_IN: unique symbol = "c$lieIn" as never
export const MISUSED: unique symbol = "c$misused" as never
export const PORTABLE: unique symbol = "c$portable" as never
export const RECEIVED: unique symbol = "c$received" as never
export const REMEMBER: unique symbol = "c$remember" as never
export const RESTORE: unique symbol = "c$restore" as never
export const RUN_HERE: unique symbol = "c$runHere" as never
export const SLOT: unique symbol = "c$slot" as never
export { COME_BACK, IS_SETTLED } from "../../future/internals.ts"
