/** Shared waits, waits that fail or are given up, and conditions of synchronizers in user code. */
import fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"
import { turns } from "../../support/harness.ts"
import { type Call, Task, tasks, timeLimit, waitersOn } from "./support.ts"
import { BooleanLatch, FailingMutex, Mutex, Permits } from "./synchronizers.ts"

test("[QS12] a latch lets all go on who wait, and is open for good", async () => {
  const latch = new BooleanLatch()
  const waits: (() => Promise<unknown>)[] = [
    () => latch.acquireShared(1),
    () => latch.acquireSharedInterruptibly(1),
    () => latch.tryAcquireSharedWithin(1, 100_000),
    () => latch.acquireShared(1, 100_000),
  ]
  const calls: Call<unknown>[] = []
  for (const wait of waits) calls.push(await new Task().waitIn(wait))
  assert.equal(latch.isOpen, false)
  assert.equal(latch.releaseShared(1), true)
  for (const call of calls) await call.ends()
  assert.equal(await calls[2]?.ends(), true)
  assert.equal(latch.releaseShared(1), true)
  assert.equal(latch.isOpen, true)
  await latch.acquireShared(1)
  latch.acquireSharedSync(1)
  latch.acquireSharedInterruptiblySync(1)
  assert.equal(latch.tryAcquireSharedWithinSync(1, 0), true)
  assert.equal(latch.queueLength, 0)
})

test("[QS12] those go on who can have it together, and no more", async () => {
  const permits = new Permits(6)
  await permits.acquireShared(6)
  const waiters = tasks(5)
  const wants = [1, 2, 4, 1, 1]
  const calls: Call<void>[] = []
  for (const [index, task] of waiters.entries()) {
    calls.push(await task.waitIn(() => permits.acquireShared(wants[index] ?? 0)))
  }
  permits.releaseShared(5)
  await calls[0]?.ends()
  await calls[1]?.ends()
  for (const call of calls.slice(2)) await call.waits()
  permits.releaseShared(4)
  for (const call of calls) await call.ends()
})

test("[QS12][QS6] shared waits end by interrupts and limits too", async () => {
  const latch = new BooleanLatch()
  for (const wait of [() => latch.acquireSharedInterruptibly(1), () => latch.tryAcquireSharedWithin(1, 100_000)]) {
    const task = new Task()
    const call = await task.waitIn<unknown>(wait)
    task.interrupt()
    await call.failsWith("InterruptedError")
    assert.equal(task.isInterrupted, false)
  }
  const limit = timeLimit(4)
  assert.equal(await latch.tryAcquireSharedWithin(1, 4), false)
  assert.equal(latch.tryAcquireSharedWithinSync(1, 2), false)
  assert.equal(limit.isOver, true)
  for (const ms of [0, -1, -Infinity]) {
    assert.equal(await latch.tryAcquireSharedWithin(1, ms), false)
    assert.equal(latch.tryAcquireSharedWithinSync(1, ms), false)
  }
  await assert.rejects(latch.acquireShared(1, 1), { name: "TimeoutError", message: /^Did not acquire BooleanLatch@/ })
  assert.equal(latch.queueLength, 0)
})

test("[QS12] one that gives up does not keep a release from those behind it", async () => {
  const permits = new Permits(1)
  await permits.acquireShared(1)
  const [big, small] = tasks(2) as [Task, Task]
  const calls = [
    await big.waitIn(() => permits.acquireSharedInterruptibly(2)),
    await small.waitIn(() => permits.acquireShared(1)),
  ]
  permits.releaseShared(1) // not enough for the first
  await calls[1]?.waits()
  big.interrupt()
  await calls[0]?.failsWith("InterruptedError")
  await calls[1]?.ends()
})

test("[QS14] a tryAcquire that throws at once fails the call", async () => {
  const mutex = new FailingMutex()
  const error = new Error("broken")
  for (const form of [
    () => mutex.acquire(1),
    () => mutex.acquireInterruptibly(1),
    () => mutex.tryAcquireWithin(1, 9),
  ]) {
    mutex.acquiring = error
    assert.equal(await new Task().call<unknown>(form).failsWith("Error"), error)
  }
  for (const form of [() => mutex.acquireSync(1), () => mutex.tryAcquireWithinSync(1, 9)]) {
    mutex.acquiring = error
    assert.throws(form, error)
  }
  assert.equal(mutex.hasContended, false)
})

test("[QS14] a tryAcquire that throws for one who waits fails that wait, and the next one tries", async () => {
  const mutex = new FailingMutex()
  await mutex.acquire(1)
  const [first, second] = tasks(2) as [Task, Task]
  const calls = [await first.waitIn(() => mutex.acquire(1)), await second.waitIn(() => mutex.acquire(1))]
  first.interrupt()
  mutex.acquiring = new Error("broken")
  mutex.release(1)
  await calls[0]?.failsWith("Error")
  assert.equal(first.isInterrupted, true)
  await calls[1]?.ends()
  assert.equal(mutex.queueLength, 0)
})

