/** Who stands in line for a semaphore, and who leaves it. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { Semaphore, type Thread } from "corepool"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { Task, tasks, thread, timeLimit } from "../lock/support.ts"

const MODES = [{ fair: false }, { fair: true }]

for (const mode of MODES) {
  const kind = mode.fair ? "fair" : "not fair"

  test(`[SM14] who cannot be served yet holds up those behind: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const large = await new Task().waitIn(() => semaphore.acquire(3))
    const small = await new Task().waitIn(() => semaphore.acquire())
    semaphore.release(2)
    await large.waits()
    await small.waits()
    assert.equal(semaphore.availablePermits, 2)
    semaphore.release()
    await large.ends()
    await small.waits()
    semaphore.release()
    await small.ends()
  })

  test(`[SM5] those who wait are served in the order in which they came: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const order: number[] = []
    const calls = []
    for (const [index, task] of tasks(5).entries()) {
      const serve = async (): Promise<void> => {
        // Timed or not, interruptible or not.
        await (index % 2 === 0 ? semaphore.acquireUninterruptibly() : semaphore.tryAcquire(1, 60_000))
        order.push(index)
      }
      calls.push(await task.waitIn(serve))
    }
    for (const call of calls) {
      semaphore.release()
      await call.ends()
    }
    assert.deepEqual(order, [0, 1, 2, 3, 4])
  })

  test(`[SM17] tryAcquire takes what is there though others wait: ${kind}`, async () => {
    const semaphore = new Semaphore(2, mode)
    const call = await new Task().waitIn(() => semaphore.acquire(3))
    assert.equal(semaphore.tryAcquire(), true)
    assert.equal(semaphore.tryAcquire(1), true)
    assert.equal(semaphore.tryAcquire(), false)
    semaphore.release(3)
    await call.ends()
  })

  test(`[SM18] when the first one gives up, the next one gets its chance: ${kind}`, async () => {
    const semaphore = new Semaphore(1, mode)
    const [first, second, third] = [new Task(), new Task(), new Task()]
    const large = await first.waitIn(() => semaphore.acquire(2))
    semaphore.drainPermits()
    const one = await second.waitIn(() => semaphore.acquire(1))
    const other = await third.waitIn(() => semaphore.acquire(1))
    semaphore.release()
    await one.waits()
    first.interrupt()
    await large.failsWith("InterruptedError")
    await one.ends()
    await other.waits()
    semaphore.release()
    await other.ends()
  })

  test(`[SM18] also by an abort, or because the time is up: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const controller = new AbortController()
    const large = await new Task().waitIn(() => semaphore.acquire(3, { signal: controller.signal }))
    const late = new Task().call(() => semaphore.tryAcquire(2, 30))
    const small = await new Task().waitIn(() => semaphore.acquire(1))
    semaphore.release()
    await small.waits()
    controller.abort()
    await large.failsWith("AbortError")
    await eventually(() => !late.isPending)
    assert.equal(await late.ends(), false)
    await small.ends()
  })

  test(`[SM19] it can be seen who waits: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const seen = (): unknown => ({
      has: semaphore.hasQueuedThreads,
      length: semaphore.queueLength,
      ids: semaphore.queuedThreads.map(({ id, isLocal }) => (isLocal ? id : -1)),
    })
    assert.deepEqual(seen(), { has: false, length: 0, ids: [] })
    const started: Thread[] = []
    for (let count = 1; count <= 3; count++) {
      const waiter = thread(() => semaphore.acquire())
      waiter.start()
      started.push(waiter)
      await new Task().call(() => Promise.resolve()).ends()
      assert.deepEqual(seen(), { has: true, length: count, ids: started.map(({ id }) => id) })
    }
    semaphore.release()
    assert.deepEqual(seen(), { has: true, length: 2, ids: started.slice(1).map(({ id }) => id) })
    semaphore.release(2)
    assert.deepEqual(seen(), { has: false, length: 0, ids: [] })
    await Promise.all(started.map((waiter) => waiter.join()))
  })

  test(`[SM20] ten thousand tasks that wait go on: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const calls = Array.from({ length: 10_000 }, () => semaphore.acquire())
    assert.equal(semaphore.queueLength, 10_000)
    semaphore.release(10_000)
    await Promise.all(calls)
    assert.equal(semaphore.availablePermits, 0)
    assert.equal(semaphore.hasQueuedThreads, false)
  })

  test(`[SM22] a timed tryAcquire gives false when the time is up, and leaves the line: ${kind}`, async () => {
    const semaphore = new Semaphore(1, mode)
    const limit = timeLimit(15)
    assert.equal(await semaphore.tryAcquire(2, 15), false)
    assert.equal(limit.isOver, true)
    const again = timeLimit(15)
    assert.equal(await semaphore.tryAcquire(2, { timeout: 15 }), false)
    assert.equal(again.isOver, true)
    assert.equal(semaphore.hasQueuedThreads, false)
    assert.equal(semaphore.availablePermits, 1)
  })

  test(`[SM22] a limit of zero or less means one attempt: ${kind}`, async () => {
    const semaphore = new Semaphore(1, mode)
    for (const ms of [0, -1, -Infinity]) {
      assert.equal(await semaphore.tryAcquire(2, ms), false)
      assert.equal(await semaphore.tryAcquire(1, ms), true)
      semaphore.release()
      assert.equal(semaphore.tryAcquireSync(2, ms), false)
      assert.equal(semaphore.tryAcquireSync(1, ms), true)
      semaphore.release()
    }
  })

  test(`[SM23] acquire with a limit rejects with TimeoutError: ${kind}`, async () => {
    const semaphore = new Semaphore(1, mode)
    for (const acquire of ["acquire", "acquireUninterruptibly"] as const) {
      const limit = timeLimit(15)
      const error = await rejectionOf(semaphore[acquire](2, 15))
      assert.equal(limit.isOver, true)
      assert.equal((error as Error).name, "TimeoutError")
      assert.match((error as Error).message, /^Did not acquire Semaphore@\d+ within 15 ms$/)
      assert.equal(((await rejectionOf(semaphore[acquire](2, 0))) as Error).name, "TimeoutError")
    }
    assert.equal(semaphore.availablePermits, 1)
    assert.equal(semaphore.hasQueuedThreads, false)
  })

  test(`[SM24] an interrupt ends the wait: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const forms: readonly (() => Promise<unknown>)[] = [
      () => semaphore.acquire(),
      () => semaphore.acquire(3),
      () => semaphore.acquire(3, 60_000),
      () => semaphore.tryAcquire(1, 60_000),
      () => semaphore.tryAcquire(3, 60_000),
    ]
    for (const acquire of forms) {
      const task = new Task()
      const call = await task.waitIn(acquire)
      task.interrupt()
      await call.failsWith("InterruptedError")
      assert.equal(task.isInterrupted, false)
      assert.equal(semaphore.hasQueuedThreads, false)
    }
    assert.equal(semaphore.availablePermits, 0)
  })

  test(`[SM25] who is interrupted before gets nothing, even if it is there: ${kind}`, async () => {
    const semaphore = new Semaphore(5, mode)
    for (const acquire of [
      () => semaphore.acquire(),
      () => semaphore.acquire(9),
      () => semaphore.tryAcquire(1, 60_000),
    ]) {
      const task = Task.raised()
      await task.call<unknown>(acquire).failsWith("InterruptedError")
      assert.equal(task.isInterrupted, false)
    }
    for (const acquire of [() => semaphore.acquireSync(), () => semaphore.tryAcquireSync(1, 10)]) {
      const task = Task.raised()
      assert.throws(() => task.do<unknown>(acquire), { name: "InterruptedError" })
      assert.equal(task.isInterrupted, false)
    }
    assert.equal(semaphore.availablePermits, 5)
  })

  test(`[SM25] tryAcquire does not care: ${kind}`, () => {
    const semaphore = new Semaphore(2, mode)
    const task = Task.raised()
    assert.equal(
      task.do(() => semaphore.tryAcquire() && semaphore.tryAcquire(1)),
      true,
    )
    assert.equal(task.isInterrupted, true)
  })

  test(`[SM26] acquireUninterruptibly waits on, and the flag stays raised: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    for (const task of [new Task(), Task.raised()]) {
      const call = await task.waitIn(() => semaphore.acquireUninterruptibly(2))
      task.interrupt()
      await call.waits()
      semaphore.release(2)
      await call.ends()
      assert.equal(task.isInterrupted, true)
    }
    const task = Task.raised()
    semaphore.release()
    task.do(() => semaphore.acquireUninterruptiblySync())
    assert.equal(task.isInterrupted, true)
  })

  test(`[SM27] an abort ends the wait with the reason of the signal: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const reason = new Error("enough")
    const forms: readonly ((signal: AbortSignal) => Promise<unknown>)[] = [
      (signal) => semaphore.acquire(1, { signal }),
      (signal) => semaphore.acquireUninterruptibly(2, { signal }),
      (signal) => semaphore.tryAcquire(1, { signal, timeout: 60_000 }),
    ]
    for (const acquire of forms) {
      const controller = new AbortController()
      const call = await new Task().waitIn(() => acquire(controller.signal))
      controller.abort(reason)
      assert.equal(await call.failsWith("Error"), reason)
      assert.equal(semaphore.hasQueuedThreads, false)
      semaphore.release(2)
      assert.equal(await rejectionOf(acquire(controller.signal)), reason)
      assert.equal(semaphore.drainPermits(), 2)
    }
  })
}

test("[SM15] not fair: a newcomer takes what is there though others wait", async () => {
  const semaphore = new Semaphore(4)
  await new Task().waitIn(() => semaphore.acquire(5))
  await new Task().call(() => semaphore.acquire()).ends()
  new Task().do(() => semaphore.acquireSync())
  await new Task().call(() => semaphore.acquireUninterruptibly()).ends()
  assert.equal(await semaphore.tryAcquire(1, 0), true)
  assert.equal(semaphore.availablePermits, 0)
  semaphore.release(5)
})

test("[SM16] fair: a newcomer joins the line", async () => {
  const semaphore = new Semaphore(4, { fair: true })
  const large = await new Task().waitIn(() => semaphore.acquire(5))
  const small = await new Task().waitIn(() => semaphore.acquire())
  assert.equal(await semaphore.tryAcquire(1, 0), false)
  assert.equal(semaphore.tryAcquireSync(1, 0), false)
  assert.equal(semaphore.tryAcquire(4), true)
  semaphore.release(4)
  await small.waits()
  semaphore.release(1)
  await large.ends()
  await small.waits()
  semaphore.release()
  await small.ends()
})

test("[SM16] fair: a task that waits already does not overtake itself", async () => {
  const semaphore = new Semaphore(1, { fair: true })
  const task = new Task()
  const large = await task.waitIn(() => semaphore.acquire(2))
  const small = await task.waitIn(() => semaphore.acquire(1))
  assert.equal(await task.call(() => semaphore.tryAcquire(1, 0)).ends(), false)
  semaphore.release()
  await large.ends()
  await small.waits()
  semaphore.release()
  await small.ends()
})

test("[SM16] fair: without a line there is nobody to stand behind", async () => {
  const semaphore = new Semaphore(3, { fair: true })
  await semaphore.acquire()
  semaphore.acquireSync()
  assert.equal(await semaphore.tryAcquire(1, 0), true)
})
