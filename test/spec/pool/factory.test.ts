/** Where a pool's threads come from, and factories that fail. Ids such as [TP25] refer to docs/spec/pool.md. */
import { RejectedExecutionError, SynchronousQueue, Thread, virtualThreads } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, thrownBy, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import { counters, FlakyFactory } from "./flaky-factory.ts"

test("[TP23] threads are called pool-N-thread-M, or as the factory says", async () => {
  await using pools = new Pools()
  const names: string[][] = []
  for (const threadFactory of [virtualThreads(), virtualThreads(), virtualThreads({ name: "io" })]) {
    const pool = pools.create({ corePoolSize: 2, maximumPoolSize: 2, threadFactory })
    const futures = [1, 2].map(() => pool.submit(() => Thread.currentThread().name))
    names.push(await Promise.all(futures))
  }
  const numbers = names.slice(0, 2).map(([first = "", second]) => {
    const number = /^pool-(\d+)-thread-1$/.exec(first)?.[1] ?? "no name of that form"
    assert.equal(second, `pool-${number}-thread-2`)
    return Number(number)
  })
  assert.equal(numbers[1], (numbers[0] ?? NaN) + 1)
  assert.deepEqual(names[2], ["io-1", "io-2"])
})

test("[TP23] the number of a thread that was never started is not given again", async () => {
  await using pools = new Pools()
  const inner = virtualThreads()
  let first = true
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 1,
    threadFactory: {
      isVirtual: true,
      newThread: (target) => {
        const thread = inner.newThread(target)
        const refuse = first
        first = false
        return refuse ? null : thread
      },
    },
  })
  assert.equal(pool.prestartCoreThread(), false)
  assert.match(await pool.submit(() => Thread.currentThread().name), /-thread-2$/)
})

test("[TP24] the factory is asked once for each thread, when the thread is needed", async () => {
  await using pools = new Pools()
  const threadFactory = new FlakyFactory(pools)
  const pool = pools.create({ corePoolSize: 2, maximumPoolSize: 2, threadFactory })
  const gate = pools.gate()
  for (const expected of [1, 2, 2, 2]) {
    pool.execute(gate.body)
    assert.equal(threadFactory.calls, expected)
  }
  gate.open()
  await eventually(() => pool.completedTaskCount === 4)
  assert.equal(threadFactory.calls, 2)
})

test("[TP24] a factory may use the pool: a task that it executes is run as well", async () => {
  await using pools = new Pools()
  const threadFactory = new FlakyFactory(pools)
  const ran: string[] = []
  const pool = pools.create({
    corePoolSize: 2,
    maximumPoolSize: 2,
    threadFactory: {
      isVirtual: true,
      newThread: (target) => {
        if (threadFactory.calls === 0) {
          threadFactory.calls++
          pool.execute(() => ran.push("the factory's"))
        }
        return threadFactory.newThread(target)
      },
    },
  })
  pool.execute(() => ran.push("mine"))
  assert.equal(pool.poolSize, 2)
  await eventually(() => pool.completedTaskCount === 2)
  assert.deepEqual(ran.sort(), ["mine", "the factory's"])
})

test("[TP24][TP30] a factory that shuts the pool down gets its task refused", async () => {
  await using pools = new Pools()
  for (const how of ["shutdown", "shutdownNow"] as const) {
    const pool = pools.create({
      corePoolSize: 1,
      maximumPoolSize: 1,
      threadFactory: {
        isVirtual: true,
        newThread: (target) => {
          pool[how]()
          return pools.factory.newThread(target)
        },
      },
    })
    assert.ok(thrownBy(() => pool.execute(() => assert.fail("ran"))) instanceof RejectedExecutionError)
    assert.equal(pool.isTerminated, true)
    assert.deepEqual(counters(pool), [0, 0, 0, 0, 0])
  }
})

test("[TP25] a task whose core thread is refused is queued", async () => {
  await using pools = new Pools()
  for (const refusal of [null, undefined]) {
    const threadFactory = new FlakyFactory(pools)
    threadFactory.instead = () => refusal
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
    pool.execute(() => undefined)
    assert.deepEqual(counters(pool), [0, 0, 0, 1, 1])
  }
})

test("[TP25] if the queue refuses it too it goes to the handler", async () => {
  await using pools = new Pools()
  const threadFactory = new FlakyFactory(pools)
  threadFactory.instead = () => null
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory, workQueue: new SynchronousQueue() })
  assert.ok(thrownBy(() => pool.execute(() => assert.fail("ran"))) instanceof RejectedExecutionError)
  assert.deepEqual(counters(pool), [0, 0, 0, 0, 0])
})

test("[TP26] a task that waits without a thread is taken by the next task's thread", async () => {
  await using pools = new Pools()
  const threadFactory = new FlakyFactory(pools)
  threadFactory.instead = () => null
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
  const order: string[] = []
  pool.execute(() => order.push("waited"))
  threadFactory.instead = undefined
  pool.execute(() => order.push("brought the thread"))
  await eventually(() => pool.completedTaskCount === 2)
  assert.deepEqual(order, ["brought the thread", "waited"])
})

test("[TP26] a task that waits without a thread holds up shutdown(), but not shutdownNow()", async () => {
  await using pools = new Pools()
  const threadFactory = new FlakyFactory(pools)
  threadFactory.instead = () => null
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
  const future = pool.submit(() => assert.fail("ran"))
  pool.shutdown()
  await turns()
  assert.equal(pool.isTerminated, false)
  assert.equal(future.isDone, false)
  assert.equal(pool.shutdownNow().length, 1)
  assert.equal(pool.isTerminated, true)
  assert.equal(future.state, "cancelled")
})

test("[TP27] an error of the factory leaves execute and submit, and the task is not accepted", async () => {
  await using pools = new Pools()
  const threadFactory = new FlakyFactory(pools)
  const error = new Error("no more threads")
  threadFactory.instead = () => {
    throw error
  }
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
  assert.equal(
    thrownBy(() => pool.execute(() => assert.fail("ran"))),
    error,
  )
  assert.equal(
    thrownBy(() => pool.submit(() => assert.fail("ran"))),
    error,
  )
  assert.deepEqual(counters(pool), [0, 0, 0, 0, 0])
  pool.shutdown()
  assert.equal(pool.isTerminated, true)
})

test("[TP27] with a core size of 0 the task had been queued already, and stays", async () => {
  await using pools = new Pools()
  const threadFactory = new FlakyFactory(pools)
  threadFactory.instead = () => {
    throw new Error("no more threads")
  }
  const pool = pools.create({ corePoolSize: 0, maximumPoolSize: 1, threadFactory })
  let runs = 0
  assert.equal(String(thrownBy(() => pool.execute(() => runs++))), "Error: no more threads")
  assert.deepEqual(counters(pool), [0, 0, 0, 1, 1])
  threadFactory.instead = undefined
  await pool.submit(() => undefined)
  assert.equal(runs, 1)
})
