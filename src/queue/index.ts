export { BlockingQueue } from "./blocking-queue.ts"
export type { Delayed } from "./delay-queue.ts"
export type { Comparator } from "./heap.ts"
export type { QueueIterator } from "./iteration.ts"
export type { Comparable } from "./order.ts"
export {
  ArrayBlockingQueue,
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "./shareable-queues.ts"
export type { WaitOptions } from "../memory/waiting.ts"
