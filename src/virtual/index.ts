/// <reference lib="esnext.disposable" preserve="true" />
/**
 * `corepool/virtual`: pools of virtual threads, and nothing of what platform threads need. The classes are those of
 * `corepool`, also if a program loads both.
 */

// Executors: where tasks run.
export {
  Executors,
  newCachedThreadPool,
  newFixedThreadPool,
  newScheduledThreadPool,
  newSingleThreadExecutor,
  newSingleThreadScheduledExecutor,
  newThreadPerTaskExecutor,
  newVirtualThreadPerTaskExecutor,
} from "./executors.ts"
export { ScheduledThreadPoolExecutor, ThreadPoolExecutor } from "./pools.ts"
export * from "../executor/index.ts"
export * from "../pool/index.ts"
export * from "../schedule/index.ts"
export type { Clock, ClockTimer } from "../time/clock.ts"

// Futures: the results of tasks.
export * from "../future/index.ts"

// Threads: they run the tasks.
export { Thread } from "./thread.ts"
export type { ThreadFactory } from "../thread/thread-factory.ts"
export type { UncaughtExceptionHandler } from "../thread/uncaught.ts"

// Queues: tasks wait in them, and virtual threads hand each other elements by them.
export { ArrayBlockingQueue } from "../queue/array-blocking-queue.ts"
export { BlockingQueue } from "../queue/base/blocking-queue.ts"
export { type Delayed, DelayQueue } from "../queue/delay-queue.ts"
export type { Comparator } from "../queue/local/heap.ts"
export type { QueueIterator } from "../queue/local/iteration.ts"
export { LinkedBlockingDeque } from "../queue/linked-blocking-deque.ts"
export { LinkedBlockingQueue } from "../queue/linked-blocking-queue.ts"
export { LinkedTransferQueue } from "../queue/linked-transfer-queue.ts"
export type { Comparable, KeyOrder } from "../queue/local/order.ts"
export { PriorityBlockingQueue } from "../queue/priority-blocking-queue.ts"
export { SynchronousQueue } from "../queue/synchronous-queue.ts"
export type { WaitOptions } from "../memory/flow/waiting.ts"

// Errors: what can go wrong.
export * from "../errors.ts"
