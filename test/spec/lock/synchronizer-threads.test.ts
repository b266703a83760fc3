import { ReentrantLock } from "corepool"
import { sharedWords, store } from "#src/memory/atomics.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { Workers } from "../../support/workers.ts"
import { Task } from "./support.ts"
import { BooleanLatch, FairMutex, Mutex } from "./synchronizers.ts"

const JOBS = new URL("synchronizer.workers.js", import.meta.url)

const STRESS = Number(process.env["STRESS"] ?? 1)

test("[QS16] a synchronizer that was posted is the same there", async () => {
  await using workers = new Workers()
  for (const blocking of [true, false]) {
    const mutex = new Mutex()
    await mutex.acquire(3)
    const other = workers.run(JOBS, "acquire", mutex, 5, blocking)
    await other.heard("acquiring")
    await eventually(() => mutex.queueLength === 1)
    assert.deepEqual(
      mutex.queuedThreads.map(({ isLocal }) => isLocal),
      [false],
    )
    mutex.release(3)
    await other.heard(5)
    assert.equal(mutex.value, 5)
    const call = await new Task().waitIn(() => mutex.acquire(9))
    mutex.release(5)
    await call.ends()
    assert.equal(mutex.value, 9)
  }
})

test("[QS16] a latch opens for all threads", async () => {
  await using workers = new Workers()
  const latch = new BooleanLatch()
  const others = [workers.run(JOBS, "pass", latch, true), workers.run(JOBS, "pass", latch.handle, false)]
  await eventually(() => latch.queueLength === 2)
  const here = await new Task().waitIn(() => latch.acquireShared(1))
  workers.run(JOBS, "openLatch", latch)
  latch.acquireSharedSync(1)
  await here.ends()
  for (const other of others) assert.equal(await other.result, true)
})

test("[QS16][QS19] a condition of a synchronizer, too, is the same there", async () => {
  await using workers = new Workers()
  const mutex = new Mutex()
  const condition = mutex.newCondition()
  const other = workers.run(JOBS, "waitForSignal", mutex, condition, 42)
  for (let waiting = 0; waiting === 0;) {
    await mutex.acquire(1)
    waiting = condition.waitQueueLength
    mutex.release(1)
  }
  await mutex.acquire(1)
  condition.signal()
  mutex.release(1)
  assert.equal(await other.result, 42)
})

for (const [name, Kind, overtaken] of [
  ["Mutex", Mutex, true],
  ["FairMutex", FairMutex, false],
] as const) {
  test("[QS3][QS10] a newcomer overtakes those who wait, unless the subclass asks whether there are any", async () => {
    await using workers = new Workers()
    const mutex = new Kind()
    const word = sharedWords(1)
    await mutex.acquire(1)
    const slow = workers.run(JOBS, "stony", mutex, word)
    await slow.heard("waiting")
    assert.equal(mutex.queueLength, 1)
    mutex.release(1) // it is free now, and the one who waits does not know yet
    assert.equal(mutex.tries(), overtaken, name)
    if (overtaken) mutex.release(1)
    const call = new Task().call(() => mutex.acquire(1))
    if (overtaken) await call.ends()
    else await call.waits()
    store(word, 0, 1)
    if (overtaken) mutex.release(1)
    await slow.result
    await eventually(() => !call.isPending)
    await call.ends()
  })
}

test("[QS15] those who give up in several threads at once leave nothing behind", async () => {
  await using workers = new Workers()
  const lock = new ReentrantLock()
  const word = sharedWords(1)
  const rounds = 60 * STRESS
  const hands = [0, 1, 2].map(() => workers.run(JOBS, "hurry", lock, word, rounds))
  const counts = (await Promise.all(hands.map(({ result }) => result))) as number[]
  assert.equal(
    word[0],
    counts.reduce((sum, count) => sum + count, 0),
  )
  assert.equal(lock.isLocked, false)
  assert.equal(lock.queueLength, 0)
  assert.equal(await lock.tryLock(0), true)
})

test("[QS22] what a dead thread had acquired stays acquired", async () => {
  await using workers = new Workers()
  const mutex = new Mutex()
  const holder = workers.run(JOBS, "acquire", mutex, 5, true)
  await holder.heard(5)
  const call = await new Task().waitIn(() => mutex.acquire(1))
  await holder.kill()
  await call.waits()
  assert.equal(mutex.value, 5)
  mutex.release(5)
  await call.ends()
})

test("[QS22] who waits in a thread that dies is skipped", async () => {
  await using workers = new Workers()
  for (const blocking of [true, false]) {
    const mutex = new Mutex()
    await mutex.acquire(1)
    const dead = workers.run(JOBS, "acquire", mutex, 5, blocking)
    await eventually(() => mutex.queueLength === 1)
    const call = await new Task().waitIn(() => mutex.acquire(7))
    await dead.kill()
    assert.equal(mutex.queueLength, 1)
    mutex.release(1)
    await call.ends()
    assert.equal(mutex.value, 7)
  }
})
