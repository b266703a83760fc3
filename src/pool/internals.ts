/** Names of members of pools that only corepool uses: see src/future/internals.ts. */
export const ENGINE: unique symbol = "c$engine" as never
export const GIVE_TO_ENGINE: unique symbol = "c$giveToEngine" as never
export const LABEL: unique symbol = "c$label" as never
export const ON_SHUTDOWN: unique symbol = "c$onShutdown" as never
export const INFO: unique symbol = "c$info" as never
export const REFUSE: unique symbol = "c$refuse" as never
export const THREADS: unique symbol = "c$threads" as never
