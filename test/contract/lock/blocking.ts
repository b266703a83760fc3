import assert from "node:assert/strict"
import { test } from "node:test"
import { Task, timeLimit } from "../../spec/lock/support.ts"
import type { LockKind } from "./kind.ts"

/** The forms that block the thread, as far as one thread alone can tell. */
export function blocking({ create }: LockKind): void {
  test("[LC22] a thread does not block for a lock that a flow of its own holds", async () => {
    const { lock, blocker } = create()
    await new Task().do(() => blocker.lock())
    const refusal = { name: "IllegalStateError", message: /would block for ever/ }
    assert.throws(() => lock.lockSync(), refusal)
    assert.throws(() => lock.lockInterruptiblySync(), refusal)
    assert.throws(() => new Task().do(() => lock.lockSync()), refusal)
  })

  test("[LC22] one that was refused leaves nothing behind in the line", async () => {
    const { lock, blocker } = create()
    const [holder, waiter] = [new Task(), new Task()]
    await holder.do(() => blocker.lock())
    const waiting = await waiter.waitIn(() => lock.lock())
    assert.throws(() => lock.lockSync(), { name: "IllegalStateError" })
    holder.do(() => blocker.unlock())
    await waiting.ends()
    waiter.do(() => lock.unlock())
    assert.equal(new Task().tries(blocker), true)
  })

  test("[LC23] tryLockSync takes a free lock, and gives up when the time is up", async () => {
    const { lock, blocker } = create()
    for (const ms of [10, 0, -1, -Infinity]) {
      assert.equal(lock.tryLockSync(ms), true)
      lock.unlock()
    }
    await new Task().do(() => blocker.lock())
    for (const ms of [3, 0, -1, -Infinity]) {
      const limit = timeLimit(ms)
      assert.equal(lock.tryLockSync(ms), false)
      assert.equal(limit.isOver, true)
    }
    assert.throws(() => lock.unlock(), { name: "IllegalMonitorStateError" })
  })

  test("[LC23] tryLockSync of a task whose flag is raised throws, also if the lock is free", async () => {
    const { lock, blocker } = create()
    for (const prepare of [() => undefined, () => new Task().do(() => blocker.lock())]) {
      await prepare()
      const task = Task.raised()
      assert.throws(() => task.do(() => lock.tryLockSync(1000)), { name: "InterruptedError" })
      assert.equal(task.isInterrupted, false)
    }
  })
}
