/** Settings that are changed while the pool runs. Ids such as [TP69] refer to docs/spec/pool.md. */
import {
  ArrayBlockingQueue,
  DiscardPolicy,
  RejectedExecutionError,
  SynchronousQueue,
  Thread,
  type ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, thrownBy, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

test("[TP68] lowering the core size lets idle threads go, at once if the keep-alive is 0", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 4, maximumPoolSize: 4, keepAliveTime: 0 })
  pool.prestartAllCoreThreads()
  await turns()
  pool.corePoolSize = 1
  await turns()
  assert.equal(pool.poolSize, 1)
  pool.corePoolSize = 0
  await turns()
  assert.equal(pool.poolSize, 0)
})

test("[TP68] with a keep-alive they go when it is over, and busy threads are not interrupted", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 3, maximumPoolSize: 3, keepAliveTime: 5 })
  const gate = pools.gate()
  const future = pool.submit(gate.interruptible)
  pool.prestartAllCoreThreads()
  await gate.entered()
  pool.corePoolSize = 1
  await eventually(() => pool.poolSize === 1)
  assert.equal(gate.threads[0]?.isInterrupted, false)
  gate.open("undisturbed")
  assert.equal(await future, "undisturbed")
})

test("[TP69] raising the core size starts as many threads as tasks wait", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 8 })
  const gate = pools.gate()
  for (let i = 0; i < 4; i++) pool.execute(gate.body)
  assert.deepEqual([pool.poolSize, pool.queue.size], [1, 3])
  pool.corePoolSize = 8
  await gate.entered(4)
  assert.deepEqual([pool.poolSize, pool.queue.size], [4, 0])
})

test("[TP69] but not more than the size grew, and none if nothing waits", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 8 })
  pool.corePoolSize = 2
  assert.equal(pool.poolSize, 0)
  const gate = pools.gate()
  for (let i = 0; i < 10; i++) pool.execute(gate.body)
  pool.corePoolSize = 4
  await gate.entered(4)
  await turns()
  assert.deepEqual([pool.poolSize, pool.queue.size], [4, 6])
})

test("[TP69] nor if fewer threads are there than might be", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 2, maximumPoolSize: 8 })
  const gate = pools.gate()
  for (let i = 0; i < 5; i++) pool.queue.add(gate.body)
  assert.equal(pool.poolSize, 0)
  pool.corePoolSize = 3
  await gate.entered()
  await turns()
  assert.deepEqual([pool.poolSize, pool.queue.size], [1, 4])
})

test("[TP70][TP79] a size out of its range is refused and changes nothing", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 2, maximumPoolSize: 4 })
  pool.prestartAllCoreThreads()
  const set = (name: "corePoolSize" | "maximumPoolSize", value: unknown): string =>
    String(thrownBy(() => ((pool as unknown as Record<string, unknown>)[name] = value)))
  const core = "Expected `corePoolSize` to be an integer"
  assert.equal(set("corePoolSize", -1), `RangeError: ${core} ≥ 0, got -1`)
  assert.equal(set("corePoolSize", 5), `RangeError: ${core} ≤ maximumPoolSize (4), got 5`)
  assert.equal(set("corePoolSize", NaN), `RangeError: ${core} ≥ 0, got NaN`)
  assert.equal(set("corePoolSize", 2.5), `RangeError: ${core} ≥ 0, got 2.5`)
  assert.equal(set("corePoolSize", "3"), `TypeError: ${core} ≥ 0, got "3"`)
  assert.equal(set("corePoolSize", null), `TypeError: ${core} ≥ 0, got null`)
  const maximum = "Expected `maximumPoolSize` to be an integer"
  assert.equal(set("maximumPoolSize", 0), `RangeError: ${maximum} ≥ 1, got 0`)
  assert.equal(set("maximumPoolSize", -1), `RangeError: ${maximum} ≥ 1, got -1`)
  assert.equal(set("maximumPoolSize", 1), `RangeError: ${maximum} ≥ corePoolSize (2), got 1`)
  assert.equal(set("maximumPoolSize", Infinity), `RangeError: ${maximum} ≥ 1, got Infinity`)
  assert.equal(set("maximumPoolSize", undefined), `TypeError: ${maximum} ≥ 1, got undefined`)
  await turns()
  assert.deepEqual([pool.corePoolSize, pool.maximumPoolSize, pool.poolSize], [2, 4, 2])
})

