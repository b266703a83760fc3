export { adaptQueue, type TaskQueue } from "./own-queue.ts"
export {
  AbortPolicy,
  CallerRunsPolicy,
  DiscardOldestPolicy,
  DiscardPolicy,
  type RejectedExecutionHandler,
  type RejectionPolicy,
} from "./rejection.ts"
export type { Capabilities } from "./engine/capabilities.ts"
export type { CachedPoolOptions, Growth, PoolStats, ThreadPoolOptions } from "./thread-pool-options.ts"
export { type VirtualThreadOptions, virtualThreads } from "./virtual/virtual-threads.ts"
