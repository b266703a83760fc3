export { type Croner, type CronOptions, useCroner } from "./cron-calendar.ts"
export type { ScheduledExecutorService, ScheduledFuture } from "./scheduled-future.ts"
export type { ScheduledThreadPoolOptions } from "./scheduled-options.ts"
export type { ScheduledPoolStats } from "./scheduled-thread-pool-executor.ts"