test("[TP71] lowering the maximum lets idle threads go at once and busy ones after their task", async () => {
  await using pools = new Pools()
  const pool = pools.create({
    corePoolSize: 0,
    maximumPoolSize: 4,
    keepAliveTime: Infinity,
    workQueue: new SynchronousQueue(),
  })
  const [busy, short] = [pools.gate(), pools.gate()]
  for (let i = 0; i < 2; i++) pool.execute(busy.body)
  for (let i = 0; i < 2; i++) pool.execute(short.body)
  await short.entered(2)
  short.open()
  await eventually(() => pool.activeCount === 2)
  await turns()
  assert.equal(pool.poolSize, 4)
  pool.maximumPoolSize = 1
  await turns()
  assert.deepEqual([pool.poolSize, pool.activeCount], [2, 2])
  assert.ok(busy.threads.every((thread) => !thread.isInterrupted))
  busy.open()
  await eventually(() => pool.activeCount === 0)
  await turns()
  assert.deepEqual([pool.poolSize, pool.maximumPoolSize, pool.largestPoolSize], [1, 1, 4])
})

test("[TP72] a shorter keep-alive applies to threads that are idle already", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 0, maximumPoolSize: 2, workQueue: new SynchronousQueue() })
  await pool.submit(() => undefined)
  await turns()
  pool.keepAliveTime = 100_000
  await turns()
  assert.equal(pool.poolSize, 1)
  pool.keepAliveTime = 1
  await eventually(() => pool.poolSize === 0)
})

test("[TP72] a longer keep-alive applies from the next wait on", async () => {
  await using pools = new Pools()
  const pool = pools.create({
    corePoolSize: 0,
    maximumPoolSize: 2,
    keepAliveTime: 30,
    workQueue: new SynchronousQueue(),
  })
  await pool.submit(() => undefined)
  await turns(2)
  pool.keepAliveTime = 1_000_000
  await eventually(() => pool.poolSize === 0) // the wait that had begun was for 30 ms
  await pool.submit(() => undefined)
  await pools.keepAliveOver(30)
  assert.equal(pool.poolSize, 1)
})

test("[TP72][TP79] what is no keep-alive is refused and changes nothing", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const demand = "Expected `keepAliveTime` to be a number of milliseconds ≥ 0, got"
  for (const [wrong, shown, kind] of [
    [-1, "-1", "RangeError"],
    [NaN, "NaN", "RangeError"],
    ["5", '"5"', "TypeError"],
    [null, "null", "TypeError"],
  ] as const) {
    assert.equal(String(thrownBy(() => (pool.keepAliveTime = wrong as number))), `${kind}: ${demand} ${shown}`)
  }
  assert.equal(pool.keepAliveTime, 60_000)
})

test("[TP73][TP79] a keep-alive of 0 and core threads that time out exclude each other", async () => {
  await using pools = new Pools()
  const first = pools.create({ corePoolSize: 1, maximumPoolSize: 1, keepAliveTime: 0 })
  assert.equal(
    String(thrownBy(() => (first.allowCoreThreadTimeOut = true))),
    "RangeError: Expected `allowCoreThreadTimeOut` to be false while keepAliveTime is 0, got true",
  )
  assert.equal(first.allowCoreThreadTimeOut, false)
  const second = pools.create({ corePoolSize: 1, maximumPoolSize: 1, allowCoreThreadTimeOut: true })
  assert.equal(
    String(thrownBy(() => (second.keepAliveTime = 0))),
    "RangeError: Expected `keepAliveTime` to be > 0 while allowCoreThreadTimeOut is on, got 0",
  )
  assert.equal(second.keepAliveTime, 60_000)
})

test("[TP74] allowing core threads to time out applies to those that are idle", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 2, maximumPoolSize: 2, keepAliveTime: 1 })
  pool.prestartAllCoreThreads()
  await pools.keepAliveOver(1)
  assert.equal(pool.poolSize, 2)
  pool.allowCoreThreadTimeOut = true
  pool.allowCoreThreadTimeOut = true
  await eventually(() => pool.poolSize === 0)
  pool.allowCoreThreadTimeOut = false
  pool.prestartAllCoreThreads()
  await pools.keepAliveOver(1)
  assert.equal(pool.poolSize, 2)
  for (const wrong of [1, null, "true", undefined]) {
    assert.ok(thrownBy(() => (pool.allowCoreThreadTimeOut = wrong as unknown as boolean)) instanceof TypeError)
  }
})

