/** Cancellation, errors and deaths. Rules: docs/spec/forkjoin.md. */
import { CancellationError, CountDownLatch, ForkJoinPool, platformThreads, ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import { awaitLatch } from "./blocking-tasks.ts"
import * as tasks from "./tasks.ts"

test("[FJ14] a tree of tasks ends when its root is cancelled", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using pair = new SharedGate()
  const future = pool.submit(tasks.grow, pair.index)
  await pair.reached()
  assert.equal(future.cancel(), true)
  assert.ok((await rejectionOf(future)) instanceof CancellationError)
  assert.ok(await pool.awaitQuiescence())
  assert.deepEqual([pool.queuedTaskCount, pool.activeThreadCount], [0, 0])
  assert.equal(await pool.invoke(tasks.fib, 10), 55)
})

test("[FJ15] cancel(true) of the root ends a join that sleeps, and interrupts the thief", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const index = new SharedCount()
  const future = pool.submit(tasks.joinSleeping, index.index)
  await eventually(() => index.value >= 1)
  assert.equal(future.cancel(true), true)
  assert.ok(await pool.awaitQuiescence())
  assert.equal(index.value, 2) // the sleeper was interrupted
  assert.equal(await pool.invoke(tasks.fib, 10), 55)
})

test("[FJ16] a part that is cancelled before anybody has begun it never runs", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  const counter = new SharedCount()
  assert.deepEqual(await pool.invoke(tasks.cancelPart, counter.index), [true, true, "CancellationError"])
  assert.ok(await pool.awaitQuiescence())
  assert.equal(counter.value, 0)
})

test("[FJ45] shutdownNow ends a join whose part ignores it; the pool ends when the part does", async () => {
  const threadFactory = platformThreads({ terminateAfter: Infinity })
  await using pool = new ForkJoinPool({ parallelism: 2, threadFactory })
  using gate = new SharedGate()
  const future = pool.submit(tasks.joinStolen, gate.index)
  await gate.reached()
  await eventually(() => pool.runningThreadCount === 1)
  pool.shutdownNow()
  assert.ok((await rejectionOf(future)) instanceof CancellationError)
  assert.deepEqual([pool.isTerminating, pool.isTerminated, await pool.awaitTermination(1)], [true, false, false])
  gate.open()
  assert.equal(await pool.awaitTermination(), true)
})

test("[FJ45] after shutdownNow a part that ignores it is ended with its thread", async () => {
  const threadFactory = platformThreads({ terminateAfter: 20 })
  const pool = new ForkJoinPool({ parallelism: 2, threadFactory })
  const counter = new SharedCount()
  const future = pool.submit(tasks.joinEndless, counter.index)
  await eventually(() => counter.value === 1)
  pool.shutdownNow()
  assert.ok((await rejectionOf(future)) instanceof CancellationError)
  assert.equal(await pool.awaitTermination(), true)
  assert.deepEqual([pool.poolSize, pool.activeThreadCount], [0, 0])
})

test("[FJ15][FJ51] cancel(true) ends a wait in which another thread stands in", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  const counter = new SharedCount()
  const latch = new CountDownLatch(1)
  const future = pool.submit(awaitLatch, latch, counter.index)
  await eventually(() => counter.value === 1 && pool.runningThreadCount === 0)
  assert.equal(await pool.invoke(tasks.fib, 12), 144)
  assert.equal(future.cancel(true), true)
  assert.ok(await pool.awaitQuiescence())
  await eventually(() => pool.poolSize <= 1)
})

test("[FJ30] a part whose thread dies fails its joiner, and the pool goes on with another thread", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  const error = await rejectionOf(pool.invoke(tasks.joinDying, gate.index))
  assert.ok(error instanceof ThreadDeathError)
  assert.equal(gate.arrived, 1)
  assert.equal(await pool.invoke(tasks.fib, 15), 610)
})

test("[FJ31] what a dead thread has forked runs all the same, once", async () => {
  for (const parallelism of [1, 2]) {
    await using pool = new ForkJoinPool({ parallelism })
    const counter = new SharedCount()
    for (let i = 0; i < 2; i++) {
      assert.ok((await rejectionOf(pool.invoke(tasks.forkAndExit, counter.index, 500))) instanceof ThreadDeathError)
    }
    await eventually(() => counter.value >= 1000)
    assert.ok(await pool.awaitQuiescence())
    assert.equal(counter.value, 1000)
    assert.equal(await pool.invoke(tasks.fib, 15), 610)
    await eventually(() => pool.poolSize <= parallelism) // one may have been made for the dead one and one for a fork
  }
})
