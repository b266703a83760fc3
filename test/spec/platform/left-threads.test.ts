/** Threads that have left by an error, and still run code of tasks. Ids such as [PL19] refer to docs/spec/platform.md. */
import { type ExecutorService, Executors, platformThreads } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import type { Worker } from "node:worker_threads"
import { eventually } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import { SharedGate, SharedCount } from "../../support/shared-words.ts"
import * as tasks from "./left-tasks.ts"

for (const kind of ["fixed", "scheduled"] as const) {
  test(`[PL17][PL19] tasks that follow one whose microtask throws end, also if they wait: ${kind} pool`, async () => {
    const threads = platformThreads({ uncaughtException: () => undefined })
    const pool =
      kind === "fixed" ? Executors.newFixedThreadPool(2, threads) : Executors.newScheduledThreadPool(2, threads)
    const futures = []
    for (let i = 0; i < 30; i++) {
      futures.push(
        pool.submit(() => {
          queueMicrotask(() => {
            throw new Error("own")
          })
        }),
        pool.submit((own: ExecutorService) => {
          const child = own.submit(() => 1)
          try {
            return child.getSync(5)
          } catch {
            return 0 // its time is over
          }
        }, pool),
      )
    }
    const outcomes = await Promise.allSettled(futures)
    assert.equal(outcomes.length, 60)
    await pool.close()
    assert.equal(pool.isTerminated, true)
  })
}

test("[PL17][PL19] a thread that catches its error and calls process.exit is replaced and ended, also if a microtask waits then", async () => {
  await using pools = new Pools()
  const pool = pools.adopt(Executors.newFixedThreadPool(1))
  const ended: number[] = []
  const watch = (thread: Worker): void => void thread.once("exit", (code) => ended.push(code))
  process.on("worker", watch)
  try {
    const words = new Int32Array(new SharedArrayBuffer(4))
    const first = pool.submit((held: Int32Array) => {
      process.once("uncaughtException", () => process.exit(3))
      queueMicrotask(() => {
        throw new Error("caught")
      })
      queueMicrotask(() => Atomics.wait(held, 0, 0))
    }, words)
    await Promise.allSettled([first])
    await eventually(() => ended.length === 1)
    assert.equal(await pool.submit(() => 4), 4)
  } finally {
    process.off("worker", watch)
  }
})

test("[PL58][PL43] a thread that has left takes no more tasks, and does nothing more with that in its hand, though its microtasks run on", async () => {
  await using pools = new Pools()
  using first = new SharedGate()
  using second = new SharedGate()
  using after = new SharedGate()
  const pool = pools.adopt(Executors.newFixedThreadPool(2, platformThreads({ uncaughtException: () => undefined })))
  const held = pool.submit(tasks.pass, first.index)
  const leaves = pool.submit(tasks.leaveAndGoOn, second.index, after.index)
  await Promise.all([first.reached(), second.reached()])
  first.open()
  const names = [await held]
  pool.corePoolSize = 1
  pool.maximumPoolSize = 1
  // From now on the first place in the list of workers is free: the thread that has left is not replaced in its own place.
  await eventually(() => pool.poolSize === 1)
  second.open()
  assert.throws(() => leaves.getSync(), /while it ran the task/)
  const runs = new SharedCount()
  const futures = Array.from({ length: 30 }, () => pool.submit(tasks.count, runs.index))
  after.open()
  for (const future of futures) names.push(future.getSync())
  assert.equal(names.filter((name) => name.endsWith("thread-2")).length, 0)
  assert.equal(runs.value, 30)
  await eventually(() => pool.activeCount === 0)
  assert.equal(pool.completedTaskCount, 32)
})
