/** Tasks that were begun in the midst of others, which are over. Ids such as [PL60] refer to docs/spec/platform.md. */
import { Executors, ForkJoinPool, platformThreads, type ThreadFactory, ThreadPoolExecutor } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { Worker } from "node:worker_threads"
import { eventually } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import { leaveBeside, leaveBesideAndThrow, stopBeside, throwBeside } from "./beside-tasks.ts"
import { pass } from "./tasks.ts"

/** After so many microtasks a task beside others is over: before its thread leaves, while it does, and not before its end. */
const STEPS = [0, 1, 2, 3, 4] as const

/** Threads of which is known when they have ended. */
class WatchedThreads {
  #made = 0
  #ended = 0
  readonly factory: ThreadFactory = platformThreads({
    uncaughtException: () => undefined,
    workerFactory: (options) => {
      this.#made++
      const worker = new Worker(new URL(import.meta.resolve("corepool/worker")), options)
      worker.once("exit", () => this.#ended++)
      return worker
    },
  })

  /** All of them; what a thread still did after it had left is done then. */
  async ended(): Promise<void> {
    await eventually(() => this.#ended === this.#made)
  }
}

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

for (const kind of ["newFixedThreadPool", "newScheduledThreadPool"] as const) {
  test(`[PL43][PL61] a task beside others that is over just when its thread leaves by shutdownNow() counts once: ${kind}`, async () => {
    for (const steps of STEPS) {
      const threads = new WatchedThreads()
      await using pool = Executors[kind](1, threads.factory)
      await Promise.allSettled([pool.submit(stopBeside, pool, steps)])
      await pool.awaitTermination()
      await threads.ended()
      assert.equal(pool.completedTaskCount, 2, `after ${steps} microtasks`)
    }
  })
}

test("[PL43][PL58][PL61] a task beside others that is over just when a command ends its thread counts once", async () => {
  for (const steps of STEPS) {
    const threads = new WatchedThreads()
    await using pool = Executors.newFixedThreadPool(1, threads.factory)
    pool.execute(throwBeside, pool, steps, false)
    await eventually(() => pool.completedTaskCount >= 2)
    await pool.close()
    await threads.ended()
    assert.equal(pool.completedTaskCount, 2, `after ${steps} microtasks`)
  }
})

test("[PL58][PL61] a thread that a command ends does end, also if what went on beside it calls the pool just then", async () => {
  for (const steps of STEPS) {
    const threads = new WatchedThreads()
    await using pool = Executors.newFixedThreadPool(1, threads.factory)
    pool.execute(throwBeside, pool, steps, true)
    await eventually(() => pool.completedTaskCount >= 2)
    await pool.close()
    await threads.ended()
  }
})
