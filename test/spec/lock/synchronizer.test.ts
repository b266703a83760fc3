import { type Condition, type Shared, Thread } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { rejectionOf, turns } from "../../support/harness.ts"
import { type Call, Task, tasks, thread, timeLimit } from "./support.ts"
import { BooleanLatch, FailingMutex, FairMutex, Mutex, Nothing, Permits } from "./synchronizers.ts"

test("[QS1] what a subclass does not override is unsupported", async () => {
  const bare = new Nothing()
  const unsupported = { name: "UnsupportedOperationError", message: /^Nothing@\d+ / }
  await assert.rejects(bare.acquire(1), unsupported)
  await assert.rejects(bare.tryAcquireWithin(1, 1), unsupported)
  await assert.rejects(bare.acquireShared(1), unsupported)
  assert.throws(() => bare.acquireSync(1), unsupported)
  assert.throws(() => bare.acquireSharedSync(1), unsupported)
  assert.throws(() => bare.release(1), unsupported)
  assert.throws(() => bare.releaseShared(1), unsupported)
  assert.throws(() => bare.isHeld, unsupported)
  assert.throws(() => bare.newCondition().signal(), unsupported)
})

test("[QS2] the state is 0 at first, and can be set and compared", () => {
  class Open extends Mutex {
    check(): void {
      assert.equal(this.state, 0)
      this.state = -5
      assert.equal(this.state, -5)
      assert.equal(this.compareAndSetState(0, 1), false)
      assert.equal(this.state, -5)
      assert.equal(this.compareAndSetState(-5, 2 ** 31 - 1), true)
      assert.equal(this.state, 2 ** 31 - 1)
    }
  }
  new Open().check()
})

test("[QS2][QS3] a free mutex is acquired at once, in every form, and released", async () => {
  const mutex = new Mutex()
  assert.equal(mutex.isHeld, false)
  const forms: (() => unknown)[] = [
    () => mutex.acquire(1),
    () => mutex.acquireInterruptibly(1),
    () => mutex.acquireSync(1),
    () => mutex.acquireInterruptiblySync(1),
    () => mutex.tryAcquireWithin(1, 0),
    () => mutex.tryAcquireWithinSync(1, 0),
    () => mutex.tries(),
  ]
  for (const form of forms) {
    await form()
    assert.equal(mutex.isHeld, true)
    assert.equal(mutex.tries(), false)
    assert.equal(mutex.release(1), true)
    assert.equal(mutex.isHeld, false)
  }
  assert.equal(mutex.hasContended, false)
})

test("[QS3] a release that frees nothing wakes nobody", async () => {
  const mutex = new FailingMutex()
  await mutex.acquire(1)
  const waiting = await new Task().waitIn(() => mutex.acquire(1))
  mutex.releasing = "false"
  assert.equal(mutex.release(1), false)
  await waiting.waits()
  assert.equal(mutex.release(1), true)
  await waiting.ends()
})

test("[QS4] those who wait acquire one at a time, in order, each what it asked for", async () => {
  const mutex = new Mutex()
  await mutex.acquire(1)
  const forms: ((state: number) => Promise<unknown>)[] = [
    (state) => mutex.acquire(state),
    (state) => mutex.acquireInterruptibly(state),
    (state) => mutex.tryAcquireWithin(state, 100_000),
    (state) => mutex.acquire(state, { timeout: 100_000 }),
  ]
  const calls: Call<unknown>[] = []
  for (const [index, form] of forms.entries()) calls.push(await new Task().waitIn(() => form(index + 10)))
  for (const [index, call] of calls.entries()) {
    mutex.release(1)
    await call.ends()
    assert.equal(mutex.value, index + 10)
    assert.equal(calls.filter(({ isPending }) => isPending).length, forms.length - index - 1)
  }
})

test("[QS5] when the time is up nothing is acquired, and not before", async () => {
  const mutex = new Mutex()
  await mutex.acquire(1)
  const limit = timeLimit(5)
  assert.equal(await mutex.tryAcquireWithin(1, 5), false)
  assert.equal(limit.isOver, true)
  const another = timeLimit(3)
  assert.equal(mutex.tryAcquireWithinSync(1, 3), false)
  assert.equal(another.isOver, true)
  assert.match(String(await rejectionOf(mutex.acquire(1, 1))), /^TimeoutError: Did not acquire Mutex@\d+ within 1 ms$/)
  await assert.rejects(mutex.acquireInterruptibly(1, 1), { name: "TimeoutError" })
  for (const ms of [0, -1, -Infinity]) {
    assert.equal(await mutex.tryAcquireWithin(1, ms), false)
    assert.equal(mutex.tryAcquireWithinSync(1, ms), false)
    await assert.rejects(mutex.acquire(1, ms), { name: "TimeoutError" })
  }
  assert.equal(mutex.queueLength, 0)
})

