/** Threads that are started ahead of their first task. Ids such as [TP76] refer to docs/spec/pool.md. */
import assert from "node:assert/strict"
import test from "node:test"
import { Pools } from "../../support/pools.ts"

test("[TP76] prestartCoreThread() starts one idle thread at a time up to the core size", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 2, maximumPoolSize: 6 })
  assert.deepEqual([pool.prestartCoreThread(), pool.poolSize], [true, 1])
  assert.deepEqual([pool.prestartCoreThread(), pool.poolSize], [true, 2])
  assert.deepEqual([pool.prestartCoreThread(), pool.poolSize], [false, 2])
  pool.corePoolSize = 4
  assert.deepEqual([pool.prestartCoreThread(), pool.prestartCoreThread()], [true, true])
  assert.deepEqual([pool.prestartCoreThread(), pool.poolSize, pool.activeCount], [false, 4, 0])
})

test("[TP77] prestartAllCoreThreads() starts what is missing", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 2, maximumPoolSize: 6 })
  assert.equal(pool.prestartAllCoreThreads(), 2)
  assert.equal(pool.prestartAllCoreThreads(), 0)
  pool.corePoolSize = 5
  assert.equal(pool.prestartAllCoreThreads(), 3)
  assert.deepEqual([pool.poolSize, pool.activeCount, pool.largestPoolSize], [5, 0, 5])
})

test("[TP78] after a shutdown nothing is prestarted", async () => {
  await using pools = new Pools()
  for (const how of ["shutdown", "shutdownNow"] as const) {
    const pool = pools.fixed(2)
    pool[how]()
    assert.deepEqual([pool.prestartCoreThread(), pool.prestartAllCoreThreads(), pool.poolSize], [false, 0, 0])
  }
})

test("[TP77] a prestarted thread takes the next task, of which none gets a thread of its own any more", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  pool.prestartAllCoreThreads()
  const gate = pools.gate()
  for (let i = 0; i < 3; i++) pool.execute(gate.body)
  await gate.entered(2)
  assert.deepEqual([pools.threads.length, pool.queue.size], [2, 1])
})

test("[TP76][TP77] a factory that refuses or throws ends the prestarting, and nothing is counted", async () => {
  await using pools = new Pools()
  let left = 2
  const pool = pools.create({
    corePoolSize: 5,
    maximumPoolSize: 5,
    threadFactory: { isVirtual: true, newThread: (target) => (left-- > 0 ? pools.factory.newThread(target) : null) },
  })
  assert.deepEqual([pool.prestartAllCoreThreads(), pool.poolSize], [2, 2])
  assert.equal(pool.prestartCoreThread(), false)
  pool.threadFactory = {
    isVirtual: true,
    newThread: () => {
      throw new Error("no more threads")
    },
  }
  assert.throws(() => pool.prestartCoreThread(), /no more threads/)
  assert.throws(() => pool.prestartAllCoreThreads(), /no more threads/)
  assert.deepEqual([pool.poolSize, pool.activeCount, pool.largestPoolSize], [2, 0, 2])
})
