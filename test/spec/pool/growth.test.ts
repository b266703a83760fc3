/** Pools that make threads before tasks wait. Ids such as [GE2] refer to docs/spec/growth.md. */
import {
  ArrayBlockingQueue,
  Executors,
  ForkJoinPool,
  PriorityBlockingQueue,
  RejectedExecutionError,
  ScheduledThreadPoolExecutor,
  SynchronousQueue,
  type Growth,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, thrownBy, turns } from "../../support/harness.ts"
import { FlakyFactory } from "./flaky-factory.ts"
import { platform, virtual } from "./growth-kinds.ts"

test("[GE1] growth is lazy unless told, and reads back", async () => {
  await using pools = virtual.pools()
  assert.equal(pools.fixed(1).growth, "lazy")
  for (const growth of ["lazy", "eager"] as const) {
    assert.equal(pools.create({ corePoolSize: 1, maximumPoolSize: 2, growth }).growth, growth)
  }
  for (const growth of ["Eager", "", null, true, 1]) {
    const error = thrownBy(
      () => new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 2, growth: growth as Growth }),
    )
    assert.ok(error instanceof TypeError)
    assert.match(error.message, /^Expected `growth` to be "lazy" or "eager", got /)
  }
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 2 })
  assert.throws(() => Object.assign(pool, { growth: "eager" }), TypeError)
})

