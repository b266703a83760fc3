/** Names of members of scheduled executors that only corepool uses: see src/future/internals.ts. */
export const START: unique symbol = "c$start" as never
export const START_CRON: unique symbol = "c$startCron" as never
