/** Tasks that fork, with a known course of events. */
import { CountDownLatch, fork, Semaphore, task, Thread } from "corepool"

/** Begins only in another thread: that of its parent is blocked until then. */
export const stolen = task(import.meta.url, function stolen(begun: CountDownLatch, goOn: CountDownLatch): number {
  begun.countDown()
  goOn.awaitSync()
  return 1
})

/** Forks {@link stolen}, is blocked until a thief has begun it, and joins it. */
export const parent = task(import.meta.url, function parent(begun: CountDownLatch, goOn: CountDownLatch): number {
  const part = fork(stolen, begun, goOn)
  begun.awaitSync()
  return part.join() + 1
})

export const part = task(import.meta.url, function part(ms: number): number {
  Thread.sleepSync(ms)
  return 1
})

/** Runs both parts itself: no other thread can, as its pool has one. */
export const alone = task(import.meta.url, function alone(): number {
  const long = fork(part, 5)
  const short = fork(part, 0)
  return short.join() + long.join()
})

export const nap = task(import.meta.url, function nap(): void {
  Thread.sleepSync(1)
})

/** Waits for a permit, blocked or not. */
export const acquire = task(import.meta.url, async function acquire(permits: Semaphore, isBlocked: boolean) {
  if (isBlocked) permits.acquireSync()
  else await permits.acquire()
})
