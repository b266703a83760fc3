import { type Condition, ReentrantLock } from "corepool"
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { eventually, turns } from "../../support/harness.ts"
import { type Call, Task, tasks } from "./support.ts"

/** Makes a task wait on the condition of a lock; with the lock again, it notes its name and unlocks. */
async function park<T>(
  lock: ReentrantLock,
  body: () => Promise<T>,
  { task = new Task(), note = (): unknown => undefined } = {},
): Promise<Call<T>> {
  return await task.waitIn(async () => {
    using _ = await lock.lock()
    const result = await body()
    note()
    return result
  })
}

const WAITS: [string, (condition: Condition) => Promise<boolean>][] = [
  ["await", (condition) => condition.await()],
  ["await with a limit", (condition) => condition.await(100_000)],
  ["await with a signal", (condition) => condition.await({ signal: new AbortController().signal })],
  ["awaitUninterruptibly", (condition) => condition.awaitUninterruptibly()],
  ["awaitUninterruptibly with a limit", (condition) => condition.awaitUninterruptibly(100_000)],
  ["awaitUntil", (condition) => condition.awaitUntil(new Date(Date.now() + 100_000))],
]

for (const fair of [false, true]) {
  describe(`the conditions of a lock that is ${fair ? "" : "not "}fair`, () => {
    test("[CN1] who does not hold the lock can do nothing with its condition", async () => {
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      const refusal = { name: "IllegalMonitorStateError" }
      const attempts = async (): Promise<void> => {
        for (const [name, wait] of WAITS) await assert.rejects(wait(condition), refusal, name)
        await assert.rejects(condition.await(0), refusal)
        assert.throws(() => condition.awaitSync(), refusal)
        assert.throws(() => condition.awaitSync(1), refusal)
        assert.throws(() => condition.awaitUninterruptiblySync(), refusal)
        assert.throws(() => condition.awaitUntilSync(new Date(0)), refusal)
        assert.throws(() => condition.signal(), refusal)
        assert.throws(() => condition.signalAll(), refusal)
        assert.throws(() => condition.hasWaiters, refusal)
        assert.throws(() => condition.waitQueueLength, refusal)
        assert.throws(() => lock.hasWaiters(condition), refusal)
        assert.throws(() => lock.waitQueueLength(condition), refusal)
        assert.throws(() => condition.waitingThreads, refusal)
        assert.throws(() => lock.waitingThreads(condition), refusal)
      }
      await attempts()
      const waiting = await park(lock, () => condition.await())
      await new Task().do(attempts)
      await lock.lock()
      await new Task().do(attempts)
      assert.equal(condition.waitQueueLength, 1)
      condition.signal()
      lock.unlock()
      assert.equal(await waiting.ends(), true)
    })

    test("[CN2][CN7] await gives the lock up, and has it again when it was signalled and the lock is free", async () => {
      for (const [name, wait] of WAITS) {
        const lock = new ReentrantLock({ fair })
        const condition = lock.newCondition()
        const waiter = new Task()
        let held = 0
        const call = await park(lock, () => wait(condition), {
          task: waiter,
          note: () => (held = lock.holdCount),
        })
        assert.equal(lock.isLocked, false, name)
        await lock.lock()
        condition.signal()
        await call.waits()
        assert.equal(lock.queueLength, 1, name)
        lock.unlock()
        assert.equal(await call.ends(), true, name)
        assert.equal(held, 1, name)
        assert.equal(lock.isLocked, false, name)
      }
    })

    test("[CN3] all holds are given up, and all are there again", async () => {
      for (const end of ["signal", "time", "interrupt"]) {
        const lock = new ReentrantLock({ fair })
        const condition = lock.newCondition()
        const waiter = new Task()
        const call = waiter.call(async () => {
          for (let hold = 0; hold < 3; hold++) await lock.lock()
          const ended = await condition
            .await(end === "time" ? 1 : 100_000)
            .catch((error: unknown) => (error as Error).name)
          return [ended, lock.holdCount]
        })
        await turns(1)
        if (end === "signal") {
          assert.equal(lock.tryLock(), true)
          condition.signal()
          lock.unlock()
        } else if (end === "interrupt") waiter.interrupt()
        await eventually(() => !call.isPending)
        assert.deepEqual(await call.ends(), [{ signal: true, time: false, interrupt: "InterruptedError" }[end], 3])
        assert.equal(lock.tryLock(), false)
      }
    })

    test("[CN4] a signal is for the one who has waited longest, in whatever form", async () => {
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      const order: number[] = []
      const calls: Call<boolean>[] = []
      for (const [index, [, wait]] of WAITS.entries()) {
        calls.push(await park(lock, () => wait(condition), { note: () => order.push(index) }))
      }
      for (const [index, call] of calls.entries()) {
        await lock.lock()
        condition.signal()
        lock.unlock()
        assert.equal(await call.ends(), true)
        await turns(1)
        assert.deepEqual(order, [...Array(index + 1).keys()])
      }
    })

    test("[CN5] signalAll is for all who wait, and they go on in the order in which they came", async () => {
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      const order: number[] = []
      const calls: Call<boolean>[] = []
      for (const [index, [, wait]] of WAITS.entries()) {
        calls.push(await park(lock, () => wait(condition), { note: () => order.push(index) }))
      }
      await lock.lock()
      condition.signalAll()
      assert.equal(condition.hasWaiters, false)
      assert.equal(lock.queueLength, WAITS.length)
      lock.unlock()
      for (const call of calls) assert.equal(await call.ends(), true)
      assert.deepEqual(order, [...Array(WAITS.length).keys()])
    })

    test("[CN5] who waits again after signalAll waits for the next signal", async () => {
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      let rounds = 0
      const call = await park(lock, async () => {
        for (; rounds < 2; rounds++) await condition.await()
        return true
      })
      await lock.lock()
      condition.signalAll()
      lock.unlock()
      await call.waits()
      assert.equal(rounds, 1)
      await lock.lock()
      condition.signalAll()
      lock.unlock()
      await call.ends()
    })

    test("[CN6] a signal that nobody waits for is gone", async () => {
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      using _ = await lock.lock()
      condition.signal()
      condition.signalAll()
      assert.equal(await condition.await(1), false)
    })

    test("[CN7] who was signalled stands behind those who already wait for the lock", async () => {
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      const order: string[] = []
      const [early, late] = tasks(2) as [Task, Task]
      const signalled = await park(lock, () => condition.await(), { note: () => order.push("signalled") })
      await lock.lock()
      const note = (name: string) => async () => {
        using _ = await lock.lock()
        order.push(name)
      }
      const calls = [await early.waitIn(note("early"))]
      condition.signal()
      calls.push(await late.waitIn(note("late")))
      lock.unlock()
      await signalled.ends()
      for (const call of calls) await call.ends()
      assert.deepEqual(order, ["early", "signalled", "late"])
    })

    test("[CN18] hasWaiters and waitQueueLength follow those who wait for a signal", async () => {
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      const seen = (): unknown[] => [
        condition.hasWaiters,
        condition.waitQueueLength,
        lock.hasWaiters(condition),
        lock.waitQueueLength(condition),
      ]
      const waiters = tasks(3)
      const calls: Call<boolean>[] = []
      for (const task of waiters) calls.push(await park(lock, () => condition.await(), { task }))
      await lock.lock()
      assert.deepEqual(seen(), [true, 3, true, 3])
      assert.deepEqual(
        condition.waitingThreads,
        waiters.map(({ flow }) => ({ id: flow.id, isLocal: true })),
      )
      assert.deepEqual(lock.waitingThreads(condition), condition.waitingThreads)
      condition.signal()
      assert.deepEqual(seen(), [true, 2, true, 2])
      waiters[1]?.interrupt()
      assert.deepEqual(seen(), [true, 1, true, 1])
      condition.signalAll()
      assert.deepEqual(seen(), [false, 0, false, 0])
      lock.unlock()
      await calls[0]?.ends()
      await calls[1]?.failsWith("InterruptedError")
      await calls[2]?.ends()
      await lock.lock()
      assert.deepEqual(seen(), [false, 0, false, 0])
    })
  })
}

