/** Defects 8, 9, 14 and 15: threads that die. */
import { ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import { eventually, rejectionOf } from "../support/harness.ts"
import { count, fixed, type Setup, SharedWords, work } from "./setup.ts"

export const exit: Setup = {
  defect: 8,
  title: "a task that ends its thread fails, and what waits behind it runs",
  async run(newPool) {
    const pool = newPool(fixed(1))
    const dying = pool.submit(work.exit, 3)
    const behind = pool.submit(work.add, 1, 2)
    assert.ok((await rejectionOf(dying)) instanceof ThreadDeathError)
    assert.equal(await behind, 3)
    await pool.close()
  },
}

export const everyDeath: Setup = {
  defect: 9,
  title: "exit, an uncaught error and a full heap each fail the running task only",
  async run(newPool) {
    const pool = newPool(fixed(1), { resourceLimits: { maxOldGenerationSizeMb: 24 } })
    for (const die of [
      () => pool.submit(work.exit, 0),
      () => pool.submit(work.throwUncaught),
      () => pool.submit(work.fillHeap),
    ]) {
      const dying = die()
      const behind = pool.submit(work.add, 1, 2)
      const error = await rejectionOf(dying)
      assert.ok(error instanceof ThreadDeathError, String(error))
      assert.notEqual(error.message, "")
      assert.equal(await behind, 3)
      assert.equal(pool.poolSize, 1)
    }
    await pool.close()
  },
}

export const deathBesideOthers: Setup = {
  defect: 14,
  title: "a thread that dies hangs neither its task nor the tasks of others",
  async run(newPool) {
    const pool = newPool(fixed(2))
    const shared = new SharedWords()
    const beside = pool.submit(work.hold, shared.words)
    await eventually(() => shared.counter === 1)
    const dying = [pool.submit(work.throwUncaught), pool.submit(work.exit, 1), pool.submit(work.throwUncaught)]
    const behind = pool.submit(work.add, 1, 2)
    for (const future of dying) assert.ok((await rejectionOf(future)) instanceof ThreadDeathError)
    assert.equal(await behind, 3)
    assert.equal(beside.isDone, false)
    shared.open()
    assert.equal(await beside, "held")
    await pool.close()
  },
}

export const deathBeforeMany: Setup = {
  defect: 15,
  title: "a thread that dies loses nothing that waits",
  async run(newPool) {
    const pool = newPool(fixed(2))
    const dying = count(4, () => pool.submit(work.throwUncaught))
    const behind = count(2_000, (i) => pool.submit(work.add, i, 1))
    for (const future of dying) assert.ok((await rejectionOf(future)) instanceof ThreadDeathError)
    await pool.close()
    assert.deepEqual(
      behind.map((future) => future.resultNow()),
      count(2_000, (i) => i + 1),
    )
  },
}
