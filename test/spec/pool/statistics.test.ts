/** What a pool tells about itself. Ids such as [TP93] refer to docs/spec/pool.md. */
import { Executors, platformThreads, SynchronousQueue, ThreadPoolExecutor, virtualThreads } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { FakeClock } from "../../support/fake-clock.ts"
import { eventually, turns } from "../../support/harness.ts"
import { HookedPool } from "../../support/hooked-pool.ts"
import { Pools } from "../../support/pools.ts"

test("[TP89] poolSize is 0 before the first task and after the end", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  assert.equal(pool.poolSize, 0)
  const gate = pools.gate()
  pool.execute(gate.body)
  assert.equal(pool.poolSize, 1)
  gate.open()
  await eventually(() => pool.completedTaskCount === 1)
  assert.equal(pool.poolSize, 1)
  pool.shutdown()
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(pool.poolSize, 0)
})

test("[TP90] activeCount is seen alike from inside a task and from outside", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  assert.equal(pool.activeCount, 0)
  const gate = pools.gate()
  const inside = pool.submit(async () => {
    await gate.body()
    return pool.activeCount
  })
  await gate.entered()
  assert.equal(pool.activeCount, 1)
  gate.open()
  assert.equal(await inside, 1)
  await turns()
  assert.equal(pool.activeCount, 0)
})

test("[TP90] a task is active from the moment it is accepted by a thread", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  pool.execute(() => undefined)
  assert.deepEqual([pool.activeCount, pool.queue.size], [1, 0])
  await turns()
  pool.prestartAllCoreThreads()
  await turns()
  for (let i = 0; i < 3; i++) pool.execute(() => undefined)
  assert.deepEqual([pool.activeCount, pool.queue.size], [2, 1])
  await eventually(() => pool.completedTaskCount === 4)
})

test("[TP91] largestPoolSize is the most there ever were, also after the end", async () => {
  await using pools = new Pools()
  const pool = pools.create({
    corePoolSize: 0,
    maximumPoolSize: 5,
    keepAliveTime: 0,
    workQueue: new SynchronousQueue(),
  })
  assert.equal(pool.largestPoolSize, 0)
  for (const size of [3, 2]) {
    const gate = pools.gate()
    for (let i = 0; i < size; i++) pool.execute(gate.body)
    assert.equal(pool.poolSize, size)
    gate.open()
    await eventually(() => pool.poolSize === 0)
    assert.equal(pool.largestPoolSize, 3)
  }
  pool.shutdown()
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(pool.largestPoolSize, 3)
})

test("[TP92] a task is counted once when it and its hooks are over, however it ended", async () => {
  await using pools = new Pools()
  const pool = pools.adopt(new HookedPool({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: pools.factory }))
  const seen: number[] = []
  pool.after = () => seen.push(pool.completedTaskCount)
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  assert.equal(pool.completedTaskCount, 0)
  gate.open()
  pool.submit(() => Promise.reject(new Error("in its future")))
  pool.execute(() => {
    throw new Error("uncaught")
  })
  pool.submit(() => undefined).cancel()
  await eventually(() => pool.completedTaskCount === 4)
  await turns()
  assert.deepEqual([pool.completedTaskCount, seen], [4, [0, 1, 2, 3]])
  assert.equal(pools.takeUncaught().length, 1)
})

test("[TP92][TP111] on platform threads the count stays while threads leave, and others come in their places", async () => {
  const size = 6
  const options = { corePoolSize: size, maximumPoolSize: size, keepAliveTime: 1 }
  await using pool = new ThreadPoolExecutor({ ...options, threadFactory: platformThreads() })
  let given = 0
  const wrong = new Set<number>()
  const look = (): void => {
    for (let looks = 0; looks < 1000; looks++) {
      const count = pool.completedTaskCount
      if (count !== given) wrong.add(count)
    }
  }
  for (let round = 0; round < 3; round++) {
    pool.allowCoreThreadTimeOut = false
    await Promise.all(Array.from({ length: 3 * size }, () => pool.submit((n: number) => n, given++)))
    await eventually(() => pool.completedTaskCount === given && pool.poolSize === size)
    pool.allowCoreThreadTimeOut = true
    await eventually(() => {
      look()
      return pool.poolSize === 0
    })
    look()
  }
  pool.shutdown()
  assert.equal(await pool.awaitTermination(), true)
  look()
  assert.deepEqual([[...wrong], pool.stats().completed], [[], given])
})

/** Looks at the figures of a pool wherever it can, and checks that they agree. */
function agree(pool: ThreadPoolExecutor, expected: number): void {
  assert.equal(pool.taskCount, expected)
  assert.equal(pool.completedTaskCount + pool.activeCount + pool.queue.size, expected)
}

