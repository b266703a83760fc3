/** What the two worker threads of the contest "synchronizers" do, each so many turns. */
import { parentPort, workerData } from "node:worker_threads"
import { corepool } from "./corepool.ts"
import type { Job } from "./two-workers.ts"

const number = workerData as number
const { CountDownLatch, CyclicBarrier, ReentrantLock, Semaphore } = await corepool()

type Received = Parameters<typeof ReentrantLock.from>[0]

const works: Record<string, (shared: Record<string, unknown>, turns: number) => void> = {
  lock({ lock, counter }, turns) {
    const mutex = ReentrantLock.from(lock as Received)
    const count = counter as Int32Array
    for (let i = 0; i < turns; i++) {
      mutex.lockSync()
      count[0] = (count[0] ?? 0) + 1
      mutex.unlock()
    }
  },

  semaphore({ semaphore, counter }, turns) {
    const permits = Semaphore.from(semaphore as Received)
    const count = counter as Int32Array
    for (let i = 0; i < turns; i++) {
      permits.acquireSync()
      count[0] = (count[0] ?? 0) + 1
      permits.release()
    }
  },

  barrier({ barrier }, turns) {
    const meeting = CyclicBarrier.from(barrier as Received)
    for (let i = 0; i < turns; i++) meeting.awaitSync()
  },

  /** There and back: one counts down and waits for the other to do the same. */
  latch({ latches }, turns) {
    const all = (latches as Received[]).map((latch) => CountDownLatch.from(latch))
    for (let i = 0; i < turns; i++) {
      if (number === 0) all[2 * i]?.countDown()
      all[2 * i + 1 - number]?.awaitSync()
      if (number === 1) all[2 * i + 1]?.countDown()
    }
  },
}

parentPort?.on("message", ({ work, shared, turns }: Job) => {
  works[work]?.(shared, turns)
  parentPort?.postMessage("done")
})
