import assert from "node:assert/strict"
import { test } from "node:test"
import { CountDownLatch } from "corepool"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { Task, tasks, timeLimit } from "../lock/support.ts"

test("[CL1] the count is what it was made with", () => {
  for (const count of [0, 1, 2 ** 31 - 1]) assert.equal(new CountDownLatch(count).count, count)
})

test("[CL1] other counts are refused", () => {
  for (const wrong of [-1, 0.5, Number.NaN, 2 ** 31]) {
    assert.throws(() => new CountDownLatch(wrong), {
      name: "RangeError",
      message: /^Expected `count` to be an integer /,
    })
  }
  for (const wrong of ["1", undefined, null, {}]) {
    assert.throws(() => new CountDownLatch(wrong as number), { name: "TypeError", message: /`count`/ })
  }
})

test("[CL2] countDown makes it one less, until it is 0", () => {
  const latch = new CountDownLatch(2)
  latch.countDown()
  assert.equal(latch.count, 1)
  latch.countDown()
  assert.equal(latch.count, 0)
  latch.countDown()
  assert.equal(latch.count, 0)
})

test("[CL3] all who wait go on when the count is 0, not before, and nobody waits after that", async () => {
  const latch = new CountDownLatch(2)
  const calls = await Promise.all(tasks(2).map((task) => task.waitIn(() => latch.await())))
  latch.countDown()
  calls.push(await new Task().waitIn(() => latch.await()))
  latch.countDown()
  for (const call of calls) assert.equal(await call.ends(), true)
  latch.countDown()
  assert.equal(await latch.await(), true)
  assert.equal(latch.awaitSync(), true)
})

test("[CL3] nobody waits for a latch that begins with 0", async () => {
  const latch = new CountDownLatch(0)
  assert.equal(await latch.await(), true)
  assert.equal(await latch.await(0), true)
  assert.equal(latch.awaitSync(), true)
  assert.equal(latch.awaitSync(0), true)
  latch.countDown()
  assert.equal(latch.count, 0)
})

test("[CL3][CL4] a wait with a limit gives true if the count is 0 in time", async () => {
  const latch = new CountDownLatch(1)
  const call = await new Task().waitIn(() => latch.await(60_000))
  const other = await new Task().waitIn(() => latch.await({ timeout: Infinity }))
  latch.countDown()
  assert.equal(await call.ends(), true)
  assert.equal(await other.ends(), true)
})

test("[CL4] it gives false when the time is up", async () => {
  const latch = new CountDownLatch(1)
  for (const wait of [15, { timeout: 15 }]) {
    const limit = timeLimit(15)
    assert.equal(await latch.await(wait), false)
    assert.equal(limit.isOver, true)
  }
  for (const ms of [0, -1]) {
    assert.equal(await latch.await(ms), false)
    assert.equal(latch.awaitSync(ms), false)
  }
  assert.equal(latch.count, 1)
})

test("[CL4] a limit that is no time is refused", async () => {
  const latch = new CountDownLatch(0)
  assert.ok((await rejectionOf(latch.await(Number.NaN))) instanceof RangeError)
  assert.ok((await rejectionOf(latch.await("1" as unknown as number))) instanceof TypeError)
  assert.throws(() => latch.awaitSync("1" as unknown as number), {
    name: "TypeError",
    message: /^Expected `ms` to be /,
  })
})

test("[CL5] an interrupt ends the wait", async () => {
  const latch = new CountDownLatch(1)
  for (const wait of [undefined, 60_000]) {
    const task = new Task()
    const call = await task.waitIn(() => latch.await(wait))
    task.interrupt()
    await call.failsWith("InterruptedError")
    assert.equal(task.isInterrupted, false)
  }
})

test("[CL5] who is interrupted before does not get through, even if the count is 0", async () => {
  for (const latch of [new CountDownLatch(1), new CountDownLatch(0)]) {
    for (const wait of [undefined, 60_000, 0]) {
      const task = Task.raised()
      await task.call(() => latch.await(wait)).failsWith("InterruptedError")
      assert.equal(task.isInterrupted, false)
    }
    const task = Task.raised()
    assert.throws(() => task.do(() => latch.awaitSync()), { name: "InterruptedError" })
    assert.equal(task.isInterrupted, false)
  }
})

test("[CL6] an abort ends the wait with the reason of the signal", async () => {
  const latch = new CountDownLatch(1)
  const controller = new AbortController()
  const { signal } = controller
  const reason = new Error("enough")
  const call = await new Task().waitIn(() => latch.await({ signal }))
  controller.abort(reason)
  assert.equal(await call.failsWith("Error"), reason)
  latch.countDown()
  assert.equal(await rejectionOf(latch.await({ signal })), reason)
})

test("[CL7] who gives up changes nothing for the others", async () => {
  const latch = new CountDownLatch(1)
  const controller = new AbortController()
  const [first, second, third] = [new Task(), new Task(), new Task()]
  const interrupted = await first.waitIn(() => latch.await())
  const aborted = await second.waitIn(() => latch.await({ signal: controller.signal }))
  const patient = await third.waitIn(() => latch.await())
  const late = new Task().call(() => latch.await(10))
  first.interrupt()
  controller.abort()
  await interrupted.failsWith("InterruptedError")
  await aborted.failsWith("AbortError")
  await eventually(() => !late.isPending)
  assert.equal(await late.ends(), false)
  await patient.waits()
  assert.equal(latch.count, 1)
  latch.countDown()
  assert.equal(await patient.ends(), true)
})

test("[CL8] it shows its count", () => {
  const latch = new CountDownLatch(2)
  assert.match(String(latch), /^CountDownLatch@\d+\[Count = 2\]$/)
  latch.countDown()
  latch.countDown()
  assert.match(String(latch), /\[Count = 0\]$/)
})

test("[CL9] ten thousand tasks go on at once", async () => {
  const latch = new CountDownLatch(1)
  const calls = Array.from({ length: 10_000 }, () => latch.await())
  latch.countDown()
  assert.deepEqual(new Set(await Promise.all(calls)), new Set([true]))
})

test("[CL13] a thread that nobody could wake is not blocked", () => {
  const latch = new CountDownLatch(1)
  assert.throws(() => latch.awaitSync(), { name: "IllegalStateError", message: /^This thread would block for ever: / })
  const limit = timeLimit(15)
  assert.equal(latch.awaitSync(15), false)
  assert.equal(limit.isOver, true)
})
