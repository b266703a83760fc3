export { BlockingQueue } from "./base/blocking-queue.ts"
export type { Delayed } from "./delay-queue.ts"
export type { Comparator } from "./local/heap.ts"
export type { QueueIterator } from "./local/iteration.ts"
export type { Comparable, KeyOrder } from "./local/order.ts"
export {
  ArrayBlockingQueue,
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "./shareable-queues.ts"
export type { WaitOptions } from "../memory/flow/waiting.ts"
