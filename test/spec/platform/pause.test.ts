/** A paused pool of platform threads, seen from several threads. Ids such as [PZ18] refer to docs/spec/pause.md. */
import { Executors, ForkJoinPool, platformThreads, ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as pause from "./pause-tasks.ts"
import * as tasks from "./tasks.ts"

const pools = {
  "a pool": () => Executors.newFixedThreadPool(2),
  "a ForkJoinPool": () => new ForkJoinPool({ parallelism: 2 }),
}

for (const [name, open] of Object.entries(pools)) {
  test(`[PZ18] ${name} can be paused and resumed by a thread that did not make it`, async () => {
    await using other = Executors.newFixedThreadPool(1)
    await using pool = open()
    assert.equal(await other.submit(pause.pauseIt, pool), true)
    assert.equal(pool.isPaused, true)
    const future = pool.submit(tasks.add, 1, 2)
    await turns()
    assert.equal(future.isDone, false)
    assert.equal(await other.submit(pause.resumeIt, pool.with({})), false)
    assert.equal(await future, 3)
    assert.equal(pool.isPaused, false)
  })

  test(`[PZ18] ${name} is still paused when the thread that has paused it is dead`, async () => {
    await using other = Executors.newFixedThreadPool(1)
    await using pool = open()
    assert.equal(await other.submit(pause.pauseIt, pool), true)
    assert.ok((await rejectionOf(other.submit(tasks.exit, 3))) instanceof ThreadDeathError)
    const futures = [1, 2, 3].map((n) => pool.submit(tasks.add, n, 1))
    await turns()
    assert.deepEqual([pool.isPaused, futures.some(({ isDone }) => isDone)], [true, false])
    pool.resume()
    assert.deepEqual(await Promise.all(futures), [2, 3, 4])
  })

  test(`[PZ18] ${name}: a thread that did not make it waits until it is quiescent`, async () => {
    await using other = Executors.newFixedThreadPool(1)
    await using pool = open()
    using gate = new SharedGate()
    const called = new SharedCount()
    pool.submit(tasks.pass, gate.index)
    await gate.reached()
    const quiet = other.submit(pause.awaitIt, pool, called.index)
    await eventually(() => called.value === 1)
    assert.equal(quiet.isDone, false)
    gate.open()
    assert.equal(await quiet, true)
  })
}

test("[PZ19] a thread that dies while it waits with its task loses nothing", async () => {
  await using pool = Executors.newCachedThreadPool(platformThreads({ uncaughtException() {} }))
  using gate = new SharedGate()
  const running = pool.submit(tasks.pass, gate.index)
  await gate.reached()
  pool.pause()
  const held = pool.submit(tasks.add, 1, 2)
  await eventually(() => pool.activeCount === 2)
  gate.open()
  await running
  const dying = pool.submit(tasks.exit, 3)
  pool.resume()
  assert.equal(await held, 3)
  assert.ok((await rejectionOf(dying)) instanceof ThreadDeathError)
  assert.equal(await pool.submit(tasks.add, 2, 2), 4)
})

test("[PZ20] fork/join: what a running task forks goes on, what is submitted waits", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  const running = pool.submit(pause.divide, gate.index)
  await gate.reached()
  pool.pause()
  const waiting = pool.submit(tasks.add, 1, 2)
  gate.open()
  assert.equal(await running, 8)
  assert.deepEqual([waiting.isDone, pool.queuedSubmissionCount], [false, 1])
  pool.resume()
  assert.equal(await waiting, 3)
})

test("[PZ21] a running task that blocks for a task of its own paused pool runs that task itself", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  const running = pool.submit(pause.childOf, pool, gate.index)
  await gate.reached()
  pool.pause()
  gate.open()
  assert.equal(await running, 1)
})

test("[PZ18] scheduled pools and delegates in other threads", async () => {
  await using other = Executors.newFixedThreadPool(1)
  for (const pool of [Executors.newScheduledThreadPool(1), Executors.newSingleThreadExecutor(platformThreads())]) {
    assert.equal(await other.submit(pause.pauseIt, pool), true)
    const future = pool.submit(tasks.add, 1, 2)
    assert.equal(pool.isPaused, true)
    assert.equal(await other.submit(pause.resumeIt, pool), false)
    assert.equal(await future, 3)
    await pool.close()
  }
})
