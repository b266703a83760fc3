/** Tasks of platform threads that are stopped, and threads that die. */
import {
  CancellationError,
  Executors,
  type Future,
  InterruptedError,
  platformThreads,
  ThreadDeathError,
  TimeoutError,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import { requireMemoryLimits } from "../../support/memory-limits.ts"
import { requireTermination } from "../../support/termination.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as tasks from "./tasks.ts"

const PATIENT = platformThreads({ terminateAfter: Infinity })

test("[PL13] a task that is cancelled while it waits never runs, and stays in the queue until purged", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  const counter = new SharedCount()
  const first = pool.submit(tasks.pass, gate.index)
  const second = pool.submit(tasks.count, counter.index)
  const third = pool.submit(tasks.count, counter.index)
  assert.equal(second.cancel(), true)
  assert.equal(second.cancel(), false)
  assert.deepEqual([second.isCancelled, pool.queue.size, pool.queue.contains(second)], [true, 2, true])
  pool.purge()
  assert.deepEqual(pool.queue.toArray(), [third])
  assert.equal(third.cancel(), true)
  gate.open()
  await first
  assert.ok((await rejectionOf(third)) instanceof CancellationError)
  await pool.close()
  assert.equal(counter.value, 0)
})

test("[PL14] a task that computes finds the interrupt flag raised, and the next one finds it clear", async () => {
  await using pool = Executors.newFixedThreadPool(1, PATIENT)
  const counter = new SharedCount()
  const future = pool.submit(tasks.spinUntilInterrupted, counter.index)
  await eventually(() => counter.value === 1)
  assert.equal(future.cancel(true), true)
  await eventually(() => counter.value === 2)
  assert.deepEqual([await pool.submit(tasks.isInterrupted), await pool.submit(tasks.threadName)].slice(0, 1), [false])
})

test("[PL14] a task that waits is woken with InterruptedError, and its signal is aborted", async () => {
  await using pool = Executors.newFixedThreadPool(1, PATIENT)
  const counter = new SharedCount()
  const future = pool.submit(tasks.sleepUntilInterrupted, counter.index)
  await eventually(() => counter.value === 1)
  assert.equal(future.cancel(true), true)
  await eventually(() => counter.value === 2)
  assert.equal(await pool.submit(tasks.isInterrupted), false)
})

test("[PL14] cancel without interrupt lets the task run on", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  const future = pool.submit(tasks.pass, gate.index)
  await gate.reached()
  assert.equal(future.cancel(), true)
  assert.equal(pool.activeCount, 1)
  gate.open()
  assert.equal(await pool.submit(tasks.isInterrupted), false)
})

test("[PL15] a task that does not stop is ended with its thread, and what waits runs", async () => {
  await requireTermination()
  await using pool = Executors.newFixedThreadPool(1, platformThreads({ name: "w", terminateAfter: 5 }))
  for (const wait of [(next: Future<string>) => next.get(), (next: Future<string>) => next.getSync()]) {
    const counter = new SharedCount()
    const deaf = pool.submit(tasks.spin, counter.index)
    const next = pool.submit(tasks.threadName)
    await eventually(() => counter.value > 0)
    deaf.cancel(true)
    assert.match(await wait(next), /^w-\d$/)
    assert.equal(await pool.submit(tasks.add, 1, 1), 2)
    assert.equal(pool.poolSize, 1)
    let last = -1
    await eventually(() => last === (last = counter.value))
  }
})

test("[PL16] a limit of the run counts from the start, one of the queue until then", async () => {
  await using pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: 1 }))
  using gate = new SharedGate()
  const first = pool.submit(tasks.pass, gate.index)
  await gate.reached()
  const timed = pool.with({ timeout: 60_000 }).submit(tasks.add, 1, 2)
  assert.ok((await rejectionOf(pool.with({ queueTimeout: 1 }).submit(tasks.add, 1, 2))) instanceof TimeoutError)
  assert.equal(pool.queue.size, 1)
  gate.open()
  assert.deepEqual([await first, await timed], [gate.index, 3])
})

