/** `corepool` and `corepool/virtual` in one program: two entries of one library. */
import * as both from "corepool"
import * as virtual from "corepool/virtual"
import assert from "node:assert/strict"
import test from "node:test"
import { MessageChannel } from "node:worker_threads"

test("[VE1] what both export is the same, but for pools, whose constructors differ in their default", () => {
  const names = Object.keys(virtual).filter((name) => name in both)
  const others = names.filter((name) => Reflect.get(virtual, name) !== Reflect.get(both, name))
  assert.deepEqual(others.sort(), ["Executors", "ScheduledThreadPoolExecutor", "ThreadPoolExecutor"])
  assert.ok(names.length > 30, `${names.length} names`)
})

test("[VE1] pools of either are an instanceof the classes of both, and so are those of subclasses", async () => {
  class MineVirtual extends virtual.ThreadPoolExecutor {
    readonly mine = true
  }
  class MineOfBoth extends both.ThreadPoolExecutor {}
  const sizes = { corePoolSize: 1, maximumPoolSize: 1, threadFactory: virtual.virtualThreads() }
  await using a = new virtual.ThreadPoolExecutor(sizes)
  await using b = new both.ThreadPoolExecutor(sizes)
  await using c = new MineVirtual(sizes)
  await using d = new MineOfBoth(sizes)
  for (const pool of [a, b, c, d]) {
    assert.ok(pool instanceof virtual.ThreadPoolExecutor)
    assert.ok(pool instanceof both.ThreadPoolExecutor)
    assert.ok(pool instanceof virtual.AbstractExecutorService)
    assert.ok(!(pool instanceof virtual.ScheduledThreadPoolExecutor))
  }
  assert.ok(c instanceof MineVirtual && c.mine)
  assert.ok(!(a instanceof MineVirtual) && !(d instanceof MineVirtual))
  assert.equal(a.constructor, both.ThreadPoolExecutor)
  assert.match(String(a), /^ThreadPoolExecutor@\d+\[Running/)
  await using e = new virtual.ScheduledThreadPoolExecutor({ corePoolSize: 1 })
  assert.ok(e instanceof both.ScheduledThreadPoolExecutor)
  assert.ok(e instanceof both.ThreadPoolExecutor && e instanceof virtual.ThreadPoolExecutor)
})

test("[VE2] the default is virtual threads here, and platform threads in corepool, in one program", async () => {
  class Mine extends virtual.ThreadPoolExecutor {}
  class MineScheduled extends virtual.ScheduledThreadPoolExecutor {}
  const sizes = { corePoolSize: 1, maximumPoolSize: 1 }
  const pools = [
    new virtual.ThreadPoolExecutor(sizes),
    new virtual.ThreadPoolExecutor({ ...sizes, threadFactory: undefined as never }),
    new Mine(sizes),
    new virtual.ScheduledThreadPoolExecutor({ corePoolSize: 1 }),
    new MineScheduled({ corePoolSize: 1 }),
    virtual.newFixedThreadPool(1),
    virtual.newCachedThreadPool(),
    virtual.newScheduledThreadPool(1),
  ]
  for (const pool of pools) {
    await using closing = pool
    assert.equal(closing.capabilities.threads, "virtual")
    let isCalled = false
    await closing.submit(() => (isCalled = true))
    assert.ok(isCalled, "it runs closures")
  }
  for (const executor of [virtual.newSingleThreadExecutor(), virtual.newSingleThreadScheduledExecutor()]) {
    await using closing = executor
    assert.equal(await closing.submit(() => virtual.Thread.currentThread().isVirtual), true)
  }
  assert.equal(virtual.Executors.defaultThreadFactory().isVirtual, true)
  await using pool = new both.ThreadPoolExecutor(sizes)
  await using timers = new both.ScheduledThreadPoolExecutor({ corePoolSize: 1 })
  assert.deepEqual([pool.capabilities.threads, timers.capabilities.threads], ["platform", "platform"])
  assert.equal(both.Executors.defaultThreadFactory().isVirtual, false)
})

test("[VE2] options that are none are refused as in corepool", () => {
  for (const options of [undefined, null, 1, "pool"]) {
    assert.throws(() => new virtual.ThreadPoolExecutor(options as never), TypeError)
    assert.throws(() => new virtual.ScheduledThreadPoolExecutor(options as never), TypeError)
  }
  assert.throws(
    () => new virtual.ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: null as never }),
    TypeError,
  )
  assert.throws(() => virtual.newFixedThreadPool(1, null as never), TypeError)
})

test("[VE3] Executors has the functions that are exported by themselves, and what that of corepool has, but for one", () => {
  const { Executors, ...others } = virtual
  const functions = Object.entries(others).filter(([name]) => name.startsWith("new"))
  assert.equal(functions.length, 7)
  for (const [name, made] of functions) assert.equal(Reflect.get(Executors, name), made)
  const missing = Object.keys(both.Executors).filter((name) => !(name in Executors))
  assert.deepEqual(missing, ["newWorkStealingPool"])
  assert.deepEqual(
    Object.keys(Executors).filter((name) => !(name in both.Executors)),
    [],
  )
})

test("[VE5] a factory of platform threads makes a pool of platform threads", async () => {
  await using pool = virtual.newFixedThreadPool(1, both.platformThreads())
  assert.equal(pool.capabilities.threads, "platform")
  assert.equal(await pool.submit((a: number, b: number) => a + b, 1, 2), 3)
  await using timers = new virtual.ScheduledThreadPoolExecutor({
    corePoolSize: 1,
    threadFactory: both.platformThreads(),
  })
  assert.equal(await timers.schedule((a: number) => a + 1, 1, 1), 2)
  assert.equal(virtual.ThreadPoolExecutor.from(pool).capabilities.threads, "platform")
})

test("[VE7] a queue of a program that has loaded corepool can be shared", () => {
  const { port1, port2 } = new MessageChannel()
  try {
    const queue = new virtual.LinkedBlockingQueue<number>()
    port1.postMessage({ queue }) // which reads its handle
    queue.add(1)
    assert.equal(virtual.LinkedBlockingQueue.from<number>(queue).poll(), 1)
  } finally {
    port1.close()
    port2.close()
  }
})