for (const kind of [virtual, platform]) {
  const { name } = kind

  test(`[GE2] ${name}: a task that finds no idle thread gets a new one up to the maximum, and waits only then`, async () => {
    await using pools = kind.pools()
    using hold = kind.hold()
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 3, growth: "eager" })
    const futures = [hold.submit(pool), hold.submit(pool), hold.submit(pool)]
    await hold.reached(3)
    assert.deepEqual([pool.poolSize, pool.queue.size], [3, 0])
    futures.push(hold.submit(pool), hold.submit(pool))
    assert.deepEqual([pool.poolSize, pool.queue.size, pool.largestPoolSize], [3, 2, 3])
    hold.open()
    await Promise.all(futures)
    assert.equal(hold.begun, 5)
  })

  test(`[GE2] ${name}: a task goes to a thread that is idle, and no other is made`, async () => {
    await using pools = kind.pools()
    const pool = pools.create({ corePoolSize: 2, maximumPoolSize: 8, growth: "eager" })
    pool.prestartAllCoreThreads()
    for (let i = 0; i < 20; i++) await pool.submit(() => undefined)
    assert.equal(pool.largestPoolSize, 2)
    using hold = kind.hold()
    hold.submit(pool)
    await hold.reached(1)
    for (let i = 0; i < 20; i++) await pool.submit(() => undefined)
    assert.equal(pool.largestPoolSize, 2)
    hold.submit(pool)
    await hold.reached(2)
    await pool.submit(() => undefined)
    assert.equal(pool.largestPoolSize, 3)
  })

  test(`[GE2] ${name}: with a core size of 0 it grows, too`, async () => {
    await using pools = kind.pools()
    using hold = kind.hold()
    const pool = pools.create({ corePoolSize: 0, maximumPoolSize: 3, growth: "eager" })
    for (let i = 0; i < 5; i++) hold.submit(pool)
    await hold.reached(3)
    assert.deepEqual([pool.poolSize, pool.queue.size], [3, 2])
  })

  test(`[GE3] ${name}: tasks begin in the order of the queue while the pool grows`, async () => {
    await using pools = kind.pools()
    using hold = kind.hold()
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, growth: "eager" })
    hold.submit(pool)
    await hold.reached(1)
    const first = kind.inOrder(pool, 6)
    assert.equal(pool.queue.size, 6)
    pool.maximumPoolSize = 2 // one thread more, which takes all of them
    await first.done
    assert.deepEqual(first.order(), [0, 1, 2, 3, 4, 5])
    assert.equal(pool.poolSize, 2)
  })

  test(`[GE4] ${name}: threads beyond the core size leave when they are idle, and are made again`, async () => {
    await using pools = kind.pools()
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 3, keepAliveTime: 1, growth: "eager" })
    for (let round = 0; round < 2; round++) {
      using hold = kind.hold()
      const futures = [hold.submit(pool), hold.submit(pool), hold.submit(pool)]
      await hold.reached(3)
      assert.equal(pool.poolSize, 3)
      hold.open()
      await Promise.all(futures)
      await eventually(() => pool.poolSize === 1)
    }
  })

  test(`[GE5] ${name}: a queue with a bound fills only when there are as many threads as there may be`, async () => {
    await using pools = kind.pools()
    using hold = kind.hold()
    const workQueue = new ArrayBlockingQueue<() => void>(1) as never
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 3, workQueue, growth: "eager" })
    for (let i = 0; i < 3; i++) {
      hold.submit(pool)
      await hold.reached(i + 1)
      assert.deepEqual([pool.poolSize, pool.queue.size], [i + 1, 0])
    }
    hold.submit(pool)
    assert.deepEqual([pool.poolSize, pool.queue.size], [3, 1])
    assert.ok(thrownBy(() => hold.submit(pool)) instanceof RejectedExecutionError)
    assert.equal(pool.stats().rejected, 1)
  })

  test(`[GE5] ${name}: so many tasks are accepted at once as there are threads and places`, async () => {
    await using pools = kind.pools()
    using hold = kind.hold()
    const workQueue = new ArrayBlockingQueue<() => void>(1) as never
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 3, workQueue, growth: "eager" })
    for (let i = 0; i < 4; i++) hold.submit(pool)
    assert.ok(thrownBy(() => hold.submit(pool)) instanceof RejectedExecutionError)
    assert.equal(pool.poolSize, 3)
    await hold.reached(3)
    assert.deepEqual([pool.activeCount, pool.queue.size], [3, 1])
  })

  test(`[GE5] ${name}: with a hand-over there is no difference`, async () => {
    await using pools = kind.pools()
    using hold = kind.hold()
    const pool = pools.create({
      corePoolSize: 0,
      maximumPoolSize: 2,
      workQueue: new SynchronousQueue(),
      growth: "eager",
    })
    hold.submit(pool)
    hold.submit(pool)
    await hold.reached(2)
    assert.ok(thrownBy(() => hold.submit(pool)) instanceof RejectedExecutionError)
    assert.equal(pool.poolSize, 2)
  })

  test(`[GE6] ${name}: a factory that refuses a thread lets the task wait; one that throws refuses the task`, async () => {
    await using pools = kind.pools()
    using hold = kind.hold()
    const factory = new FlakyFactory(pools)
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 3, growth: "eager", threadFactory: factory })
    const futures = [hold.submit(pool)]
    await hold.reached(1)
    factory.instead = () => null
    futures.push(hold.submit(pool))
    assert.deepEqual([pool.poolSize, pool.queue.size, pool.taskCount], [1, 1, 2])
    factory.instead = () => {
      throw new Error("no thread")
    }
    assert.equal((thrownBy(() => hold.submit(pool)) as Error).message, "no thread")
    assert.deepEqual([pool.poolSize, pool.queue.size, pool.taskCount], [1, 1, 2])
    factory.instead = undefined
    futures.push(hold.submit(pool)) // a thread for each of the two that wait would be right: the pool makes up for it
    await hold.reached(2)
    hold.open()
    await Promise.all(futures)
    await pool.close()
    assert.equal(hold.begun, 3)
  })

  test(`[GE7] ${name}: a paused pool does not grow, and makes up for it when it is resumed`, async () => {
    await using pools = kind.pools()
    using hold = kind.hold()
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 3, growth: "eager" })
    pool.pause()
    for (let i = 0; i < 5; i++) hold.submit(pool)
    await turns()
    assert.ok(pool.poolSize <= 1)
    assert.deepEqual([pool.queue.size, hold.begun], [5, 0])
    pool.maximumPoolSize = 4
    assert.ok(pool.poolSize <= 1)
    pool.resume()
    await hold.reached(4)
    assert.deepEqual([pool.poolSize, pool.queue.size], [4, 1])
  })

  test(`[GE8] ${name}: a higher maximum makes threads for what waits, a lower one lets them go`, async () => {
    await using pools = kind.pools()
    using hold = kind.hold()
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, growth: "eager" })
    const futures = Array.from({ length: 6 }, () => hold.submit(pool))
    await hold.reached(1)
    pool.maximumPoolSize = 4
    await hold.reached(4)
    assert.deepEqual([pool.poolSize, pool.queue.size], [4, 2])
    pool.maximumPoolSize = 2
    futures.push(hold.submit(pool))
    assert.deepEqual([pool.poolSize, pool.queue.size], [4, 3])
    hold.open()
    await Promise.all(futures)
    await eventually(() => pool.poolSize <= 2)
  })

  test(`[GE9] ${name}: after shutdown it runs what waits, and terminates`, async () => {
    await using pools = kind.pools()
    using hold = kind.hold()
    const pool = pools.create({ corePoolSize: 0, maximumPoolSize: 2, growth: "eager" })
    const futures = Array.from({ length: 5 }, () => hold.submit(pool))
    pool.shutdown()
    assert.ok(thrownBy(() => hold.submit(pool)) instanceof RejectedExecutionError)
    hold.open()
    await Promise.all(futures)
    assert.equal(await pool.awaitTermination(), true)
    assert.equal(hold.begun, 5)
  })
}