test("[QS15] whoever gives up, and in whatever order, the others acquire in theirs", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(11), { maxLength: 12 }), async (leavers) => {
      const mutex = new Mutex()
      await mutex.acquire(1)
      const waiters = tasks(12)
      const order: number[] = []
      const calls = waiters.map((task, index) =>
        task.call(async () => {
          await mutex.acquireInterruptibly(1)
          order.push(index)
          await turns(1)
          mutex.release(1)
        }),
      )
      const gone = new Set(leavers)
      for (const index of gone) waiters[index]?.interrupt()
      assert.equal(mutex.queueLength, 12 - gone.size)
      mutex.release(1)
      while (calls.some(({ isPending }) => isPending)) await turns(1)
      assert.deepEqual(
        order,
        waiters.flatMap((_, index) => (gone.has(index) ? [] : [index])),
      )
      assert.equal(mutex.queueLength, 0)
    }),
    { numRuns: 50 },
  )
})

test("[QS17] a thread does not block for what no other thread knows", async () => {
  const [mutex, latch] = [new Mutex(), new BooleanLatch()]
  await mutex.acquire(1)
  const refusal = { name: "IllegalStateError", message: /would block for ever/ }
  assert.throws(() => mutex.acquireSync(1), refusal)
  assert.throws(() => mutex.acquireInterruptiblySync(1), refusal)
  assert.throws(() => mutex.tryAcquireWithinSync(1, Infinity), refusal)
  assert.throws(() => latch.acquireSharedSync(1), refusal)
  assert.throws(() => latch.acquireSharedInterruptiblySync(1), refusal)
  assert.equal(mutex.tryAcquireWithinSync(1, 1), false)
  assert.equal(latch.tryAcquireSharedWithinSync(1, 1), false)
  assert.equal(mutex.queueLength + latch.queueLength, 0)
})

test("[QS19] a condition gives back the whole state, and acquires as much again", async () => {
  const mutex = new Mutex()
  const condition = mutex.newCondition()
  await assert.rejects(condition.await(), { name: "IllegalMonitorStateError" })
  assert.throws(() => condition.signal(), { name: "IllegalMonitorStateError" })
  const call = await new Task().waitIn(async () => {
    await mutex.acquire(42)
    return await condition.await()
  })
  assert.equal(mutex.value, 0)
  await mutex.acquire(7)
  assert.equal(condition.waitQueueLength, 1)
  condition.signal()
  assert.equal(condition.hasWaiters, false)
  await call.waits()
  mutex.release(7)
  assert.equal(await call.ends(), true)
  assert.equal(mutex.value, 42)
})

test("[QS19] its waits end by limits, interrupts and signals as those of a lock do", async () => {
  const mutex = new Mutex()
  const condition = mutex.newCondition()
  await mutex.acquire(1)
  assert.equal(await condition.await(1), false)
  assert.equal(mutex.isHeld, true)
  mutex.release(1)
  const waiters = tasks(3)
  const calls: Call<boolean>[] = []
  for (const task of waiters) {
    calls.push(
      await task.waitIn(async () => {
        await mutex.acquire(1)
        try {
          return await condition.await()
        } finally {
          mutex.release(1)
        }
      }),
    )
  }
  waiters[1]?.interrupt()
  await calls[1]?.failsWith("InterruptedError")
  await mutex.acquire(1)
  condition.signalAll()
  mutex.release(1)
  assert.equal(await calls[0]?.ends(), true)
  assert.equal(await calls[2]?.ends(), true)
})

test("[QS20] if the release fails, nobody is left waiting on the condition", async () => {
  const mutex = new FailingMutex()
  const condition = mutex.newCondition()
  await mutex.acquire(1)
  mutex.releasing = "false"
  await assert.rejects(condition.await(), { name: "IllegalMonitorStateError", message: /^FailingMutex@\d+ / })
  assert.deepEqual(waitersOn(condition), [])
  const error = new Error("broken")
  mutex.releasing = error
  await assert.rejects(condition.await(), error)
  mutex.releasing = error
  assert.throws(() => condition.awaitSync(10), error)
  assert.deepEqual(waitersOn(condition), [])
  assert.equal(mutex.isHeld, true)
  assert.equal(await condition.await(1), false)
})

for (const end of ["signal", "limit"]) {
  test("[QS21] if the synchronizer cannot be acquired again, the wait fails, and the condition can be used on", async () => {
    const mutex = new FailingMutex()
    const condition = mutex.newCondition()
    const call = new Task().call(async () => {
      await mutex.acquire(1)
      return await condition.await(end === "limit" ? 1 : Infinity)
    })
    await mutex.acquire(1) // when it has begun to wait
    const limit = timeLimit(5)
    if (end === "signal") condition.signal()
    else while (!limit.isOver) await turns(1)
    mutex.acquiring = new Error("broken")
    mutex.release(1)
    await call.failsWith("Error")
    assert.equal(mutex.isHeld, false)
    assert.equal(mutex.queueLength, 0)

    const next = await new Task().waitIn(async () => {
      await mutex.acquire(1)
      return await condition.await()
    })
    await mutex.acquire(1)
    assert.equal(condition.waitQueueLength, 1)
    condition.signal()
    assert.equal(condition.waitQueueLength, 0)
    mutex.release(1)
    assert.equal(await next.ends(), true)
  })
}
