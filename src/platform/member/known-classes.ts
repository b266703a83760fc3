/**
 * Registers the classes whose shared objects a task can receive and return: a lock arrives as a lock. The codec stands
 * below these classes and cannot name them. If each class registered itself, no bundler could leave out an unused one.
 * So this is done here, once in every thread that uses a pool.
 */
import { AtomicInteger } from "../../atomic/atomic-integer.ts"
import { AtomicLong } from "../../atomic/atomic-long.ts"
import { registerShareable, reviveShareable } from "../../codec/revival.ts"
import { registerKeyed, registerPart } from "../../codec/keys.ts"
import { type DelegatedHandle, DelegatedExecutorService } from "../../executor/service/delegated-executor-service.ts"
import type { ExecutorService } from "../../executor/executor.ts"
import type { ViewHandle } from "../../executor/sending.ts"
import { ReentrantLock } from "../../lock/reentrant-lock.ts"
import { ReentrantReadWriteLock } from "../../lock/reentrant-read-write-lock.ts"
import type { Handle, Shared } from "../../memory/shared/shared-memory.ts"
import { ArrayBlockingQueue } from "../../queue/array-blocking-queue.ts"
import { DelayQueue } from "../../queue/delay-queue.ts"
import { LinkedBlockingDeque } from "../../queue/linked-blocking-deque.ts"
import { LinkedBlockingQueue } from "../../queue/linked-blocking-queue.ts"
import { LinkedTransferQueue } from "../../queue/linked-transfer-queue.ts"
import { PriorityBlockingQueue } from "../../queue/priority-blocking-queue.ts"
import { SynchronousQueue } from "../../queue/synchronous-queue.ts"
import { CountDownLatch } from "../../sync/count-down-latch.ts"
import { CyclicBarrier } from "../../sync/cyclic-barrier.ts"
import { Exchanger } from "../../sync/exchanger.ts"
import { Phaser } from "../../sync/phaser.ts"
import { RateLimiter } from "../../sync/rate-limiter.ts"
import { Semaphore } from "../../sync/semaphore.ts"

/** Lets this thread send and receive shared objects of these classes. No effect the second time. */
export function registerKnownClasses(): void {
  for (const [name, open] of Object.entries(openers)) registerShareable(name, open)
  registerKeyed("AbstractQueuedSynchronizer")
  registerKeyed("Condition")
  registerPart("ReadLock", ({ readLock }: ReentrantReadWriteLock) => readLock)
  registerPart("WriteLock", ({ writeLock }: ReentrantReadWriteLock) => writeLock)
  registerPart("Condition", (lock: ReentrantLock | ReentrantReadWriteLock, handle) =>
    ("writeLock" in lock ? lock.writeLock : lock).conditionFrom(handle as Handle),
  )
  registerShareable("ExecutorView", ({ inner, options }: ViewHandle) =>
    (reviveShareable(inner.corepool, inner) as ExecutorService).with(options),
  )
}

/** The same for pools; `open` knows how a pool is opened, as this file stands below them. */
export function registerPools(open: (handle: Shared) => ExecutorService): void {
  registerShareable("ThreadPoolExecutor", open)
  registerShareable("DelegatedExecutorService", (handle: DelegatedHandle) => {
    const inner = reviveShareable(handle.inner.corepool, handle.inner)
    return new DelegatedExecutorService(inner as ExecutorService)
  })
}

/** The same for scheduled pools. */
export function registerScheduledPools(
  open: (handle: Shared) => ExecutorService,
  delegate: (inner: never) => ExecutorService,
): void {
  registerShareable("ScheduledThreadPoolExecutor", open)
  registerShareable("DelegatedScheduledExecutorService", (handle: DelegatedHandle) =>
    delegate(reviveShareable(handle.inner.corepool, handle.inner) as never),
  )
}

export function registerForkJoinPools(open: (handle: Shared) => ExecutorService): void {
  registerShareable("ForkJoinPool", open)
}

/** By the name in the handle. */
const openers: Readonly<Record<string, (handle: Shared) => object>> = {
  AtomicInteger: (handle) => AtomicInteger.from(handle),
  AtomicLong: (handle) => AtomicLong.from(handle),
  ReentrantLock: (handle) => ReentrantLock.from(handle),
  ReentrantReadWriteLock: (handle) => ReentrantReadWriteLock.from(handle),
  ArrayBlockingQueue: (handle) => ArrayBlockingQueue.from(handle),
  DelayQueue: (handle) => DelayQueue.from(handle),
  LinkedBlockingDeque: (handle) => LinkedBlockingDeque.from(handle),
  LinkedBlockingQueue: (handle) => LinkedBlockingQueue.from(handle),
  LinkedTransferQueue: (handle) => LinkedTransferQueue.from(handle),
  PriorityBlockingQueue: (handle) => PriorityBlockingQueue.from(handle),
  SynchronousQueue: (handle) => SynchronousQueue.from(handle),
  CountDownLatch: (handle) => CountDownLatch.from(handle),
  CyclicBarrier: (handle) => CyclicBarrier.from(handle),
  Exchanger: (handle) => Exchanger.from(handle),
  Phaser: (handle) => Phaser.from(handle),
  RateLimiter: (handle) => RateLimiter.from(handle),
  Semaphore: (handle) => Semaphore.from(handle),
}
