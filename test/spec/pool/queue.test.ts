/** The queue of a pool, seen from outside. Ids such as [TP84] refer to docs/spec/pool.md. */
import {
  bind,
  CountDownLatch,
  Executors,
  LinkedBlockingQueue,
  platformThreads,
  PriorityBlockingQueue,
  type Runnable,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, turns } from "../../support/harness.ts"
import { HookedPool } from "../../support/hooked-pool.ts"
import { Pools } from "../../support/pools.ts"

test("[TP82] queue is the very queue, alive, and holds what has not been started", async () => {
  await using pools = new Pools()
  const workQueue = new LinkedBlockingQueue<Runnable>()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue })
  assert.equal(pool.queue, workQueue)
  const gate = pools.gate()
  const waiting = [1, 2, 3].map(() => (): void => undefined)
  pool.execute(gate.body)
  for (const task of waiting) pool.execute(task)
  assert.deepEqual(pool.queue.toArray(), waiting)
  const future = pool.submit(() => "submitted")
  assert.equal(pool.queue.contains(future), true)
  assert.equal(pool.queue.poll(), waiting[0], "a task taken out by hand does not run")
  gate.open()
  assert.equal(await future, "submitted")
  await eventually(() => pool.completedTaskCount === 4)
  assert.equal(pool.queue.isEmpty, true)
})

test("[TP83] a task put into the queue runs if a thread is there to take it", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  pool.prestartCoreThread()
  await turns()
  let runs = 0
  pool.queue.add(() => runs++)
  assert.deepEqual([pool.activeCount, pool.taskCount], [1, 1])
  await eventually(() => runs === 1)
})

test("[TP83] without a thread it waits until one comes", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const order: string[] = []
  pool.queue.add(() => order.push("put"))
  await turns()
  assert.deepEqual([order.length, pool.poolSize, pool.taskCount], [0, 0, 1])
  pool.execute(() => order.push("executed"))
  await eventually(() => order.length === 2)
  assert.deepEqual(order, ["executed", "put"])
})

test("[TP83] what was put in and cannot be run ends the thread like a command that throws", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  pool.queue.add(42 as unknown as Runnable)
  assert.equal(await pool.submit(() => "before"), "before")
  assert.equal(await pool.submit(() => "after"), "after")
  await turns()
  const uncaught = pools.takeUncaught()
  assert.ok(uncaught.length === 1 && uncaught[0] instanceof TypeError)
})

test("[TP84] remove() takes a waiting command out, once, and neither a running nor an unknown one", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  const task = (): void => assert.fail("a removed task ran")
  const object = { run: task }
  pool.execute(task)
  pool.execute(object)
  assert.equal(pool.remove(gate.body), false)
  assert.equal(pool.remove(task), true)
  assert.equal(pool.remove(task), false)
  assert.equal(pool.remove(object), true)
  assert.equal(
    pool.remove(() => undefined),
    false,
  )
  assert.equal(pool.remove(null as unknown as Runnable), false)
  assert.equal(pool.queue.size, 0)
  gate.open()
  await eventually(() => pool.completedTaskCount === 1)
  assert.equal(pool.remove(gate.body), false)
  assert.equal(pool.taskCount, 1)
})

test("[TP84] remove() takes one occurrence", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  let runs = 0
  const task = (): number => runs++
  for (let i = 0; i < 3; i++) pool.execute(task)
  assert.equal(pool.remove(task), true)
  gate.open()
  await eventually(() => pool.completedTaskCount === 3)
  assert.equal(runs, 2)
})

for (const threadFactory of [virtualThreads(), platformThreads()]) {
  const kind = threadFactory.isVirtual ? "virtual" : "platform"
  test(`[TP116] a command with arguments is found by what bind gave, not by its function: ${kind}`, async () => {
    await using pool = Executors.newFixedThreadPool(1, threadFactory)
    const latch = new CountDownLatch(1)
    pool.execute((until: CountDownLatch) => until.await(), latch)
    const fn = (n: number): number => n
    const alone = (): number => 1
    const bound = bind(fn, 2)
    pool.execute(fn, 1)
    pool.execute(bound)
    pool.execute(alone)
    const found = [fn, bound, alone].map((command) => [pool.queue.contains(command), pool.remove(command as Runnable)])
    assert.deepEqual(found, [
      [false, false],
      [true, true],
      [true, true],
    ])
    assert.equal(pool.queue.size, 1)
    latch.countDown()
  })
}

test("[TP85] a submitted task is removed by its future, not by its function", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  const body = (): void => assert.fail("a removed task ran")
  const future = pool.submit(body)
  assert.equal(pool.remove(body), false)
  assert.equal(pool.remove(future), true)
  assert.equal(future.isDone, false, "who removes a task decides what becomes of it")
  future.cancel()
  gate.open()
  await eventually(() => pool.completedTaskCount === 1)
})

test("[TP86] a cancelled future keeps its place, passes through the hooks without running, and is counted", async () => {
  await using pools = new Pools()
  const pool = pools.adopt(new HookedPool({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: pools.factory }))
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  const future = pool.submit(() => assert.fail("a cancelled task ran"))
  assert.equal(future.cancel(), true)
  assert.deepEqual([pool.queue.size, pool.taskCount], [1, 2])
  gate.open()
  await eventually(() => pool.completedTaskCount === 2)
  assert.equal(pool.calls.filter(({ task }) => Object.is(task, future)).length, 2)
})

test("[TP87] purge() takes out all cancelled futures and nothing else", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  const command = (): void => undefined
  const futures = Array.from({ length: 10 }, (_, i) => pool.submit(() => i))
  pool.execute(command)
  futures.forEach((future, i) => i % 3 === 0 && future.cancel(i % 2 === 0))
  assert.equal(pool.queue.size, 11)
  pool.purge()
  assert.equal(pool.queue.size, 7)
  assert.ok(pool.queue.contains(command))
  assert.equal(pool.taskCount, 8)
  pool.purge()
  assert.equal(pool.queue.size, 7)
  gate.open()
  await eventually(() => pool.completedTaskCount === 8)
  assert.deepEqual(
    futures.map((future) => future.state),
    futures.map((_, i) => (i % 3 === 0 ? "cancelled" : "success")),
  )
})

test("[TP88] waiting tasks run first come, first served", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const order: number[] = []
  for (let i = 0; i < 100; i++) pool.execute(async () => void order.push(i))
  await eventually(() => order.length === 100)
  assert.deepEqual(
    order,
    Array.from({ length: 100 }, (_, i) => i),
  )
})

test("[TP88] with a PriorityBlockingQueue they run in its order", async () => {
  await using pools = new Pools()
  class Ranked {
    readonly rank: number

    constructor(rank: number) {
      this.rank = rank
    }

    run(): void {
      order.push(this.rank)
    }

    compareTo(other: Ranked): number {
      return this.rank - other.rank
    }
  }
  const order: number[] = []
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new PriorityBlockingQueue<Runnable>() })
  for (const rank of [5, 3, 9, 1, 7]) pool.execute(new Ranked(rank))
  await eventually(() => order.length === 5)
  assert.deepEqual(order, [5, 1, 3, 7, 9], "the first had a thread of its own")
})
