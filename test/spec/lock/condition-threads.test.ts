import { ReentrantLock, type Shared } from "corepool"
import { sharedWords } from "#src/memory/atomics.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { type WorkerHand, Workers } from "../../support/workers.ts"
import { outcomeOf, pair, SIGNALLED, waiter, waiting } from "./condition-pair.ts"
import { Task, timeLimit, waitersOn } from "./support.ts"

const JOBS = new URL("condition.workers.js", import.meta.url)

const STRESS = Number(process.env["STRESS"] ?? 1)

test("[CN18][CN22][CN23] those who wait in other threads are signalled, in the order in which they came", async () => {
  await using workers = new Workers()
  const both = pair()
  const hands = [await waiter(workers, both, "awaitSync"), await waiter(workers, both, "await")]
  const task = new Task()
  const call = await task.waitIn(async () => {
    using _ = await both.lock.lock()
    return await both.condition.await()
  })
  for (const [index, hand] of hands.entries()) {
    await both.lock.lock()
    assert.equal(both.condition.waitQueueLength, 3 - index)
    assert.deepEqual(
      both.condition.waitingThreads.map(({ isLocal }) => isLocal),
      [false, false, true].slice(index),
    )
    both.condition.signal()
    both.lock.unlock()
    assert.deepEqual(await outcomeOf(hand), SIGNALLED)
  }
  await call.waits()
  workers.run(JOBS, "signalWhen", both, 1, false)
  await eventually(() => !call.isPending)
  assert.equal(await call.ends(), true)
})

test("[CN23][CN24] a thread that blocks is signalled by another", async () => {
  await using workers = new Workers()
  const both = pair()
  for (const all of [false, true]) {
    workers.run(JOBS, "signalWhen", both, 1, all)
    both.lock.lockSync()
    both.lock.lockSync()
    assert.equal(both.condition.awaitSync(), true)
    assert.equal(both.lock.holdCount, 2)
    both.lock.unlock()
    both.lock.unlock()
  }
  workers.run(JOBS, "signalWhen", both, 1, true)
  both.lock.lockSync()
  both.condition.awaitUninterruptiblySync()
  assert.equal(both.lock.holdCount, 1)
  both.lock.unlock()
})

test("[CN23] signalAll reaches all threads", async () => {
  await using workers = new Workers()
  const both = pair()
  const hands: WorkerHand[] = []
  for (const form of ["awaitSync", "await", "awaitUninterruptibly", "awaitUninterruptiblySync"] as const) {
    hands.push(await waiter(workers, both, form))
  }
  await both.lock.lock()
  both.condition.signalAll()
  both.lock.unlock()
  for (const hand of hands.slice(0, 3)) assert.deepEqual(await outcomeOf(hand), SIGNALLED)
  assert.deepEqual(await outcomeOf(hands[3]), { ...SIGNALLED, outcome: undefined })
})

for (const [producer, consumer] of [
  [true, true],
  [true, false],
  [false, true],
  [false, false],
] as const) {
  test("[CN23] a buffer for one number passes many from thread to thread", async () => {
    await using workers = new Workers()
    const both = pair()
    const buffer = { ...both, notFull: both.lock.newCondition(), words: sharedWords(2) }
    const count = 500 * STRESS
    const hands = [
      workers.run(JOBS, "produce", buffer, count, producer),
      workers.run(JOBS, "consume", buffer, count, consumer),
    ]
    const [, sum] = await Promise.all(hands.map(({ result }) => result))
    assert.equal(sum, (count * (count + 1)) / 2)
  })
}

test("[CN22] conditions of other locks, and what is none, are refused", async () => {
  await using workers = new Workers()
  const { lock, condition } = pair()
  const stranger = new ReentrantLock().newCondition()
  const others = [condition, condition.handle, stranger, lock, {}]
  assert.deepEqual(await workers.run(JOBS, "openWrong", lock, others).result, [
    "no error",
    "no error",
    "RangeError",
    "TypeError",
    "TypeError",
  ])
  assert.throws(() => lock.conditionFrom(stranger), { name: "RangeError", message: /a condition of ReentrantLock@\d+/ })
  assert.throws(() => lock.conditionFrom(null as unknown as Shared), { name: "TypeError" })
})

