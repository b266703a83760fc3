/** Tasks that wait when the last thread of a pool has ended, and the factory makes no other one. Rules: docs/spec/pool.md. */
import {
  Executors,
  ForkJoinPool,
  type Future,
  platformThreads,
  RejectedExecutionError,
  ScheduledThreadPoolExecutor,
  ThreadDeathError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import { SharedGate } from "../../support/shared-words.ts"
import { FlakyFactory } from "./flaky-factory.ts"
import { add, die, outcomesOf, passAndExit, spoil } from "./last-thread-tasks.ts"

const KINDS = [
  ["virtual", virtualThreads],
  ["platform", platformThreads],
] as const

const broken = new Error("no more threads")

const throws = (): never => {
  throw broken
}

/** As in Java, a factory refuses by null. */
const refuses = () => null

/** Of a RejectedExecutionError only its name. */
async function assertUncaught(pools: Pools, expected: readonly string[]): Promise<void> {
  const uncaught: string[] = []
  await eventually(() => {
    for (const error of pools.takeUncaught())
      uncaught.push(error instanceof RejectedExecutionError ? error.name : String(error))
    return uncaught.length >= expected.length
  })
  assert.deepEqual(uncaught.sort(), [...expected].sort())
}

async function assertRefused(future: Future<unknown>, cause: Error | null = broken): Promise<void> {
  const error = await rejectionOf(future)
  assert.ok(error instanceof RejectedExecutionError, String(error))
  assert.equal((error.cause as Error | undefined)?.message, cause?.message)
}

const FAR = 3_600_000

/** If it is told to, every task ends its thread. */
class Killing extends ScheduledThreadPoolExecutor {
  kills = false

  protected override beforeExecute(): void {
    if (this.kills) throw new Error("of the hook")
  }
}

for (const [kind, threads] of KINDS) {
  test(`[TP118] the last ${kind} thread dies, and the factory throws: what waits fails, and the pool goes on and ends`, async () => {
    await using pools = new Pools(threads)
    const threadFactory = new FlakyFactory(pools)
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
    pool.execute(die)
    threadFactory.instead = throws
    const futures = [1, 2, 3].map((n) => pool.submit(add, n, 1))
    pool.execute(add, 1, 1)
    for (const future of futures) await assertRefused(future)
    await assertUncaught(pools, ["Error: the task", String(broken), "RejectedExecutionError"])
    assert.deepEqual([pool.poolSize, pool.queue.size, pool.completedTaskCount], [0, 0, 5])
    threadFactory.instead = undefined
    assert.equal(await pool.submit(add, 2, 3), 5)
    await pool.close()
  })

  test(`[TP26] the last ${kind} thread dies, and the factory refuses: what waits runs in the thread of the next task`, async () => {
    await using pools = new Pools(threads)
    const threadFactory = new FlakyFactory(pools)
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
    pool.execute(die)
    threadFactory.instead = refuses
    const future = pool.submit(add, 1, 1)
    await assertUncaught(pools, ["Error: the task"])
    await eventually(
      () => pool.poolSize === 0 && threadFactory.calls >= 2 && pools.threads.every(({ isAlive }) => !isAlive),
    )
    assert.deepEqual([pool.queue.size, threadFactory.calls], [1, 2])
    threadFactory.instead = undefined
    assert.equal(await pool.submit(add, 2, 3), 5)
    assert.equal(await future, 2)
    assert.equal(threadFactory.calls, 3)
  })

  for (const [how, failure, cause] of [
    ["throws", throws, broken],
    ["refuses", refuses, null],
  ] as const) {
    test(`[TP118][TP26] a ${kind} pool that the factory gave no thread is closed, and the factory ${how}: what waits fails, and the pool ends`, async () => {
      await using pools = new Pools(threads)
      const threadFactory = new FlakyFactory(pools)
      const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
      threadFactory.instead = refuses
      const future = pool.submit(add, 1, 1)
      assert.equal(pool.queue.size, 1)
      threadFactory.instead = failure
      await pool.close()
      await assertRefused(future, cause)
      assert.equal(threadFactory.calls, 3)
    })
  }

  test(`[TP118] a scheduled ${kind} pool loses its last thread, and the factory throws: also what is not due fails`, async () => {
    await using pools = new Pools(threads)
    const threadFactory = new FlakyFactory(pools)
    await using pool = new Killing({ corePoolSize: 1, threadFactory })
    const futures = [
      pool.schedule(add, FAR, 1, 1),
      pool.scheduleAtFixedRate(add, FAR, FAR, 1, 1),
      pool.scheduleWithFixedDelay(add, FAR, FAR, 1, 1),
    ]
    threadFactory.instead = throws
    pool.kills = true
    assert.equal(String(await rejectionOf(pool.submit(add, 1, 1))), "Error: of the hook")
    for (const future of futures) await assertRefused(future)
    assert.equal(pool.queue.size, 0)
    pool.kills = false
    threadFactory.instead = undefined
    assert.equal(await pool.schedule(add, 1, 2, 3), 5)
    await assertUncaught(pools, ["Error: of the hook", String(broken)])
  })

  test(`[TP118] a ${kind} pool whose factory fails once: it is asked once more, and all tasks run`, async () => {
    await using pools = new Pools(threads)
    const threadFactory = new FlakyFactory(pools)
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
    pool.execute(die)
    threadFactory.instead = () => {
      threadFactory.instead = undefined
      throw broken
    }
    const futures = [1, 2, 3].map((n) => pool.submit(add, n, 1))
    assert.deepEqual(await Promise.all(futures), [2, 3, 4])
    await pool.close()
    assert.equal(threadFactory.calls, 3)
    await assertUncaught(pools, ["Error: the task", String(broken)])
  })

  test(`[TP26][TP118] what waits without a ${kind} thread runs if the factory makes one when the pool is closed`, async () => {
    await using pools = new Pools(threads)
    const threadFactory = new FlakyFactory(pools)
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
    threadFactory.instead = () => null
    const future = pool.submit(add, 1, 1)
    threadFactory.instead = undefined
    await pool.close()
    assert.equal(await future, 2)
  })
}

test("[TP118] the last thread of a ForkJoinPool dies, and the factory throws: what waits fails, and the pool goes on and ends", async () => {
  await using pools = new Pools(platformThreads)
  const threadFactory = new FlakyFactory(pools)
  await using pool = new ForkJoinPool({ parallelism: 1, threadFactory })
  using gate = new SharedGate()
  const dead = pool.submit(passAndExit, gate.index)
  const futures = [1, 2, 3].map((n) => pool.submit(add, n, 1))
  await gate.reached()
  threadFactory.instead = throws
  gate.open()
  assert.ok((await rejectionOf(dead)) instanceof ThreadDeathError)
  for (const future of futures) await assertRefused(future)
  threadFactory.instead = undefined
  assert.equal(await pool.submit(add, 2, 3), 5)
  await assertUncaught(pools, [String(broken)])
})

test("[TP118] the last platform thread spoils its globals: what waits runs in another one", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const spoilt = pool.submit(spoil)
  const futures = [1, 2, 3].map((n) => pool.submit(add, n, 1))
  await rejectionOf(spoilt).catch(() => undefined)
  const all = await Promise.allSettled(futures)
  for (const it of all) if (it.status === "rejected") assert.ok(it.reason instanceof ThreadDeathError)
})

test("[TP118] what another thread submits to a pool fails if the pool has no thread and the factory throws", async () => {
  await using pools = new Pools(platformThreads)
  await using other = Executors.newFixedThreadPool(1)
  const threadFactory = new FlakyFactory(pools)
  threadFactory.instead = throws
  const pool = pools.create({ corePoolSize: 0, maximumPoolSize: 1, threadFactory })
  assert.deepEqual(await other.submit(outcomesOf, pool), Array(3).fill("RejectedExecutionError"))
  await pool.close()
})
