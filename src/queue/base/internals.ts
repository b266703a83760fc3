/** The name of a member of queues that only corepool uses: see src/future/internals.ts. */
export const CORE: unique symbol = "c$core" as never
