/** The name of a member of atomic numbers that only corepool uses: see src/future/internals.ts. */
export const RESULT_OF: unique symbol = "c$resultOf" as never