test("[CN19] a lock does not answer for the conditions of another", async () => {
  const [lock, other] = [new ReentrantLock(), new ReentrantLock()]
  for (const condition of [other.newCondition(), new ReentrantLock().newCondition()]) {
    await lock.lock()
    const refusal = {
      name: "RangeError",
      message: /^Expected `condition` to be a condition of ReentrantLock@\d+, got /,
    }
    assert.throws(() => lock.hasWaiters(condition), refusal)
    assert.throws(() => lock.waitQueueLength(condition), refusal)
    assert.throws(() => lock.waitingThreads(condition), refusal)
    lock.newCondition()
    assert.throws(() => lock.hasWaiters(condition), refusal)
  }
  for (const wrong of [null, undefined, {}, lock]) {
    const refusal = { name: "TypeError", message: /^Expected `condition` to be a Condition, got / }
    assert.throws(() => lock.hasWaiters(wrong as Condition), refusal)
    assert.throws(() => lock.waitQueueLength(wrong as Condition), refusal)
    assert.throws(() => lock.waitingThreads(wrong as Condition), refusal)
  }
})

test("[CN20] the conditions of one lock know nothing of each other", async () => {
  const lock = new ReentrantLock()
  const [one, other] = [lock.newCondition(), lock.newCondition()]
  const calls = [await park(lock, () => one.await()), await park(lock, () => other.await())]
  await lock.lock()
  assert.deepEqual([one.waitQueueLength, other.waitQueueLength], [1, 1])
  other.signalAll()
  assert.deepEqual([one.waitQueueLength, other.waitQueueLength], [1, 0])
  lock.unlock()
  await calls[1]?.ends()
  await calls[0]?.waits()
  await lock.lock()
  one.signal()
  lock.unlock()
  await calls[0]?.ends()
})

test("[CN21] bad waits are refused, and the lock is still held", async () => {
  const lock = new ReentrantLock()
  const condition = lock.newCondition()
  await lock.lock()
  for (const [wait, name] of [
    ["10", "TypeError"],
    [Number.NaN, "RangeError"],
    [null, "TypeError"],
    [{ timeout: "1" }, "TypeError"],
    [{ signal: 1 }, "TypeError"],
  ] as const) {
    const wrong = wait as unknown as number
    await assert.rejects(condition.await(wrong), { name })
    await assert.rejects(condition.awaitUninterruptibly(wrong), { name })
    if (typeof wait !== "object") assert.throws(() => condition.awaitSync(wrong), { name })
    assert.equal(lock.holdCount, 1)
  }
  assert.equal(condition.hasWaiters, false)
})

test("[CN9][CN21] what is no valid date is refused", async () => {
  const lock = new ReentrantLock()
  const condition = lock.newCondition()
  await lock.lock()
  for (const wrong of [null, undefined, 1, "2030", new Date("?")]) {
    const date = wrong as Date
    const refusal = { name: "TypeError", message: /^Expected `deadline` to be a Date, got / }
    await assert.rejects(condition.awaitUntil(date), refusal)
    assert.throws(() => condition.awaitUntilSync(date), refusal)
  }
  assert.equal(lock.holdCount, 1)
})
