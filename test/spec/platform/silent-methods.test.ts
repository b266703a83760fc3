/** Methods that a task has replaced by ones that do nothing, and tasks that call `process.exit` more than once. */
import { Executors, platformThreads, ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import * as tasks from "./silent-tasks.ts"

const METHODS = [
  ...["Array.push", "Array.pop", "Array.splice", "Array.reverse"],
  ...["Map.get", "Map.set", "Map.has", "Map.delete", "Set.add", "Set.has", "Set.delete"],
]

for (const method of METHODS) {
  test(`[PL77] ${method} of a thread that is about to sleep does nothing any more`, async () => {
    await using pool = Executors.newFixedThreadPool(2, platformThreads({ terminateAfter: 1 }))
    await pool.submit(tasks.sumOf, pool, 3) // both threads have loaded the module
    for (let round = 0; round < 4; round++) {
      await pool.submit(tasks.silence, method)
      const sums = Array.from({ length: 6 }, (_, i) => pool.submit(tasks.sumOf, pool, i))
      for (const [i, sum] of sums.entries()) {
        const outcome = await sum.get().catch((error: unknown) => error)
        if (!(outcome instanceof ThreadDeathError)) assert.equal(outcome, (i * i - i) / 2)
      }
    }
    pool.shutdown()
    assert.equal(await pool.awaitTermination(), true)
    assert.equal(pool.taskCount, pool.completedTaskCount)
  })
}

for (const then of ["exits", "spins"] as const) {
  test(`[PL78] a task calls process.exit, and a timer that is due ${then}`, async () => {
    await using pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: 1 }))
    const dead = pool.submit(tasks.exitTwice, then)
    await assert.rejects(() => dead.get(), ThreadDeathError)
    assert.equal(await pool.submit(tasks.add, 1, 2), 3)
    pool.shutdown()
    assert.equal(await pool.awaitTermination(), true)
    assert.equal(pool.completedTaskCount, 2)
  })
}