test("[QS6] interrupts end the waits that react to them", async () => {
  const mutex = new Mutex()
  await mutex.acquire(1)
  for (const form of [() => mutex.acquireInterruptibly(1), () => mutex.tryAcquireWithin(1, 100_000)]) {
    const task = new Task()
    const call = await task.waitIn<unknown>(form)
    task.interrupt()
    await call.failsWith("InterruptedError")
    assert.equal(task.isInterrupted, false)
  }
  const stubborn = Task.raised()
  const call = await stubborn.waitIn(() => mutex.acquire(1))
  assert.equal(mutex.queueLength, 1)
  mutex.release(1)
  await call.ends()
  assert.equal(stubborn.isInterrupted, true)
})

test("[QS6] a task whose flag is raised acquires nothing interruptibly, even if it is free", async () => {
  const [mutex, latch] = [new Mutex(), new BooleanLatch()]
  latch.releaseShared(1)
  const waits: (() => Promise<unknown>)[] = [
    () => mutex.acquireInterruptibly(1),
    () => mutex.tryAcquireWithin(1, 1),
    () => latch.acquireSharedInterruptibly(1),
    () => latch.tryAcquireSharedWithin(1, 1),
  ]
  for (const wait of waits) await Task.raised().call(wait).failsWith("InterruptedError")
  for (const block of [
    () => mutex.acquireInterruptiblySync(1),
    () => mutex.tryAcquireWithinSync(1, 1),
    () => latch.acquireSharedInterruptiblySync(1),
    () => latch.tryAcquireSharedWithinSync(1, 1),
  ]) {
    assert.throws(() => Task.raised().do(block), { name: "InterruptedError" })
  }
  assert.equal(mutex.isHeld, false)
})

test("[QS6] an AbortSignal ends every wait", async () => {
  const [mutex, latch] = [new Mutex(), new BooleanLatch()]
  await mutex.acquire(1)
  const reason = new Error("enough")
  const controller = new AbortController()
  const { signal } = controller
  const waits: (() => Promise<unknown>)[] = [
    () => mutex.acquire(1, { signal }),
    () => mutex.acquireInterruptibly(1, { signal }),
    () => mutex.tryAcquireWithin(1, { signal }),
    () => latch.acquireShared(1, { signal }),
    () => latch.acquireSharedInterruptibly(1, { signal }),
    () => latch.tryAcquireSharedWithin(1, { signal, timeout: 100_000 }),
  ]
  const calls: Call<unknown>[] = []
  for (const wait of waits) calls.push(await new Task().waitIn(wait))
  controller.abort(reason)
  for (const call of calls) assert.equal(await call.failsWith("Error"), reason)
  mutex.release(1)
  for (const wait of waits) assert.equal(await new Task().call(wait).failsWith("Error"), reason)
  assert.equal(mutex.isHeld, false)
})

test("[QS7][QS8][QS9] one can see who waits", async () => {
  const mutex = new Mutex()
  assert.equal(mutex.hasContended, false)
  assert.equal(mutex.firstQueuedThread, undefined)
  await mutex.acquire(1)
  const threads = [0, 1].map(() =>
    thread(() =>
      mutex
        .acquireInterruptibly(1)
        .then(() => mutex.release(1))
        .catch(() => undefined),
    ),
  )
  const seen = (): unknown[] => [
    mutex.hasQueuedThreads,
    mutex.queueLength,
    mutex.queuedThreads.map(({ id }) => id),
    mutex.firstQueuedThread?.id,
    threads.map((each) => mutex.isQueued(each)),
  ]
  const [one, other] = threads as [Thread, Thread]
  assert.deepEqual(seen(), [false, 0, [], undefined, [false, false]])
  one.start()
  await turns(1)
  assert.deepEqual(seen(), [true, 1, [one.id], one.id, [true, false]])
  assert.equal(mutex.hasContended, true)
  other.start()
  await turns(1)
  assert.deepEqual(seen(), [true, 2, [one.id, other.id], one.id, [true, true]])
  assert.deepEqual(mutex.exclusiveQueuedThreads, mutex.queuedThreads)
  assert.deepEqual(mutex.sharedQueuedThreads, [])
  one.interrupt()
  await one.join()
  assert.deepEqual(seen(), [true, 1, [other.id], other.id, [false, true]])
  mutex.release(1)
  await other.join()
  assert.deepEqual(seen(), [false, 0, [], undefined, [false, false]])
  assert.equal(mutex.hasContended, true)
  assert.equal(mutex.isQueued(Thread.currentThread()), false)
  for (const wrong of [null, undefined, {}, 1]) {
    assert.throws(() => mutex.isQueued(wrong as Thread), { name: "TypeError" })
  }
})

