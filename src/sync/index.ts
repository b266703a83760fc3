export { CountDownLatch } from "./count-down-latch.ts"
export { type BarrierAction, CyclicBarrier } from "./cyclic-barrier.ts"
export { type Permits, Semaphore } from "./semaphore.ts"