test("[TP93] taskCount is exact at any moment: in hooks, in tasks, between microtasks", async () => {
  await using pools = new Pools()
  const pool = pools.adopt(new HookedPool({ corePoolSize: 2, maximumPoolSize: 2, threadFactory: pools.factory }))
  const total = 200
  const wrong: unknown[] = []
  let given = 0
  const look = (): void => {
    try {
      agree(pool, given)
    } catch (error) {
      wrong.push(error)
    }
  }
  pool.before = look
  pool.after = look
  for (let i = 0; i < total; i++) {
    given++
    pool.execute(async () => {
      look()
      if (i % 3 === 0) await Promise.resolve()
      look()
      if (i % 7 === 0) throw new Error("on purpose")
    })
    look()
  }
  while (pool.completedTaskCount < total) {
    look()
    for (let i = 0; i < 50; i++) {
      await Promise.resolve()
      look()
    }
    await turns(1)
  }
  assert.deepEqual(wrong, [])
  await eventually(() => pool.activeCount === 0)
  await turns()
  assert.equal(pools.takeUncaught().length, Math.ceil(total / 7))
  pool.shutdown()
  assert.equal(await pool.awaitTermination(), true)
  assert.deepEqual([pool.taskCount, pool.completedTaskCount], [total, total])
})

test("[TP94] toString() tells state and figures", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  assert.match(
    String(pool),
    /^ThreadPoolExecutor@\d+\[Running, pool size = 0, active threads = 0, queued tasks = 0, completed tasks = 0\]$/,
  )
  await pool.submit(() => undefined)
  await turns()
  const gate = pools.gate()
  for (let i = 0; i < 3; i++) pool.execute(gate.body)
  assert.match(String(pool), /\[Running, pool size = 1, active threads = 1, queued tasks = 2, completed tasks = 1\]$/)
  pool.shutdown()
  assert.match(
    String(pool),
    /\[Shutting down, pool size = 1, active threads = 1, queued tasks = 2, completed tasks = 1\]$/,
  )
  gate.open()
  assert.equal(await pool.awaitTermination(), true)
  assert.match(
    String(pool),
    /\[Terminated, pool size = 0, active threads = 0, queued tasks = 0, completed tasks = 4\]$/,
  )
})

test("[TP94] a pool goes by its name, a subclass by its own", async () => {
  await using pools = new Pools()
  const options = { corePoolSize: 1, maximumPoolSize: 1, threadFactory: virtualThreads() }
  assert.match(String(pools.create({ ...options, name: "mailers" })), /^mailers\[Running, /)
  assert.match(String(pools.adopt(new HookedPool(options))), /^HookedPool@\d+\[Running, /)
})

test("[TP95] capabilities of virtual threads", async () => {
  await using pools = new Pools()
  assert.deepEqual(pools.fixed(1).capabilities, {
    threads: "virtual",
    parallel: false,
    closures: true,
    blocking: false,
    termination: false,
  })
})

for (const [kind, factory] of [
  ["virtual", () => virtualThreads()],
  ["platform", () => platformThreads()],
] as const) {
  test(`[TP114] stats() of a pool of ${kind} threads`, async () => {
    await using pool = Executors.newFixedThreadPool(2, factory())
    const { wait, run, ...counts } = pool.stats()
    assert.deepEqual(counts, { threads: 0, active: 0, queued: 0, completed: 0, rejected: 0, abandoned: 0 })
    assert.deepEqual([wait.count, run.count, run.max], [0, 0, 0])
    for (let i = 0; i < 10; i++) await pool.submit((n: number) => n, i)
    await eventually(() => pool.activeCount === 0 && pool.stats().run.count === 10)
    const now = pool.stats()
    assert.deepEqual([now.threads, now.active, now.queued, now.completed, now.wait.count], [2, 0, 0, 10, 10])
    for (const times of [now.wait, now.run]) {
      assert.ok(times.p50 <= times.p90 && times.p90 <= times.p99 && times.p99 <= times.max)
      assert.ok(times.mean >= 0 && times.mean <= times.max)
    }
  })
}

test("[TP121] tasks that run beside each other on virtual threads are all measured", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(3)
  const gate = pools.gate()
  const long = pool.submit(gate.body)
  for (let i = 0; i < 5; i++) await Promise.all([pool.submit(() => i), pool.submit(async () => i)])
  assert.deepEqual([pool.stats().wait.count, pool.stats().run.count], [11, 10])
  gate.open()
  await long
  await eventually(() => pool.stats().run.count === 11)
  assert.equal(pool.stats().wait.count, 11)
})

test("[TP121] of many waiting tasks some are measured, from all parts of the queue", async () => {
  using clock = new FakeClock()
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const futures = Array.from({ length: 2000 }, () => pool.submit(() => clock.advance(1)))
  await Promise.all(futures)
  await eventually(() => pool.activeCount === 0)
  const { wait, run } = pool.stats()
  assert.ok(wait.count >= 64 && wait.count <= 256, `${wait.count} of 2000`)
  assert.equal(run.count, wait.count)
  // The n-th task waits n ms.
  assert.ok(Math.abs(wait.p50 - 1000) < 150, `half of them wait less than ${wait.p50} ms`)
  assert.ok(wait.max > 1900, `the longest wait is ${wait.max} ms`)
})

test("[TP121] tasks that were removed from the queue do not keep later ones from being measured", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  const futures = Array.from({ length: 1000 }, () => pool.submit(() => undefined))
  for (const future of futures) future.cancel()
  pool.purge()
  gate.open()
  await eventually(() => pool.activeCount === 0)
  for (let i = 0; i < 1000; i++) await pool.submit(() => i)
  const before = pool.stats().run.count
  for (let i = 0; i < 100; i++) await pool.submit(() => i)
  assert.equal(pool.stats().run.count - before, 100)
})
