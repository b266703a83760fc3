/** Latches between threads: blocked ones and ones that await. */
import { SYNC } from "#src/lock/internals.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { CountDownLatch, Semaphore, type Shared } from "corepool"
import { sharedWords } from "#src/memory/atomics.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { Workers } from "../../support/workers.ts"
import { queueOf, Task } from "../lock/support.ts"
import { eventually } from "../../support/harness.ts"
import type { AbstractQueuedSynchronizer } from "#src/lock/index.js"

const JOBS = new URL("synchronizers.workers.js", import.meta.url)

/** How many wait. */
function waitersOf(latch: CountDownLatch): number {
  return queueOf((latch as unknown as { [SYNC]: AbstractQueuedSynchronizer })[SYNC]).length
}

test("[CL10] a latch that was posted is the same one", async () => {
  await using workers = new Workers()
  const latch = new CountDownLatch(5)
  assert.equal(await workers.run(JOBS, "countDownTimes", latch, 2).result, 3)
  assert.equal(await workers.run(JOBS, "countDownTimes", latch.handle, 1).result, 2)
  assert.equal(latch.count, 2)
})

test("[CL10] what is no latch is refused", () => {
  for (const wrong of [null, 1, {}, new Semaphore(1), new Semaphore(1).handle]) {
    assert.throws(() => CountDownLatch.from(wrong as Shared), {
      name: "TypeError",
      message: /^Expected `handle` to be the handle of a CountDownLatch, got /,
    })
  }
})

test("[CL11] blocked threads and flows that await, in all threads, go on at 0", async () => {
  await using workers = new Workers()
  const latch = new CountDownLatch(2)
  const hands = [true, false, true].map((blocks) => workers.run(JOBS, "awaitLatch", latch, blocks))
  const call = await new Task().waitIn(() => latch.await())
  await eventually(() => waitersOf(latch) === 4)
  latch.countDown()
  assert.equal(await workers.run(JOBS, "countDownTimes", latch, 1).result, 0)
  for (const hand of hands) assert.equal(await hand.result, true)
  await eventually(() => !call.isPending)
  assert.equal(await call.ends(), true)
})

test("[CL4][CL5][CL11] a blocked thread can be interrupted, and runs out of time", async () => {
  await using workers = new Workers()
  const latch = new CountDownLatch(1)
  assert.equal(await workers.run(JOBS, "awaitLatch", latch, true, 15).result, false)
  const hand = workers.run(JOBS, "awaitLatch", latch, true)
  await hand.heard("waiting")
  await eventually(() => waitersOf(latch) === 1)
  threadContext().registry.interrupt((await hand.firstWord()) as number)
  assert.equal(await hand.result, "InterruptedError")
  assert.equal(waitersOf(latch), 0)
})

test("[CL11] the main thread may block, too", async () => {
  await using workers = new Workers()
  const latch = new CountDownLatch(3)
  const hand = workers.run(JOBS, "countDownTimes", latch, 3)
  assert.equal(latch.awaitSync(), true)
  assert.equal(await hand.result, 0)
})

test("[CL12] what was written before it was counted down is seen afterwards", async () => {
  await using workers = new Workers()
  for (let round = 0; round < 5; round++) {
    const shared = { latch: new CountDownLatch(3), words: sharedWords(3) }
    const hands = [0, 1, 2].map((index) => workers.run(JOBS, "writeAndCountDown", shared, index))
    assert.equal(await shared.latch.await(), true)
    assert.deepEqual([...shared.words], [1, 2, 3])
    for (const hand of hands) assert.equal(await hand.result, 6)
  }
})

test("[CL14] a thread that dies while it waits is forgotten", async () => {
  await using workers = new Workers()
  for (const blocks of [true, false]) {
    const latch = new CountDownLatch(1)
    const doomed = workers.run(JOBS, "awaitLatch", latch, blocks)
    await eventually(() => waitersOf(latch) === 1)
    const call = await new Task().waitIn(() => latch.await())
    await doomed.kill()
    await call.waits()
    latch.countDown()
    assert.equal(await call.ends(), true)
    assert.equal(waitersOf(latch), 0)
  }
})

test("[CL14] a thread that dies before it has counted down is still counted on", async () => {
  await using workers = new Workers()
  const latch = new CountDownLatch(2)
  const doomed = workers.run(JOBS, "awaitLatch", latch, true)
  await doomed.heard("waiting")
  const call = await new Task().waitIn(() => latch.await())
  await doomed.kill()
  latch.countDown()
  await call.waits()
  assert.equal(latch.count, 1)
  latch.countDown() // in its place
  assert.equal(await call.ends(), true)
})
