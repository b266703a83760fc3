/** Names of members of synchronizers and locks that only corepool uses: see src/future/internals.ts. */
export const CONDITION_AT: unique symbol = "c$conditionAt" as never
export const FACE: unique symbol = "c$face" as never
export const IS_TAKEN_BACK_AT_ONCE: unique symbol = "c$isTakenBackAtOnce" as never
export const MEMORY: unique symbol = "c$memory" as never
export const NOTE_CONTENTION: unique symbol = "c$noteContention" as never
export const NOTE_QUEUED: unique symbol = "c$noteQueued" as never
export const WAITED_FOR: unique symbol = "c$waitedFor" as never
export const WAIT_QUEUE: unique symbol = "c$waitQueue" as never
export const REFUSE_TO_BLOCK: unique symbol = "c$refuseToBlock" as never
export const RELEASE_ALL: unique symbol = "c$releaseAll" as never
export const REQUIRE_OWN: unique symbol = "c$requireOwn" as never
export const SYNC: unique symbol = "c$sync" as never
export const TRY_ACQUIRE_AGAIN: unique symbol = "c$tryAcquireAgain" as never
export const TRY_OUT_OF_TURN: unique symbol = "c$tryOutOfTurn" as never
