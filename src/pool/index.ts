export {
  AbortPolicy,
  CallerRunsPolicy,
  DiscardOldestPolicy,
  DiscardPolicy,
  type RejectedExecutionHandler,
  type RejectionPolicy,
} from "./rejection.ts"
export { type Capabilities, ThreadPoolExecutor, type ThreadPoolOptions } from "./thread-pool-executor.ts"
