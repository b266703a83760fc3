/** Tasks of the tests of `orTimeout`, on both kinds of threads. */
import { type CountDownLatch, task, Thread } from "corepool"

const url = import.meta.url

/** Counts down when it begins, and again when its sleep is interrupted. */
export const sleepLong = task(url, async function sleepLong(latch?: CountDownLatch): Promise<void> {
  latch?.countDown()
  try {
    await Thread.sleep(3_600_000)
  } finally {
    latch?.countDown()
  }
})

export const pass = task(url, async function pass(latch: CountDownLatch): Promise<void> {
  await latch.await()
})

export const open = task(url, function open(latch: CountDownLatch): void {
  latch.countDown()
})
