/** Names of members of executors that only corepool uses: see src/future/internals.ts. */
export const BULK_MAP: unique symbol = "c$bulkMap" as never
export const CALLABLE: unique symbol = "c$callable" as never
export const DEFAULT_WINDOW: unique symbol = "c$defaultWindow" as never
export const HOST: unique symbol = "c$host" as never
export const ORDERS_BY_PRIORITY: unique symbol = "c$ordersByPriority" as never
export const RETRIES: unique symbol = "c$retries" as never
export const TASK_FOR: unique symbol = "c$taskFor" as never
export const WITHDRAW: unique symbol = "c$withdraw" as never