test("[PL15][PL16] a task that has no time left and does not stop is ended with its thread", async () => {
  await requireTermination()
  await using pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: 1 }))
  const counter = new SharedCount()
  // Whether it has got as far as to count is not known: its thread may be held up for that long.
  assert.ok((await rejectionOf(pool.with({ timeout: 20 }).submit(tasks.spin, counter.index))) instanceof TimeoutError)
  assert.equal(await pool.submit(tasks.add, 2, 2), 4)
})

test("[PL16] an abort cancels, running or waiting", async () => {
  await using pool = Executors.newFixedThreadPool(1, PATIENT)
  const counter = new SharedCount()
  const controller = new AbortController()
  const view = pool.with({ signal: controller.signal })
  const running = view.submit(tasks.spinUntilInterrupted, counter.index)
  const waiting = view.submit(tasks.add, 1, 2)
  await eventually(() => counter.value === 1)
  controller.abort()
  for (const future of [running, waiting]) assert.ok((await rejectionOf(future)) instanceof CancellationError)
  await eventually(() => counter.value === 2)
})

test("[PL17] whatever ends a worker fails its task with the reason, and only that", async () => {
  await using pool = Executors.newFixedThreadPool(1, platformThreads({ name: "w" }))
  const deaths: [Future<unknown>, RegExp][] = [
    [pool.submit(tasks.exit, 7), /"w-1" ended with exit code 7/],
    [pool.submit(tasks.throwLater), /"w-2" died.*thrown later/],
    [pool.submit(tasks.rejectUnheard), /"w-3" died.*unheard/],
  ]
  const last = pool.submit(tasks.threadName)
  for (const [future, reason] of deaths) {
    const error = (await rejectionOf(future)) as Error
    assert.ok(error instanceof ThreadDeathError)
    assert.match(error.message, reason)
  }
  assert.equal(await last, "w-4")
  assert.deepEqual([pool.poolSize, pool.completedTaskCount >= 3], [1, true])
})

test("[PL17] so does a lack of memory", async () => {
  await requireMemoryLimits()
  const resourceLimits = { maxOldGenerationSizeMb: 32 } // enough to start with, and to add
  await using pool = Executors.newFixedThreadPool(1, platformThreads({ resourceLimits }))
  const error = (await rejectionOf(pool.submit(tasks.devour))) as Error
  assert.ok(error instanceof ThreadDeathError)
  assert.match(error.message, /memory/)
  assert.equal(await pool.submit(tasks.add, 1, 2), 3)
})

test("[PL18] a worker that runs out of memory while the owner blocks for its task", async () => {
  await requireMemoryLimits()
  const resourceLimits = { maxOldGenerationSizeMb: 32 } // enough to start with, and to add
  await using pool = Executors.newFixedThreadPool(1, platformThreads({ resourceLimits }))
  await pool.submit(tasks.add, 1, 2)
  assert.ok(thrownBy(() => pool.submit(tasks.devour).getSync()) instanceof ThreadDeathError)
  assert.equal(pool.submit(tasks.add, 1, 2).getSync(), 3)
})

test("[PL18] a worker that dies while the owner blocks for its task", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  for (let i = 0; i < 3; i++) {
    assert.ok(thrownBy(() => pool.submit(tasks.exit, 1).getSync()) instanceof ThreadDeathError)
    assert.equal(pool.submit(tasks.add, i, 1).getSync(), i + 1)
  }
})

test("[PL14] a thread that blocks for a task can be interrupted itself", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const { Thread } = await import("corepool")
  using gate = new SharedGate()
  const future = pool.submit(tasks.pass, gate.index)
  Thread.currentThread().interrupt()
  assert.ok(thrownBy(() => future.getSync()) instanceof InterruptedError)
  assert.equal(Thread.interrupted(), false)
  gate.open()
  assert.equal(await future, gate.index)
})
