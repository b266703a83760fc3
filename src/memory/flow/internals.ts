/** Names of members of threads that only corepool uses: see src/future/internals.ts. */
export const FLOW: unique symbol = "c$flow" as never
export const REPORT_UNCAUGHT: unique symbol = "c$reportUncaught" as never