test("[TP75] a new factory makes the threads from then on, a new handler hears of refusals from then on", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 2, workQueue: new SynchronousQueue() })
  const gate = pools.gate()
  const factory = virtualThreads({ name: "new" })
  pool.execute(gate.body)
  pool.threadFactory = factory
  assert.equal(pool.threadFactory, factory)
  pool.execute(gate.body)
  await gate.entered(2)
  assert.deepEqual([gate.threads[0] === pools.threads[0], gate.threads[1]?.name], [true, "new-1"])
  assert.ok(thrownBy(() => pool.execute(gate.body)) instanceof RejectedExecutionError)
  pool.handler = DiscardPolicy
  assert.equal(pool.handler, DiscardPolicy)
  pool.execute(() => assert.fail("ran"))
})

test("[TP75][TP79] what is no factory or handler is refused", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const { handler } = pool
  for (const wrong of [null, undefined, {}, "x"]) {
    assert.match(
      String(thrownBy(() => (pool.threadFactory = wrong as never))),
      /^TypeError: Expected `threadFactory` to be a ThreadFactory such as virtualThreads\(\), got /,
    )
    assert.match(
      String(thrownBy(() => (pool.handler = wrong as never))),
      /^TypeError: Expected `handler` to be a function such as AbortPolicy, got /,
    )
  }
  assert.deepEqual([pool.threadFactory, pool.handler], [pools.factory, handler])
})

test("[TP80] tasks may change the settings of their pool, and no busy thread is interrupted", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 4, maximumPoolSize: 4, keepAliveTime: 1 })
  const interrupted: boolean[] = []
  const change = async (size: number): Promise<void> => {
    pool.maximumPoolSize = 8
    pool.corePoolSize = size
    pool.keepAliveTime = size + 1
    await turns(1)
    pool.allowCoreThreadTimeOut = size % 2 === 0
    pool.maximumPoolSize = 4
    interrupted.push(Thread.currentThread().isInterrupted)
  }
  const futures = Array.from({ length: 40 }, (_, i) => pool.submit(change, i % 5))
  for (const future of futures) await future
  assert.deepEqual(new Set(interrupted), new Set([false]))
  await eventually(() => pool.completedTaskCount === 40)
})

/** Queued, running and finished tasks, and threads. */
function figures(pool: ThreadPoolExecutor): number[] {
  return [pool.poolSize, pool.activeCount, pool.queue.size, pool.completedTaskCount]
}

for (const prestart of [false, true]) {
  test(`[TP81] a loaded pool follows every change of its settings, ${prestart ? "" : "not "}prestarted`, async () => {
    await using pools = new Pools()
    const pool = pools.create({
      corePoolSize: 3,
      maximumPoolSize: 9,
      keepAliveTime: 1_000_000,
      workQueue: new ArrayBlockingQueue(9),
    })
    if (prestart) assert.equal(pool.prestartAllCoreThreads(), 3)
    await turns()
    const [first, second] = [pools.gate(), pools.gate()]
    for (let i = 0; i < 18; i++) pool.execute(i < 9 ? first.body : second.body)
    assert.ok(thrownBy(() => pool.execute(first.body)) instanceof RejectedExecutionError)
    assert.deepEqual(figures(pool), [9, 9, 9, 0])
    pool.maximumPoolSize = 12
    for (let i = 0; i < 3; i++) pool.execute(second.body)
    assert.ok(thrownBy(() => pool.execute(second.body)) instanceof RejectedExecutionError)
    assert.deepEqual(figures(pool), [12, 12, 9, 0])
    pool.maximumPoolSize = 6
    await turns()
    assert.equal(pool.poolSize, 12, "all are busy")
    first.open()
    second.open()
    await eventually(() => pool.completedTaskCount === 21)
    await turns()
    assert.deepEqual(figures(pool), [6, 0, 0, 21])
    assert.equal(pool.largestPoolSize, 12)
    pool.keepAliveTime = 7
    await eventually(() => pool.poolSize === 3)
    await pools.keepAliveOver(7)
    assert.equal(pool.poolSize, 3)
    pool.allowCoreThreadTimeOut = true
    await eventually(() => pool.poolSize === 0)
    assert.deepEqual([pool.taskCount, pool.completedTaskCount, pool.largestPoolSize], [21, 21, 12])
  })
}
