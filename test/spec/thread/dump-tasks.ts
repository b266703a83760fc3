/** Tasks of the tests of thread dumps. */
import {
  type Condition,
  type CountDownLatch,
  type CyclicBarrier,
  type LinkedBlockingQueue,
  type ReentrantLock,
  type ReentrantReadWriteLock,
  type Semaphore,
  task,
  Thread,
  type ThreadPoolExecutor,
} from "corepool"

const url = import.meta.url

export const lockBlocking = task(url, function lockBlocking(lock: ReentrantLock): string {
  const guard = lock.lockSync()
  guard.unlock()
  return "locked"
})

export const lockAwaiting = task(url, async function lockAwaiting(lock: ReentrantLock): Promise<string> {
  const guard = await lock.lock()
  guard.unlock()
  return "locked"
})

/** Ends its thread while this thread waits for the lock a few times. */
export const dieWaiting = task(url, function dieWaiting(lock: ReentrantLock): void {
  for (let i = 0; i < 8; i++) void lock.lock()
  process.exit(3)
})

export const writeBlocking = task(url, function writeBlocking(lock: ReentrantReadWriteLock): void {
  lock.writeLock.lockSync().unlock()
})

export const holdBoth = task(
  url,
  async function holdBoth(first: ReentrantLock, second: ReentrantLock, both: CyclicBarrier): Promise<string> {
    const guard = await first.lock()
    await both.await()
    try {
      ;(await second.lockInterruptibly()).unlock()
      return "both"
    } catch (error) {
      return (error as Error).name
    } finally {
      guard.unlock()
    }
  },
)

export const acquireOne = task(url, function acquireOne(semaphore: Semaphore): void {
  semaphore.acquireSync()
})

export const takeOne = task(url, function takeOne(queue: LinkedBlockingQueue<string>): string {
  return queue.takeSync()
})

export const passLatch = task(url, async function passLatch(latch: CountDownLatch): Promise<void> {
  await latch.await()
})

export const awaitCondition = task(url, function awaitCondition(lock: ReentrantLock, condition: Condition): void {
  const guard = lock.lockSync()
  condition.awaitSync()
  guard.unlock()
})

export const compute = task(url, function compute(words: Int32Array): number {
  Atomics.store(words, 0, 1)
  let turns = 0
  while (Atomics.load(words, 1) === 0) turns++
  return turns
})

/** The thread that has run this listens to the pool as long as it lives. */
export const sizeOf = task(url, function sizeOf(pool: ThreadPoolExecutor): number {
  return pool.poolSize
})

export const dumpHere = task(url, function dumpHere(): string[] {
  return Thread.dump({ format: "json" }).threadContainers.flatMap(({ threads }) => threads.map(({ name }) => name))
})
