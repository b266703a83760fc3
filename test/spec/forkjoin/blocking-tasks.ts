/** Tasks that wait for something else than what they have forked. */
import {
  type Condition,
  type CountDownLatch,
  type Exchanger,
  type ExecutorService,
  fork,
  ForkJoinPool,
  type LinkedBlockingQueue,
  type Phaser,
  ReentrantLock,
  type Semaphore,
  task,
} from "corepool"
import { words } from "../../support/shared-words.ts"

export const awaitLatch = task(import.meta.url, function awaitLatch(latch: CountDownLatch, index: number): string {
  Atomics.add(words, index, 1)
  latch.awaitSync()
  return "latch"
})

export const countDown = task(import.meta.url, function countDown(latch: CountDownLatch): void {
  latch.countDown()
})

export const acquire = task(import.meta.url, function acquire(semaphore: Semaphore): string {
  fork(release, semaphore)
  semaphore.acquireSync()
  return "semaphore"
})

const release = task(import.meta.url, function release(semaphore: Semaphore): void {
  semaphore.release()
})

export const takeFrom = task(import.meta.url, function takeFrom(queue: LinkedBlockingQueue<string>): string {
  fork(putInto, queue)
  return queue.takeSync()
})

const putInto = task(import.meta.url, function putInto(queue: LinkedBlockingQueue<string>): void {
  queue.putSync("queue")
})

export const exchange = task(import.meta.url, function exchange(exchanger: Exchanger<string>): string {
  fork(exchangeToo, exchanger)
  return exchanger.exchangeSync("other")
})

const exchangeToo = task(import.meta.url, function exchangeToo(exchanger: Exchanger<string>): void {
  exchanger.exchangeSync("exchanger")
})

/** The phaser has two parties. */
export const advance = task(import.meta.url, function advance(phaser: Phaser): string {
  fork(arrive, phaser)
  phaser.arriveAndAwaitAdvanceSync()
  return "phaser"
})

const arrive = task(import.meta.url, function arrive(phaser: Phaser): void {
  phaser.arrive()
})

/** Waits for a condition that its part signals. */
export const awaitCondition = task(import.meta.url, function awaitCondition(index: number): string {
  const lock = new ReentrantLock()
  const condition = lock.newCondition()
  fork(signal, lock, condition.handle, index)
  using _ = lock.lockSync()
  while (Atomics.load(words, index) === 0) condition.awaitSync()
  return "condition"
})

const signal = task(import.meta.url, function signal(lock: ReentrantLock, condition: Handle, index: number): void {
  using _ = lock.lockSync()
  Atomics.store(words, index, 1)
  lock.conditionFrom(condition).signal()
})

type Handle = Condition["handle"]

/** Waits for a task of another pool, which waits for one of this pool, and so on. */
export const pingPong = task(
  import.meta.url,
  function pingPong(here: ForkJoinPool, there: ExecutorService, depth: number): number {
    return depth === 0 ? 0 : 1 + there.submit(pingPong, there as ForkJoinPool, here, depth - 1).getSync()
  },
)

export const later = task(import.meta.url, async function later(value: number): Promise<number> {
  await Promise.resolve()
  return value
})

/** Blocks for a task of its own pool that this thread cannot run while it does. */
export const blockForAsync = task(import.meta.url, function blockForAsync(pool: ForkJoinPool): number {
  return pool.submit(later, 7).getSync()
})

/** Waits for what its part does, in a way that only the task itself knows. How often it was asked, and has blocked. */
export const blockManaged = task(import.meta.url, function blockManaged(index: number): number[] {
  fork(raise, index)
  let asked = 0
  let blocked = 0
  ForkJoinPool.managedBlock({
    isReleasable: () => {
      asked++
      return false
    },
    block: () => {
      blocked++
      Atomics.wait(words, index, 0)
      return Atomics.load(words, index) !== 0
    },
  })
  return [asked, blocked]
})

export const raise = task(import.meta.url, function raise(index: number): void {
  Atomics.store(words, index, 1)
  Atomics.notify(words, index)
})

const NEVER = new Int32Array(new SharedArrayBuffer(4))

/**
 * Forks what needs memory that only this thread knows, and a thousand that need nothing; then it joins those, one each
 * millisecond, and forks nothing more. How many were left when the first had begun.
 */
export const joinUntilBegun = task(import.meta.url, function joinUntilBegun(index: number): number {
  const first = fork(useMemory, new Int32Array(new SharedArrayBuffer(8)), index)
  const others = Array.from({ length: 5000 }, () => fork(nothing))
  while (others.length > 0 && Atomics.load(words, index) === 0) {
    others.pop()?.join()
    Atomics.wait(NEVER, 0, 0, 1)
  }
  const { length } = others
  for (const other of others.reverse()) other.join()
  return first.join() === 7 ? length : -1
})

const useMemory = task(import.meta.url, function useMemory(memory: Int32Array, index: number): number {
  Atomics.store(words, index, 1)
  return Atomics.add(memory, 0, 7) + 7
})

const nothing = task(import.meta.url, function nothing(): void {})
