import assert from "node:assert/strict"
import { test } from "node:test"
import { Task, tasks } from "../../spec/lock/support.ts"
import type { LockKind } from "./kind.ts"

/** Interrupts, aborts and time limits. */
export function givingUp({ create, isExclusive }: LockKind): void {
  test("[LC8] lock ignores interrupts, and the flag stays raised", async () => {
    const { lock, blocker } = create()
    await Task.raised()
      .call(() => lock.lock().then((guard) => guard.unlock()))
      .ends()

    await blocker.lock()
    const [before, during] = [Task.raised(), new Task()]
    const calls = [await before.waitIn(() => lock.lock()), await during.waitIn(() => lock.lock())]
    during.interrupt()
    await calls[1]?.waits()
    blocker.unlock()
    await calls[0]?.ends()
    assert.equal(before.isInterrupted, true)
    before.do(() => lock.unlock())
    await calls[1]?.ends()
    assert.equal(during.isInterrupted, true)
    during.do(() => lock.unlock())
  })

  test("[LC9] an interrupt ends the wait of lockInterruptibly and of tryLock with a limit", async () => {
    const { lock, blocker } = create()
    await blocker.lock()
    for (const form of [
      () => lock.lockInterruptibly(),
      () => lock.tryLock(100_000),
      () => lock.lockInterruptibly({}),
    ]) {
      const waiter = new Task()
      const call = await waiter.waitIn<unknown>(form)
      waiter.interrupt()
      await call.failsWith("InterruptedError")
      assert.equal(waiter.isInterrupted, false)
      assert.throws(() => waiter.do(() => lock.unlock()), { name: "IllegalMonitorStateError" })
    }
    blocker.unlock()
    assert.equal(new Task().tries(blocker), true)
  })

  test("[LC10] a task whose flag is raised gets no lock from them, not even a free one", async () => {
    const { lock, blocker } = create()
    for (const form of [() => lock.lockInterruptibly(), () => lock.tryLock(0), () => lock.tryLock(100_000)]) {
      const waiter = Task.raised()
      await waiter.call<unknown>(form).failsWith("InterruptedError")
      assert.equal(waiter.isInterrupted, false)
    }
    const sync = Task.raised()
    assert.throws(() => sync.do(() => lock.lockInterruptiblySync()), { name: "InterruptedError" })
    assert.equal(sync.isInterrupted, false)
    assert.equal(new Task().tries(blocker), true)
  })

  test("[LC10] tryLock without a limit does not care about interrupts", () => {
    const { lock } = create()
    const task = Task.raised()
    assert.equal(task.tries(lock), true)
    assert.equal(task.isInterrupted, true)
  })

  test("[LC11] a signal that is aborted already rejects, whether the lock is free or not", async () => {
    const { lock, blocker } = create()
    const reason = new Error("enough")
    const signal = AbortSignal.abort(reason)
    const forms = [
      () => lock.lock({ signal }),
      () => lock.lockInterruptibly({ signal, timeout: 10 }),
      () => lock.tryLock({ signal }),
      () => lock.tryLock({ signal, timeout: 0 }),
    ]
    for (const form of forms) assert.equal(await new Task().call<unknown>(form).failsWith("Error"), reason)
    assert.equal(blocker.tryLock(), true)
    for (const form of forms) assert.equal(await new Task().call<unknown>(form).failsWith("Error"), reason)
    blocker.unlock()
    assert.equal(new Task().tries(blocker), true)
  })

  test("[LC12] an abort ends a wait with the signal's reason", async () => {
    const { lock, blocker } = create()
    await blocker.lock()
    const controller = new AbortController()
    const { signal } = controller
    const calls = [
      await new Task().waitIn<unknown>(() => lock.lock({ signal })),
      await new Task().waitIn<unknown>(() => lock.lockInterruptibly({ signal })),
      await new Task().waitIn<unknown>(() => lock.tryLock({ signal, timeout: 100_000 })),
    ]
    const reason = new Error("enough")
    controller.abort(reason)
    for (const call of calls) assert.equal(await call.failsWith("Error"), reason)
    blocker.unlock()
    assert.equal(new Task().tries(blocker), true)
  })

  test("[LC13] who gives up leaves the line, and the others keep their places", async () => {
    const { lock, blocker } = create()
    await blocker.lock()
    const waiters = tasks(6)
    const [first, interrupted, second, aborted, third, timedOut] = waiters as [Task, Task, Task, Task, Task, Task]
    const controller = new AbortController()
    const calls = new Map<Task, { ends(): Promise<unknown>; failsWith(name: string): Promise<unknown> }>()
    calls.set(first, await first.waitIn(() => lock.lock()))
    calls.set(interrupted, await interrupted.waitIn(() => lock.lockInterruptibly()))
    calls.set(second, await second.waitIn(() => lock.lock()))
    calls.set(aborted, await aborted.waitIn(() => lock.lock({ signal: controller.signal })))
    calls.set(third, await third.waitIn(() => lock.lock()))
    assert.equal(await timedOut.do(() => lock.tryLock(1)), false)

    interrupted.interrupt()
    controller.abort(new Error("enough"))
    await calls.get(interrupted)?.failsWith("InterruptedError")
    await calls.get(aborted)?.failsWith("Error")
    blocker.unlock()
    for (const waiter of [first, second, third]) {
      await calls.get(waiter)?.ends()
      if (isExclusive) {
        assert.equal(waiters.filter((task) => task.tries(lock)).length, 1, "one task has it, and could have it again")
        waiter.do(() => lock.unlock())
      }
      waiter.do(() => lock.unlock())
    }
    assert.equal(new Task().tries(blocker), true)
  })

  test("[LC13] the first in line may give up: the next gets the lock all the same", async () => {
    const { lock, blocker } = create()
    await blocker.lock()
    const [first, second] = tasks(2) as [Task, Task]
    const given = await first.waitIn(() => lock.lockInterruptibly())
    const next = await second.waitIn(() => lock.lock())
    first.interrupt()
    await given.failsWith("InterruptedError")
    await next.waits()
    blocker.unlock()
    await next.ends()
    second.do(() => lock.unlock())
  })

  test("[LC14] who has got the lock keeps it, whatever comes before it has woken up", async () => {
    const { lock, blocker } = create()
    for (const form of [
      (signal: AbortSignal) => lock.lock({ signal }),
      (signal: AbortSignal) => lock.lockInterruptibly({ signal }),
      (signal: AbortSignal) => lock.tryLock({ signal, timeout: 100_000 }),
    ]) {
      await blocker.lock()
      const controller = new AbortController()
      const waiter = new Task()
      const call = await waiter.waitIn<unknown>(() => form(controller.signal))
      blocker.unlock() // it has it now, but does not know yet
      controller.abort(new Error("too late"))
      waiter.interrupt()
      await call.ends()
      assert.equal(waiter.isInterrupted, true)
      assert.equal(new Task().tries(blocker), false)
      waiter.do(() => lock.unlock())
    }
  })

  test("[LC15] bad waits are refused, and nothing is locked", async () => {
    const { lock, blocker } = create()
    const bad: [unknown, string][] = [
      ["10", "TypeError"],
      [Number.NaN, "RangeError"],
      [null, "TypeError"],
      [true, "TypeError"],
      [{ timeout: "10" }, "TypeError"],
      [{ signal: {} }, "TypeError"],
    ]
    for (const [wait, name] of bad) {
      const wrong = wait as number
      await new Task().call(() => lock.lock(wrong)).failsWith(name)
      await new Task().call(() => lock.lockInterruptibly(wrong)).failsWith(name)
      await new Task().call(() => lock.tryLock(wrong)).failsWith(name)
      if (typeof wait !== "object" || wait === null) {
        assert.throws(() => new Task().do(() => lock.tryLockSync(wrong)), { name })
      }
    }
    assert.throws(() => lock.tryLockSync(undefined as unknown as number), { name: "TypeError" })
    assert.equal(new Task().tries(blocker), true)
  })
}
