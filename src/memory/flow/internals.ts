/** Names of members of threads that only corepool uses: see src/future/internals.ts. */
export const FLOW: unique symbol = "c$flow" as never
export const REPORT_UNCAUGHT: unique symbol = "c$reportUncaught" as never
/** Of a rate limiter: how pools use it. */
export const GIVE_BACK: unique symbol = "c$giveBack" as never
export const PACE: unique symbol = "c$pace" as never
