/** How waits on a condition end without a signal. */
import { InterruptedError, ReentrantLock } from "corepool"
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { FakeClock } from "../../support/fake-clock.ts"
import { eventually, turns } from "../../support/harness.ts"
import { parked, parkedAndLocked, Task, tasks, timeLimit } from "./support.ts"

for (const fair of [false, true]) {
  describe(`waits on conditions of a lock that is ${fair ? "" : "not "}fair`, () => {
    test("[CN8] when the time is up the wait ends with the lock held, and not before", async () => {
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      await lock.lock()
      for (const wait of [
        () => condition.await(5),
        () => condition.await({ timeout: 5 }),
        () => condition.awaitUninterruptibly(5),
      ]) {
        const limit = timeLimit(5)
        assert.equal(await wait(), false)
        assert.equal(limit.isOver, true)
        assert.equal(lock.holdCount, 1)
      }
    })

    test("[CN8] one whose time is up waits for the lock, however long that takes", async () => {
      const { lock, condition, call, seen } = await parkedAndLocked(fair, (it) => it.await(1))
      await eventually(() => lock.queueLength === 1)
      assert.equal(condition.hasWaiters, false)
      await call.waits()
      condition.signal() // for nobody: it has given up
      lock.unlock()
      assert.equal(await call.ends(), false)
      assert.equal(seen.holdCount, 1)
    })

    test("[CN8] a limit of zero or less gives the lock up without waiting, to those who queue if the lock is fair", async () => {
      for (const ms of [0, -1, -Infinity]) {
        const lock = new ReentrantLock({ fair })
        const condition = lock.newCondition()
        await lock.lock()
        assert.equal(await condition.await(ms), false)
        assert.equal(lock.holdCount, 1)
        const other = new Task()
        let inside = false
        const call = await other.waitIn(async () => {
          using _ = await lock.lock()
          inside = true
        })
        assert.equal(await condition.await(ms), false)
        assert.equal(inside, fair)
        assert.equal(lock.holdCount, 1)
        assert.equal(condition.awaitSync(ms), false)
        assert.equal(await condition.awaitUninterruptibly(ms), false)
        assert.equal(lock.holdCount, 1)
        lock.unlock()
        await call.ends()
      }
    })

    test("[CN9] awaitUntil ends at that moment, and not before", async () => {
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      await lock.lock()
      const deadline = new Date(Date.now() + 5)
      assert.equal(await condition.awaitUntil(deadline), false)
      assert.ok(Date.now() >= deadline.getTime())
      assert.equal(await condition.awaitUntil(new Date(0)), false)
      assert.equal(condition.awaitUntilSync(new Date(Date.now() + 3)), false)
      assert.equal(condition.awaitUntilSync(new Date(0)), false)
      const reason = new Error("enough")
      await assert.rejects(condition.awaitUntil(new Date(), { signal: AbortSignal.abort(reason) }), reason)
      assert.equal(lock.holdCount, 1)
    })

    test("[CN10] an interrupt ends the wait when the lock is held again", async () => {
      for (const wait of [undefined, 100_000, { signal: new AbortController().signal }]) {
        const { lock, call, waiter, seen } = await parked(fair, (it) => it.await(wait))
        await lock.lock()
        waiter.interrupt()
        await call.waits()
        lock.unlock()
        await call.failsWith("InterruptedError")
        assert.deepEqual(seen, { holdCount: 1, raised: false })
      }
      const { call, waiter, seen } = await parked(fair, (it) => it.awaitUntil(new Date(Date.now() + 100_000)))
      waiter.interrupt()
      await call.failsWith("InterruptedError")
      assert.deepEqual(seen, { holdCount: 1, raised: false })
    })

    test("[CN11] a task whose flag is raised does not begin to wait, and keeps the lock", async () => {
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      const task = Task.raised()
      await task.do(() => lock.lock())
      const other = await new Task().waitIn(() => lock.lock())
      for (const wait of [() => condition.await(), () => condition.await(0), () => condition.awaitUntil(new Date(0))]) {
        await task.call(wait).failsWith("InterruptedError")
        assert.equal(task.isInterrupted, false)
        await other.waits()
        task.interrupt()
      }
      assert.throws(() => task.do(() => condition.awaitSync(1)), { name: "InterruptedError" })
      assert.equal(task.isInterrupted, false)
      await other.waits()
    })

    test("[CN12] an interrupt after the signal does not count, and the flag is raised", async () => {
      for (const again of [false, true]) {
        const { lock, condition, call, waiter, seen } = await parked(fair, (it) => it.await())
        await lock.lock()
        condition.signal()
        waiter.interrupt()
        if (again) waiter.interrupt()
        await call.waits()
        lock.unlock()
        assert.equal(await call.ends(), true)
        assert.deepEqual(seen, { holdCount: 1, raised: true })
      }
    })

    test("[CN12] a limit that runs out after the signal does not count", async () => {
      using clock = new FakeClock() // a real limit may be over before the signal
      const { lock, condition, call } = await parked(fair, (it) => it.await(1))
      await lock.lock()
      assert.equal(condition.hasWaiters, true)
      condition.signal()
      assert.equal(clock.ticking, 1)
      clock.advance(1)
      assert.equal(clock.ticking, 0)
      await call.waits()
      lock.unlock()
      assert.equal(await call.ends(), true)
    })

    test("[CN13] awaitUninterruptibly is ended by a signal, and the flag is still raised", async () => {
      for (const waiter of [Task.raised(), new Task()]) {
        const { lock, condition, call, seen } = await parked(fair, (it) => it.awaitUninterruptibly(), waiter)
        waiter.interrupt()
        await call.waits()
        await lock.lock()
        condition.signal()
        lock.unlock()
        assert.equal(await call.ends(), true)
        assert.deepEqual(seen, { holdCount: 1, raised: true })
      }
    })

    test("[CN13] awaitUninterruptibly is ended by its limit", async () => {
      const task = Task.raised()
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      await task.do(() => lock.lock())
      assert.equal(await task.do(() => condition.awaitUninterruptibly(1)), false)
      assert.equal(task.isInterrupted, true)
      assert.equal(
        task.do(() => lock.holdCount),
        1,
      )
    })

    test("[CN14] a signal that is aborted already rejects, and the lock is not given up", async () => {
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      await lock.lock()
      const other = await new Task().waitIn(() => lock.lock())
      const reason = new Error("enough")
      const signal = AbortSignal.abort(reason)
      await assert.rejects(condition.await({ signal }), reason)
      await assert.rejects(condition.await({ signal, timeout: 0 }), reason)
      await assert.rejects(condition.awaitUninterruptibly({ signal }), reason)
      await other.waits()
    })

    test("[CN15] an abort ends the wait when the lock is held again", async () => {
      for (const form of ["await", "awaitUninterruptibly"] as const) {
        const controller = new AbortController()
        const { lock, call, seen } = await parked(fair, (it) => it[form]({ signal: controller.signal }))
        await lock.lock()
        const reason = new Error("enough")
        controller.abort(reason)
        await call.waits()
        lock.unlock()
        assert.equal(await call.failsWith("Error"), reason)
        assert.deepEqual(seen, { holdCount: 1, raised: false })
      }
    })

    test("[CN15] an abort after the signal does not count, whatever its reason", async () => {
      for (const reason of [new Error("enough"), new InterruptedError("of somebody else")]) {
        const controller = new AbortController()
        const { lock, condition, call, seen } = await parked(fair, (it) => it.await({ signal: controller.signal }))
        await lock.lock()
        condition.signal()
        controller.abort(reason)
        await call.waits()
        lock.unlock()
        assert.equal(await call.ends(), true)
        assert.deepEqual(seen, { holdCount: 1, raised: false })
      }
    })

    test("[CN16] who gives up takes no signal along", async () => {
      const lock = new ReentrantLock({ fair })
      const condition = lock.newCondition()
      const waiters = tasks(4)
      const controller = new AbortController()
      const bodies = [
        () => condition.await(),
        () => condition.await({ signal: controller.signal }),
        () => condition.await(1),
        () => condition.await(),
      ]
      const calls = waiters.map((task, index) =>
        task.call(async () => {
          using _ = await lock.lock()
          return await bodies[index]?.()
        }),
      )
      await turns(1)
      await lock.lock()
      await eventually(() => condition.waitQueueLength === 3)
      waiters[0]?.interrupt()
      controller.abort(new Error("enough"))
      assert.equal(condition.waitQueueLength, 1)
      condition.signal()
      assert.equal(condition.waitQueueLength, 0)
      lock.unlock()
      await calls[0]?.failsWith("InterruptedError")
      await calls[1]?.failsWith("Error")
      assert.equal(await calls[2]?.ends(), false)
      assert.equal(await calls[3]?.ends(), true)
    })
  })
}