test("[CN22] several objects over one condition are one condition", async () => {
  const { lock, condition } = pair()
  const same = ReentrantLock.from(structuredClone(lock))
  const other = same.conditionFrom(structuredClone(condition))
  const call = await new Task().waitIn(async () => {
    using _ = await lock.lock()
    return await condition.await()
  })
  await same.lock()
  assert.equal(same.waitQueueLength(condition), 1)
  assert.equal(lock.hasWaiters(other), true)
  other.signal()
  same.unlock()
  await call.ends()
})

test("[CN24] when the time is up awaitSync gives false, and not before", async () => {
  const { lock, condition } = pair()
  lock.lockSync()
  for (const ms of [3, 0, -1, -Infinity]) {
    const limit = timeLimit(ms)
    assert.equal(condition.awaitSync(ms), false)
    assert.equal(limit.isOver, true)
    assert.equal(lock.holdCount, 1)
  }
})

test("[CN24][CN10] an interrupt from another thread ends awaitSync and await", async () => {
  await using workers = new Workers()
  const both = pair()
  for (const form of ["awaitSync", "await"] as const) {
    for (const ms of [Infinity, 100_000]) {
      const hand = await waiter(workers, both, form, ms)
      threadContext().registry.interrupt((await hand.firstWord()) as number)
      assert.deepEqual(await outcomeOf(hand), { ...SIGNALLED, outcome: "InterruptedError" })
    }
  }
})

test("[CN24][CN13] awaitUninterruptiblySync waits on", async () => {
  await using workers = new Workers()
  const both = pair()
  for (const form of ["awaitUninterruptiblySync", "awaitUninterruptibly"] as const) {
    const hand = await waiter(workers, both, form)
    threadContext().registry.interrupt((await hand.firstWord()) as number)
    assert.equal(waiting(both), 1)
    await both.lock.lock()
    both.condition.signal()
    both.lock.unlock()
    const outcome = form === "awaitUninterruptibly" ? true : undefined
    assert.deepEqual(await outcomeOf(hand), { ...SIGNALLED, outcome, raised: true })
  }
})

test("[CN25] awaitSync does not wait for a signal that nobody could give", async () => {
  const { lock, condition } = pair()
  lock.lockSync()
  lock.lockSync()
  const refusal = { name: "IllegalStateError", message: /could never end/ }
  assert.throws(() => condition.awaitSync(), refusal)
  assert.throws(() => condition.awaitUninterruptiblySync(), refusal)
  assert.equal(lock.holdCount, 2)
  assert.equal(condition.hasWaiters, false)
  assert.equal(condition.awaitSync(1), false)
})

for (const ms of [Infinity, 1]) {
  test("[CN26] a thread does not block in a condition for a lock that a task of its own has", async () => {
    const { lock, condition } = pair()
    assert.notEqual(condition.handle, undefined) // other threads may know it
    const task = new Task()
    await lock.lock()
    const call = await task.waitIn(() => lock.lock())
    assert.throws(() => condition.awaitSync(ms), { name: "IllegalStateError", message: /would block for ever/ })
    assert.equal(lock.isHeldByCurrentThread, false)
    await call.ends()
    assert.equal(lock.queueLength, 0)
    task.do(() => {
      assert.equal(condition.hasWaiters, false)
      condition.signalAll()
      lock.unlock()
    })
    assert.deepEqual(waitersOn(condition), [])
    const next = await new Task().waitIn(async () => {
      using _ = await lock.lock()
      return await condition.await()
    })
    await lock.lock()
    condition.signal()
    lock.unlock()
    assert.equal(await next.ends(), true)
  })
}

test("[CN26] also if that task gets it while the thread is blocked", async () => {
  await using workers = new Workers()
  const both = pair()
  const { lock, condition } = both
  const call = await new Task().waitIn(async () => {
    await lock.lock()
    return await condition.await()
  })
  workers.run(JOBS, "signalWhen", both, 2, false)
  lock.lockSync()
  assert.throws(() => condition.awaitSync(), { name: "IllegalStateError" })
  assert.equal(await call.ends(), true)
  assert.equal(lock.isHeldByCurrentThread, false)
})