test("[QS8][QS13] shared and exclusive waits stand in one line", async () => {
  const permits = new Permits(2)
  await permits.acquireShared(2)
  const [first, second, third] = tasks(3) as [Task, Task, Task]
  const calls = [
    await first.waitIn(() => permits.acquireShared(1)),
    await second.waitIn(() => permits.acquire(0)),
    await third.waitIn(() => permits.acquireShared(1)),
  ]
  const ids = (waiters: readonly { readonly id: number }[]): number[] => waiters.map(({ id }) => id)
  assert.deepEqual(ids(permits.queuedThreads), [first.flow.id, second.flow.id, third.flow.id])
  assert.deepEqual(ids(permits.sharedQueuedThreads), [first.flow.id, third.flow.id])
  assert.deepEqual(ids(permits.exclusiveQueuedThreads), [second.flow.id])
  permits.releaseShared(2)
  await calls[0]?.ends()
  await calls[1]?.waits()
  await calls[2]?.waits() // though there would be a permit for it
  permits.releaseShared(1)
  await calls[1]?.ends()
  await calls[2]?.waits()
  permits.release(0)
  await calls[2]?.ends()
})

test("[QS10] hasQueuedPredecessors is true while somebody waits", async () => {
  const mutex = new FairMutex()
  assert.equal(mutex.hasQueuedPredecessors(), false)
  await mutex.acquire(1)
  const task = new Task()
  const call = await task.waitIn(() => mutex.acquire(1))
  assert.equal(mutex.hasQueuedPredecessors(), true)
  assert.equal(
    task.do(() => mutex.hasQueuedPredecessors()),
    true,
    "the one who waits must not overtake itself",
  )
  mutex.release(1)
  await call.ends()
  assert.equal(mutex.hasQueuedPredecessors(), false)
})

test("[QS11] toString shows the state and whether anybody waits", async () => {
  const mutex = new Mutex()
  assert.match(String(mutex), /^Mutex@\d+\[State = 0, empty queue\]$/)
  await mutex.acquire(7)
  assert.match(String(mutex), /^Mutex@\d+\[State = 7, empty queue\]$/)
  await new Task().waitIn(() => mutex.acquire(1))
  assert.match(String(mutex), /^Mutex@\d+\[State = 7, nonempty queue\]$/)
})

test("[QS18] bad waits are refused, and nothing is acquired", async () => {
  const [mutex, latch] = [new Mutex(), new BooleanLatch()]
  latch.releaseShared(1)
  for (const [wait, name] of [
    ["1", "TypeError"],
    [Number.NaN, "RangeError"],
    [null, "TypeError"],
    [{ signal: 1 }, "TypeError"],
  ] as const) {
    const wrong = wait as unknown as number
    await assert.rejects(mutex.acquire(1, wrong), { name })
    await assert.rejects(mutex.tryAcquireWithin(1, wrong), { name })
    await assert.rejects(latch.acquireShared(1, wrong), { name })
    await assert.rejects(latch.tryAcquireSharedWithin(1, wrong), { name })
    if (typeof wait !== "object") {
      assert.throws(() => mutex.tryAcquireWithinSync(1, wrong), { name })
      assert.throws(() => latch.tryAcquireSharedWithinSync(1, wrong), { name })
    }
  }
  assert.equal(mutex.isHeld, false)
})

test("[QS23] it tells who waits on its conditions", async () => {
  const [mutex, other] = [new Mutex(), new Mutex()]
  const condition = mutex.newCondition()
  const waiter = new Task()
  await waiter.do(() => mutex.acquire(1))
  const waiting = await waiter.waitIn(() => condition.await())
  const seen = (): unknown[] => [
    mutex.hasWaiters(condition),
    mutex.waitQueueLength(condition),
    mutex.waitingThreads(condition),
  ]
  assert.throws(() => mutex.hasWaiters(condition), { name: "IllegalMonitorStateError" })
  await mutex.acquire(1)
  assert.deepEqual(seen(), [true, 1, [{ id: waiter.flow.id, isLocal: true }]])
  condition.signal()
  assert.deepEqual(seen(), [false, 0, []])
  for (const name of ["hasWaiters", "waitQueueLength", "waitingThreads"] as const) {
    assert.throws(() => mutex[name](other.newCondition()), { name: "RangeError" })
    assert.throws(() => mutex[name](null as unknown as Condition), { name: "TypeError" })
  }
  mutex.release(1)
  await waiting.ends()
})

test("[QS19] owns tells its own conditions from those of others", () => {
  const [mutex, other] = [new Mutex(), new Mutex()]
  const condition = mutex.newCondition()
  assert.equal(mutex.owns(condition), true)
  assert.equal(other.owns(condition), false)
  assert.equal(other.owns(other.newCondition()), true)
  assert.equal(other.owns(condition), false)
  assert.throws(() => mutex.owns(null as unknown as Condition), { name: "TypeError" })
  assert.throws(() => mutex.conditionFrom(other.newCondition()), { name: "RangeError" })
  assert.throws(() => mutex.conditionFrom({} as Shared), { name: "TypeError" })
})
