import assert from "node:assert/strict"
import { test } from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import { Task, tasks } from "../../spec/lock/support.ts"
import type { LockKind } from "./kind.ts"

/** Whose the lock is. */
export function owning({ create, isExclusive }: LockKind): void {
  test("[LC19] who holds the lock can lock it again, whoever waits for it", async () => {
    const { lock, blocker } = create()
    await lock.lock()
    const other = new Task()
    const waiting = await other.waitIn(() => blocker.lock())
    await lock.lock()
    await lock.lock(10)
    await lock.lockInterruptibly()
    lock.lockSync()
    lock.lockInterruptiblySync()
    assert.equal(lock.tryLock(), true)
    assert.equal(await lock.tryLock(0), true)
    assert.equal(lock.tryLockSync(0), true)
    for (let left = 9; left > 0; left--) {
      await waiting.waits()
      lock.unlock()
    }
    await waiting.ends()
  })

  test("[LC20] a lock that nobody holds cannot be unlocked", async () => {
    const { lock, blocker } = create()
    const refusal = { name: "IllegalMonitorStateError", code: "ERR_COREPOOL_ILLEGAL_MONITOR_STATE" }
    assert.throws(() => lock.unlock(), refusal)
    await lock.lock()
    await lock.lock()
    lock.unlock()
    lock.unlock()
    assert.throws(() => lock.unlock(), refusal)
    assert.equal(blocker.tryLock(), true)
  })

  test("[LC20] what another task holds cannot be unlocked, and is still held", async () => {
    const { lock, blocker } = create()
    await lock.lock()
    const [one, other] = tasks(2) as [Task, Task]
    assert.throws(() => one.do(() => lock.unlock()), { name: "IllegalMonitorStateError" })
    assert.equal(other.tries(blocker), false)
    lock.unlock()
    assert.equal(other.tries(blocker), true)
  })

  test("[LC21] flows of one thread exclude each other, and each keeps its hold across awaits", async () => {
    const { lock, blocker } = create()
    let inside = 0
    let most = 0
    let together = 0
    const body = async (): Promise<void> => {
      for (let round = 0; round < 5; round++) {
        const held = round % 2 === 0 ? blocker : lock
        using _ = await held.lock()
        const alone = held === blocker
        inside++
        if (alone) most = Math.max(most, inside)
        else together = Math.max(together, inside)
        await turn()
        if (alone) assert.equal(inside, 1)
        inside--
      }
    }
    await Promise.all(tasks(4).map((task) => task.do(body)))
    assert.equal(most, 1)
    assert.equal(together > 1, !isExclusive)
  })
}
