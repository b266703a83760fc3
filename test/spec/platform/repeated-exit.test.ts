/** Tasks that call `process.exit` more than once. */
import { Executors, platformThreads, ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import * as tasks from "./repeated-exit-tasks.ts"

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