test("[GE3] a queue with priorities keeps them while the pool grows", async () => {
  await using pools = virtual.pools()
  using hold = virtual.hold()
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new PriorityBlockingQueue(),
    growth: "eager",
  })
  hold.submit(pool)
  await hold.reached(1)
  const begun: number[] = []
  const futures = [1, 3, 2].map((n) => pool.with({ priority: n }).submit(() => begun.push(n)))
  pool.maximumPoolSize = 2
  await Promise.all(futures)
  assert.deepEqual(begun, [3, 2, 1])
})

test("[GE10] a task that submits to its own pool of virtual threads gets threads for what it awaits", async () => {
  await using pools = virtual.pools()
  using hold = virtual.hold()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 3, growth: "eager" })
  const outer = pool.submit(async () => {
    const inner = [hold.submit(pool), hold.submit(pool)]
    await hold.reached(2)
    hold.open()
    await Promise.all(inner)
    return "done"
  })
  assert.equal(await outer, "done")
  assert.equal(pool.largestPoolSize, 3)
})

test("[GE11] newCachedThreadPool takes sizes", async () => {
  await using pools = virtual.pools()
  using hold = virtual.hold()
  const pool = pools.adopt(
    Executors.newCachedThreadPool({ corePoolSize: 1, maximumPoolSize: 2, keepAliveTime: 5 }, pools.factory),
  )
  assert.deepEqual(
    [pool.corePoolSize, pool.maximumPoolSize, pool.keepAliveTime, pool.growth, pool.threadFactory],
    [1, 2, 5, "eager", pools.factory],
  )
  for (let i = 0; i < 3; i++) hold.submit(pool)
  assert.deepEqual([pool.poolSize, pool.queue.size], [2, 1])
  const other = pools.adopt(Executors.newCachedThreadPool({ maximumPoolSize: 3 }))
  assert.deepEqual([other.corePoolSize, other.keepAliveTime, other.capabilities.threads], [0, 60_000, "platform"])
  const plain = pools.adopt(Executors.newCachedThreadPool(virtualThreads()))
  assert.deepEqual([plain.growth, plain.queue.remainingCapacity], ["lazy", 0])
})

test("[GE11] wrong sizes are refused", () => {
  const cached = Executors.newCachedThreadPool as (sizes: unknown, factory?: unknown) => unknown
  assert.throws(() => cached({}), /^RangeError: |^TypeError: Expected `maximumPoolSize`/)
  assert.throws(() => cached({ maximumPoolSize: 0 }), RangeError)
  assert.throws(() => cached({ corePoolSize: 3, maximumPoolSize: 2 }), RangeError)
  assert.throws(() => cached({ maximumPoolSize: 2, growth: "lazy" }), /growth/)
  assert.throws(() => cached({ maximumPoolSize: 2, maxThreads: 2 }), TypeError)
  assert.throws(() => cached({ maximumPoolSize: 2 }, null), TypeError)
  assert.throws(() => cached(null), TypeError)
  assert.throws(() => cached(3), TypeError)
})

test("[GE12] growth is no option of scheduled and fork/join pools", () => {
  const options = { corePoolSize: 1, growth: "eager" as const }
  assert.throws(() => new ScheduledThreadPoolExecutor(options), /growth/)
  assert.throws(() => new ForkJoinPool({ parallelism: 1, growth: "eager" } as object), /growth/)
})

for (const keepAliveTime of [0, 1]) {
  test(`[GE14] a task that comes while a thread is leaving has a thread, keep-alive ${keepAliveTime}`, async () => {
    for (let steps = 0; steps < 24; steps++) {
      await using pools = virtual.pools()
      using hold = virtual.hold()
      const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 2, keepAliveTime, growth: "eager" })
      hold.submit(pool)
      await hold.reached(1)
      await pool.submit(() => undefined) // by a second thread, which leaves now
      if (keepAliveTime > 0) await new Promise((resolve) => setTimeout(resolve, keepAliveTime))
      for (let step = 0; step < steps; step++) await Promise.resolve()
      hold.submit(pool)
      await turns(3)
      assert.equal(hold.begun, 2, `submitted after ${steps} steps`)
    }
  })
}
