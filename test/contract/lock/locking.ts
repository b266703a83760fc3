import assert from "node:assert/strict"
import { test } from "node:test"
import { turns } from "../../support/harness.ts"
import { Task, tasks, timeLimit } from "../../spec/lock/support.ts"
import type { LockKind } from "./kind.ts"

/** Getting a lock, at once and later. */
export function locking({ create, isExclusive }: LockKind): void {
  test("[LC1] a free lock is had at once, and then nobody else can have it", async () => {
    const other = new Task()
    for (const form of ["lock", "lockInterruptibly", "lockSync", "lockInterruptiblySync"] as const) {
      const { lock, blocker } = create()
      const guard = await lock[form]()
      assert.equal(other.tries(blocker), false, form)
      guard.unlock()
      assert.equal(other.tries(blocker), true, form)
    }
  })

  test("[LC2] a lock that is held is had as soon as it is unlocked", async () => {
    const { lock, blocker } = create()
    await blocker.lock()
    const waiter = new Task()
    const call = await waiter.waitIn(() => lock.lock())
    await turns()
    assert.equal(call.state, "pending")
    blocker.unlock()
    assert.equal(blocker.tryLock(), false)
    await call.ends()
    waiter.do(() => lock.unlock())
    assert.equal(blocker.tryLock(), true)
  })

  test("[LC3] tryLock takes what is free, and changes nothing if it is not", async () => {
    const { lock, blocker } = create()
    const [one, other] = tasks(2) as [Task, Task]
    assert.equal(one.tries(lock), true)
    assert.equal(other.tries(blocker), false)
    one.do(() => lock.unlock())

    await blocker.lock()
    assert.equal(one.tries(lock), false)
    blocker.unlock()
    assert.throws(() => one.do(() => lock.unlock()), { name: "IllegalMonitorStateError" })
    assert.equal(other.tries(blocker), true)
  })

  test("[LC4] tryLock with a limit has the lock if it is unlocked in time", async () => {
    const { lock, blocker } = create()
    await blocker.lock()
    const [one, other] = tasks(2) as [Task, Task]
    const calls = [
      await one.waitIn(() => lock.tryLock(100_000)),
      await other.waitIn(() => lock.tryLock({ timeout: Infinity })),
    ]
    blocker.unlock()
    assert.equal(await calls[0]?.ends(), true)
    one.do(() => lock.unlock())
    assert.equal(await calls[1]?.ends(), true)
    other.do(() => lock.unlock())
    assert.equal(await lock.tryLock(1), true)
  })

  test("[LC4] when the time is up tryLock gives false, and not before", async () => {
    const { lock, blocker } = create()
    await blocker.lock()
    const limit = timeLimit(5)
    const got = await new Task().do(() => lock.tryLock(5))
    assert.equal(got, false)
    assert.equal(limit.isOver, true)
    blocker.unlock()
    assert.equal(new Task().tries(blocker), true)
  })

  test("[LC5] with a limit of zero or less there is one attempt", async () => {
    for (const ms of [0, -1, -Infinity, Number.MIN_SAFE_INTEGER]) {
      const { lock, blocker } = create()
      await blocker.lock()
      const waiter = new Task()
      assert.equal(await waiter.call(() => lock.tryLock(ms)).ends(), false)
      await waiter.call(() => lock.lock(ms)).failsWith("TimeoutError")
      await waiter.call(() => lock.lockInterruptibly({ timeout: ms })).failsWith("TimeoutError")
      blocker.unlock()
      assert.equal(await waiter.call(() => lock.tryLock(ms)).ends(), true)
      await waiter.call(() => lock.lock(ms)).ends()
    }
  })

  test("[LC6] lock with a limit fails with a TimeoutError, and not before", async () => {
    const { lock, blocker } = create()
    await blocker.lock()
    for (const form of ["lock", "lockInterruptibly"] as const) {
      const limit = timeLimit(5)
      await assert.rejects(
        new Task().do(() => lock[form](5)),
        { name: "TimeoutError", message: /within 5 ms/ },
      )
      assert.equal(limit.isOver, true)
    }
    blocker.unlock()
    assert.equal(new Task().tries(blocker), true)
  })

  test("[LC7] those who wait get the lock in the order in which they came", async () => {
    const { lock, blocker } = create()
    await blocker.lock()
    const order: number[] = []
    const waiters = tasks(6)
    const forms = [
      () => lock.lock(),
      () => lock.tryLock(100_000),
      () => lock.lockInterruptibly(),
      () => lock.lock({ signal: new AbortController().signal }),
      () => lock.lock(100_000),
      () => lock.tryLock({}),
    ]
    const calls = forms.map((form, index) =>
      waiters[index]?.call(async () => {
        await form()
        order.push(index)
      }),
    )
    await turns()
    blocker.unlock()
    for (const [index, waiter] of waiters.entries()) {
      await calls[index]?.ends()
      if (isExclusive) assert.deepEqual(order, [0, 1, 2, 3, 4, 5].slice(0, index + 1))
      waiter.do(() => lock.unlock())
    }
    // Those who share it get it all at once, and the promises that tell them are not all of the same length.
    if (!isExclusive) order.sort((a, b) => a - b)
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5])
  })

  test("[LC24] among those who wait the highest priority gets the lock first", async () => {
    const { lock, blocker } = create()
    await blocker.lock()
    const order: number[] = []
    const waiters = tasks(5)
    const forms = [
      () => lock.lock({ priority: -1 }),
      () => lock.lock(),
      () => lock.tryLock({ priority: 1, timeout: 100_000 }),
      () => lock.lockInterruptibly({ priority: 2, signal: new AbortController().signal }),
      () => lock.lock({ priority: 1 }),
    ]
    const expected = [3, 2, 4, 1, 0]
    const calls = []
    for (const [index, form] of forms.entries()) {
      const locks = async (): Promise<void> => {
        await form()
        order.push(index)
      }
      calls.push(await (waiters[index] as Task).waitIn(locks))
    }
    blocker.unlock()
    for (const [count, index] of expected.entries()) {
      await calls[index]?.ends()
      if (isExclusive) assert.deepEqual(order, expected.slice(0, count + 1))
      waiters[index]?.do(() => lock.unlock())
    }
    assert.equal(new Task().tries(blocker), true)
  })

  test("[LC25] a priority that is no integer is refused, and the lock is not taken", async () => {
    const { lock, blocker } = create()
    const refusal = { name: "RangeError", message: /^Expected `priority` to be an integer/ }
    await assert.rejects(lock.lock({ priority: 0.5 }), refusal)
    await assert.rejects(lock.lockInterruptibly({ priority: 0.5 }), refusal)
    await assert.rejects(lock.tryLock({ priority: 0.5 }), refusal)
    assert.throws(() => lock.lockSync({ priority: 0.5 }), refusal)
    assert.throws(() => lock.lockInterruptiblySync({ priority: 0.5 }), refusal)
    assert.throws(() => lock.tryLockSync(0, { priority: 0.5 }), refusal)
    assert.throws(() => lock.lockSync({ timeout: 1 } as { priority?: number }), { name: "TypeError" })
    assert.equal(new Task().tries(blocker), true)
  })
}
