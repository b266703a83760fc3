export { type Croner, type CronOptions, useCroner } from "./cron-calendar.ts"
export type { ScheduledExecutorService, ScheduledFuture } from "./scheduled-future.ts"
export type { ScheduledPoolStats, ScheduledThreadPoolOptions } from "./scheduled-thread-pool-executor.ts"
