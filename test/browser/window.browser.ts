/** What a window does that may not block: docs/spec/browser.md. */
import assert from "node:assert/strict"
import { after, test } from "node:test"
import { inPage } from "./harness.ts"
import { closeBrowser } from "./pages.ts"

after(closeBrowser)

test("[BR17] a window uses a queue that threads use at the same time, without an error", async () => {
  const seen = await inPage<number[]>(`
    const pool = Executors.newFixedThreadPool(2)
    const queue = new LinkedBlockingQueue(64)
    const churning = [1, 2].map(() => pool.submit(t.churn, queue, 20_000))
    let errors = 0
    let calls = 0
    let isOver = false
    const over = Promise.all(churning).then(() => (isOver = true))
    do {
      for (const call of [() => queue.offer(1), () => queue.size, () => queue.poll(), () => queue.peek(), () => queue.contains(-1), () => queue.remainingCapacity]) {
        calls++
        try { call() } catch { errors++ }
      }
      if (calls % 60 === 0) await new Promise((resolve) => setTimeout(resolve))
    } while (!isOver)
    await over
    await pool.close()
    return [errors, Math.min(calls, 300)]`)
  assert.deepEqual(seen, [0, 300])
})

test("[BR17] and a barrier and a phaser", async () => {
  const seen = await inPage<unknown[]>(`
    const { CyclicBarrier, Phaser, Semaphore } = corepool
    const pool = Executors.newFixedThreadPool(2)
    const barrier = new CyclicBarrier(2)
    const phaser = new Phaser(3)
    const meet = (b, p) => { for (let i = 0; i < 300; i++) { b.awaitSync(); p.arriveAndAwaitAdvanceSync() } return p.phase }
    const meeting = [1, 2].map(() => pool.submit(meet, barrier, phaser))
    let errors = 0
    for (let i = 0; i < 300; i++) {
      try { barrier.isBroken; barrier.numberWaiting; phaser.bulkRegister(0) } catch (error) { errors++ }
      await phaser.arriveAndAwaitAdvance()
    }
    const seen = [errors, ...(await Promise.all(meeting))]
    await pool.close()
    return seen`)
  assert.deepEqual(seen, [0, 300, 300])
})
