/** Pools of platform threads that make threads before tasks wait. Ids such as [GE10] refer to docs/spec/growth.md. */
import { Executors, platformThreads, ThreadDeathError, ThreadPoolExecutor } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import { meetInside, resizeIt, submitMany } from "../pool/growth-tasks.ts"
import * as tasks from "./tasks.ts"

const quiet = platformThreads({ uncaughtException() {} })

test("[GE10] a task that submits to its own pool gets threads for what it awaits", async () => {
  await using pool = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 4, growth: "eager" })
  assert.equal(await pool.submit(meetInside, pool, 3), "eager")
  assert.equal(pool.largestPoolSize, 4)
})

test("[GE1] [GE10] another thread that submits makes the pool grow, up to the maximum", async () => {
  await using pool = new ThreadPoolExecutor({ corePoolSize: 0, maximumPoolSize: 3, growth: "eager" })
  await using other = Executors.newFixedThreadPool(2)
  assert.equal(await other.submit(meetInside, pool, 3), "eager")
  assert.equal(pool.largestPoolSize, 3)
  using gate = new SharedGate()
  const busy = [1, 2].map(() => other.submit(submitMany, pool, gate.index, 4))
  await gate.reached(3)
  await eventually(() => pool.queue.size === 5)
  assert.deepEqual([pool.poolSize, pool.largestPoolSize], [3, 3])
  gate.open()
  assert.deepEqual(await Promise.all(busy), [4, 4])
})

test("[GE8] another thread that raises the maximum makes threads for what waits", async () => {
  await using pool = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, growth: "eager" })
  await using other = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  const futures = [1, 2, 3, 4].map(() => pool.submit(tasks.pass, gate.index))
  await gate.reached(1)
  await other.submit(resizeIt, pool, 3)
  await gate.reached(3)
  assert.deepEqual([pool.poolSize, pool.queue.size], [3, 1])
  gate.open()
  await Promise.all(futures)
})

test("[GE2] a thread that dies is replaced, and the pool goes on growing", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 3,
    growth: "eager",
    threadFactory: quiet,
  })
  for (let i = 0; i < 3; i++) assert.ok((await rejectionOf(pool.submit(tasks.exit, 3))) instanceof ThreadDeathError)
  using gate = new SharedGate()
  const futures = [1, 2, 3, 4].map(() => pool.submit(tasks.pass, gate.index))
  await gate.reached(3)
  assert.deepEqual([pool.poolSize, pool.queue.size], [3, 1])
  gate.open()
  await Promise.all(futures)
})

test("[GE2] [GE4] sizes that change all the time lose no task and are never exceeded for long", async () => {
  await using pool = new ThreadPoolExecutor({ corePoolSize: 0, maximumPoolSize: 2, keepAliveTime: 0, growth: "eager" })
  const runs = new SharedCount()
  const futures: PromiseLike<unknown>[] = []
  for (let i = 0; i < 60; i++) {
    for (let j = 0; j < 5; j++) futures.push(pool.submit(tasks.count, runs.index))
    pool.maximumPoolSize = 1 + (i % 3)
    if (i % 7 === 0) pool.corePoolSize = i % 2
    if (i % 5 === 0) await futures.at(-1)
  }
  await Promise.all(futures)
  assert.equal(runs.value, 300)
  // Not largestPoolSize: as in Java it counts a worker that is about to leave beside the one that replaces it.
  await eventually(() => pool.poolSize <= pool.maximumPoolSize)
})
