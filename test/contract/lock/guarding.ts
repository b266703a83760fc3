import assert from "node:assert/strict"
import { test } from "node:test"
import { turns } from "../../support/harness.ts"
import { Task } from "../../spec/lock/support.ts"
import type { LockKind } from "./kind.ts"

/** Guards, for `using`. */
export function guarding({ create }: LockKind): void {
  test("[LC16] a guard unlocks at the end of its block", async () => {
    const { lock, blocker } = create()
    const other = new Task()
    const isFree = (): boolean => {
      const free = other.tries(blocker)
      if (free) other.do(() => blocker.unlock())
      return free
    }
    {
      using _ = await lock.lock()
      await turns(1)
      assert.equal(isFree(), false)
    }
    assert.equal(isFree(), true)
    {
      using _ = lock.lockSync()
      {
        using inner = lock.lockInterruptiblySync()
        assert.notEqual(inner, undefined)
        assert.equal(isFree(), false)
      }
      assert.equal(isFree(), false)
    }
    assert.equal(isFree(), true)
  })

  test("[LC16] a guard unlocks also when its block is left by an error", async () => {
    const { lock, blocker } = create()
    await assert.rejects(
      async () => {
        using _ = await lock.lockInterruptibly()
        throw new Error("inside")
      },
      { message: "inside" },
    )
    assert.equal(new Task().tries(blocker), true)
  })

  test("[LC17] a guard unlocks once", async () => {
    const { lock, blocker } = create()
    const outer = await lock.lock()
    {
      using inner = await lock.lock()
      inner.unlock()
      inner.unlock()
      assert.equal(new Task().tries(blocker), false, "the outer hold remains")
    }
    assert.equal(new Task().tries(blocker), false, "the outer hold remains")
    outer.unlock()
    outer[Symbol.dispose]()
    assert.equal(new Task().tries(blocker), true)
  })

  test("[LC18] a guard is for the task that has the lock, and waits for it", async () => {
    const { lock, blocker } = create()
    const guard = await lock.lock()
    assert.throws(() => new Task().do(() => guard.unlock()), { name: "IllegalMonitorStateError" })
    assert.equal(new Task().tries(blocker), false)
    guard.unlock()
    assert.equal(new Task().tries(blocker), true)
  })
}
