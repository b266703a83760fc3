/** Tasks that were begun in the midst of others, which are over. Ids such as [PL60] refer to docs/spec/platform.md. */
import { Executors, ForkJoinPool, platformThreads, ThreadPoolExecutor } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import { leaveBeside, leaveBesideAndThrow } from "./beside-tasks.ts"
import { pass } from "./tasks.ts"

const POOLS = {
  fixed: () => Executors.newFixedThreadPool(1),
  scheduled: () => Executors.newScheduledThreadPool(1),
  "fork/join": () => new ForkJoinPool({ parallelism: 1 }),
} as const

for (const [kind, open] of Object.entries(POOLS)) {
  test(`[PL60] a pool that is shut down ends after a task that goes on beside others: ${kind}`, async () => {
    await using pool = open()
    using gate = new SharedGate()
    const count = new SharedCount()
    await pool.submit(leaveBeside, pool, gate.index, count.index)
    pool.shutdown()
    const end = pool.awaitTermination()
    assert.equal(await pool.awaitTermination(1), false)
    gate.open()
    await end
    assert.equal(count.value, 1)
    if (pool instanceof ThreadPoolExecutor) assert.equal(pool.completedTaskCount, 2)
  })

  test(`[PL61] shutdownNow() ends a task that goes on beside others, with its thread: ${kind}`, async () => {
    await using pool = open()
    using gate = new SharedGate()
    const count = new SharedCount()
    await pool.submit(leaveBeside, pool, gate.index, count.index)
    pool.shutdownNow()
    await pool.awaitTermination()
    assert.equal(count.value, 0)
    if (pool instanceof ThreadPoolExecutor) assert.equal(pool.completedTaskCount, 2)
  })
}

test("[PL60] a thread does not leave by keep-alive while a task goes on beside others; it counts as active", async () => {
  const sizes = { corePoolSize: 2, maximumPoolSize: 2 }
  await using pool = new ThreadPoolExecutor({ ...sizes, keepAliveTime: 1, allowCoreThreadTimeOut: true })
  using gate = new SharedGate()
  using other = new SharedGate()
  const count = new SharedCount()
  const held = pool.submit(pass, other.index)
  await other.reached()
  await pool.submit(leaveBeside, pool, gate.index, count.index)
  other.open()
  await held
  await eventually(() => pool.poolSize < 2) // the time of both is over
  assert.deepEqual([pool.poolSize, pool.activeCount], [1, 1])
  gate.open()
  await eventually(() => pool.poolSize === 0)
  assert.deepEqual([count.value, pool.completedTaskCount], [1, 3])
})

test("[PL61] a command that ends its thread by an error ends what goes on beside it, and that is counted", async () => {
  const errors: string[] = []
  const threads = platformThreads({ uncaughtException: (_, error) => errors.push(String(error)) })
  await using pool = Executors.newFixedThreadPool(1, threads)
  using gate = new SharedGate()
  const count = new SharedCount()
  pool.execute(leaveBesideAndThrow, pool, gate.index, count.index)
  await eventually(() => errors.length > 0)
  await pool.close()
  assert.deepEqual([errors, count.value, pool.completedTaskCount], [["Error: of the command"], 0, 2])
})
