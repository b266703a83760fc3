export {
  AbortPolicy,
  CallerRunsPolicy,
  DiscardOldestPolicy,
  DiscardPolicy,
  type RejectedExecutionHandler,
  type RejectionPolicy,
} from "./rejection.ts"
export type { Capabilities, PoolStats, ThreadPoolOptions } from "./thread-pool-options.ts"
