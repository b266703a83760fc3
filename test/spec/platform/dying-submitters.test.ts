/** Threads that die inside of corepool, while they submit to a pool of another thread or resume it. */
import { Executors, platformThreads, ThreadPoolExecutor } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { mortalThreads } from "../../support/mortal.ts"
import * as tasks from "./ending-tasks.ts"

/** A submission takes fewer accesses to memory than this. */
const ACCESSES = 90

const ones = Array.from({ length: ACCESSES }, (_, i) => i)

test("[PL71] a thread dies at any step of a submission: the pool runs other tasks, and ends", async () => {
  await using other = Executors.newFixedThreadPool(2, mortalThreads())
  for (const accesses of ones) {
    await using pool = Executors.newFixedThreadPool(1, platformThreads({ uncaughtException: () => undefined }))
    const death = await rejectionOf(other.submit(tasks.submitAndDie, pool, accesses))
    assert.equal((death as Error).name, "ThreadDeathError")
    assert.equal(await pool.submit(tasks.add, 1, 2), 3, `after ${accesses} accesses`)
    await eventually(() => pool.poolSize === 1)
  }
})

test("[PL71][PZ23] a thread dies at any step of resuming a pool: it is paused, or has a thread for each task", async () => {
  await using other = Executors.newFixedThreadPool(2, mortalThreads())
  for (const accesses of ones.filter((i) => i % 3 === 0)) {
    await using pool = new ThreadPoolExecutor({ corePoolSize: 2, maximumPoolSize: 2 })
    pool.pause()
    const waiting = [1, 2].map((i) => pool.submit(tasks.add, i, i))
    assert.equal(
      ((await rejectionOf(other.submit(tasks.resumeAndDie, pool, accesses))) as Error).name,
      "ThreadDeathError",
    )
    if (pool.isPaused) pool.resume()
    assert.deepEqual(await Promise.all(waiting), [2, 4])
    await eventually(() => pool.poolSize === 2)
  }
})
