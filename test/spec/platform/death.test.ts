/** Workers that die where no code of the user's is thought to run. Rules: docs/spec/platform.md. */
import { Executors, platformThreads, ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Worker } from "node:worker_threads"
import { rejectionOf } from "../../support/harness.ts"
import * as tasks from "./tasks.ts"

test("[PL17] a worker that ends while its result is being written down fails the task with the reason", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const future = pool.submit(
    (code: number) => ({
      get property(): number {
        return process.exit(code)
      },
    }),
    3,
  )
  await assert.rejects(
    () => future.get(),
    (error) => error instanceof ThreadDeathError && error.message.includes("exit code 3"),
  )
  assert.equal(await pool.submit((a: number) => a + 1, 1), 2)
})

test("[PL43][PL44] tasks whose threads died before they began count as completed, and their errors say so", async () => {
  const workerFactory = (): Worker => new Worker("process.exit(1)", { eval: true })
  await using pool = Executors.newFixedThreadPool(2, platformThreads({ workerFactory }))
  const futures = Array.from({ length: 10 }, (_, n) => pool.submit(tasks.add, n, n))
  for (const future of futures) {
    const error = (await rejectionOf(future)) as Error
    assert.ok(error instanceof ThreadDeathError)
    assert.match(error.message, /before it could begin the task/)
  }
  assert.equal(pool.completedTaskCount, 10)
})

test("[PL43] so do all that a thread had in hand, one inside of the other", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  assert.equal(await pool.submit(tasks.add, 1, 2), 3)
  const error = (await rejectionOf(pool.submit(tasks.exitInside, pool))) as Error
  assert.match(error.message, /while it ran the task/)
  assert.equal(await pool.submit(tasks.add, 3, 4), 7)
  pool.shutdown()
  assert.ok(await pool.awaitTermination())
  assert.equal(pool.completedTaskCount, 4)
})
