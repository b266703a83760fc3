/** The pool itself: sizes, counters, quiescence, shutting down. Rules: docs/spec/forkjoin.md. */
import {
  bind,
  CancellationError,
  Executors,
  fork,
  ForkJoinPool,
  IllegalStateError,
  platformThreads,
  RejectedExecutionError,
  TaskNotPortableError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { availableParallelism } from "node:os"
import test from "node:test"
import { fileURLToPath } from "node:url"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import { runFile } from "../../support/child.ts"
import { SharedGate } from "../../support/shared-words.ts"
import { Fib, FibCompleter } from "./classes.ts"
import * as tasks from "./tasks.ts"

test("[FJ40] options are checked, and have defaults", async () => {
  for (const parallelism of [0, -1, 1.5, 32_768]) {
    assert.ok(thrownBy(() => new ForkJoinPool({ parallelism })) instanceof RangeError, String(parallelism))
  }
  assert.ok(thrownBy(() => new ForkJoinPool({ parallelism: "2" as never })) instanceof TypeError)
  assert.ok(thrownBy(() => new ForkJoinPool({ asyncMode: 1 as never })) instanceof TypeError)
  assert.ok(thrownBy(() => new ForkJoinPool(null as never)) instanceof TypeError)
  for (const name of ["parallelism", "asyncMode", "threadFactory"]) {
    assert.ok(thrownBy(() => new ForkJoinPool({ [name]: null })) instanceof TypeError, name)
  }
  assert.ok(thrownBy(() => new ForkJoinPool({ threadFactory: {} as never })) instanceof TypeError)
  assert.ok(thrownBy(() => new ForkJoinPool({ threadFactory: virtualThreads() })) instanceof TypeError)
  await using pool = new ForkJoinPool()
  assert.deepEqual([pool.parallelism, pool.asyncMode, pool.poolSize], [availableParallelism(), false, 0])
  await using stealing = Executors.newWorkStealingPool(3)
  assert.ok(stealing instanceof ForkJoinPool)
  assert.deepEqual([stealing.parallelism, stealing.asyncMode], [3, true])
  await using named = new ForkJoinPool({ threadFactory: platformThreads({ name: "tree" }) })
  assert.equal(await named.invoke(tasks.threadName), "tree-1")
})

test("[FJ41] threads are made when there is work for them, up to the parallelism", async () => {
  await using pool = new ForkJoinPool({ parallelism: 3 })
  assert.match(await pool.invoke(tasks.threadName), /^ForkJoinPool-\d+-worker-1$/)
  assert.equal(pool.poolSize, 1)
  using gate = new SharedGate()
  const futures = [1, 2, 3, 4].map(() => pool.submit(tasks.pass, gate.index))
  await gate.reached(3)
  assert.deepEqual([pool.poolSize, pool.activeThreadCount, pool.queuedSubmissionCount], [3, 3, 1])
  assert.equal(pool.hasQueuedSubmissions, true)
  gate.open()
  const names = await Promise.all(futures)
  assert.ok(new Set(names).size <= 3)
})

test("[FJ42] counters and toString", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  const future = pool.submit(tasks.joinStolen, gate.index)
  await gate.reached()
  await eventually(() => pool.runningThreadCount === 1) // the other one waits
  assert.deepEqual([pool.activeThreadCount, pool.isQuiescent, pool.queuedTaskCount], [2, false, 0])
  assert.match(
    String(pool),
    /^ForkJoinPool@\d+\[Running, parallelism = 2, size = 2, active = 2, running = 1, steals = 2, tasks = 0, submissions = 0\]$/,
  )
  gate.open()
  await future
  assert.ok(await pool.awaitQuiescence(60_000))
  assert.deepEqual([pool.isQuiescent, pool.activeThreadCount, pool.stealCount], [true, 0, 2])
})

test("[FJ43] awaitQuiescence waits for what was forked and forgotten; with a limit not for ever", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.ok(await pool.awaitQuiescence())
  using gate = new SharedGate()
  const future = pool.submit(tasks.pass, gate.index)
  await gate.reached()
  assert.deepEqual([await pool.awaitQuiescence(0), await pool.awaitQuiescence(5)], [false, false])
  gate.open()
  assert.ok(await pool.awaitQuiescence())
  await future
})

test("[FJ44] after shutdown nothing is taken, and what was is run", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  using gate = new SharedGate()
  const first = pool.submit(tasks.pass, gate.index)
  const second = pool.submit(tasks.fib, 12)
  await gate.reached()
  pool.shutdown()
  assert.deepEqual([pool.isShutdown, pool.isTerminating, pool.isTerminated], [true, false, false])
  assert.ok(thrownBy(() => pool.submit(tasks.fib, 1)) instanceof RejectedExecutionError)
  assert.equal(await pool.awaitTermination(1), false)
  gate.open()
  await first
  assert.equal(await second, 144)
  assert.equal(await pool.awaitTermination(), true)
  assert.deepEqual([pool.isTerminated, pool.poolSize], [true, 0])
  assert.match(String(pool), /\[Terminated,/)
})

test("[FJ45] shutdownNow cancels everything, and returns nothing", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  const running = pool.submit(tasks.grow, gate.index)
  await gate.reached()
  const more = [pool.submit(tasks.grow, gate.index), pool.submit(tasks.fib, 20), pool.submit(tasks.fib, 20)]
  assert.deepEqual(pool.shutdownNow(), [])
  assert.equal(pool.isShutdown, true)
  for (const future of [running, ...more]) {
    const error = await rejectionOf(future)
    assert.ok(error instanceof CancellationError, String(error))
  }
  assert.equal(await pool.awaitTermination(), true)
})

test("[FJ45] what runs is cancelled before its thread is interrupted, however much is cancelled besides", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  using gate = new SharedGate()
  const running = pool.submit(tasks.sleepUntilInterrupted, gate.index)
  await gate.reached()
  const waiting = Array.from({ length: 2000 }, () => pool.submit(tasks.threadName))
  pool.shutdownNow()
  for (const future of [running, ...waiting]) {
    const error = await rejectionOf(future)
    assert.ok(error instanceof CancellationError, String(error))
  }
})

test("[FJ46] the common pool cannot be ended, and takes what is forked outside of any", async () => {
  const common = ForkJoinPool.commonPool()
  assert.equal(common, ForkJoinPool.commonPool())
  assert.equal(common.parallelism, availableParallelism())
  common.shutdown()
  assert.deepEqual(common.shutdownNow(), [])
  await common.close()
  assert.deepEqual([common.isShutdown, common.isTerminated], [false, false])
  const forked = fork(tasks.fib, 12)
  assert.equal(forked.join(), 144)
  assert.equal(await fork(tasks.fib, 13), 233)
  assert.equal(new Fib(14).fork().join(), 377)
  assert.equal(new FibCompleter(undefined, 12).invoke(), 144)
  assert.equal(await common.awaitTermination(60_000), false)
  assert.ok(common.isQuiescent)
})

test("[FJ46] a program that has used the common pool ends by itself", async () => {
  const { code, stdout, stderr } = await runFile(fileURLToPath(new URL("programs/common.js", import.meta.url)))
  assert.deepEqual([code, stdout.trim(), stderr], [0, "144", ""])
})

test("[FJ47] a task can submit to the pool it runs in, and to one it was sent", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  await using other = new ForkJoinPool({ parallelism: 1 })
  assert.equal(await pool.invoke(tasks.viaPool, pool, 10), 110)
  assert.equal(await pool.invoke(tasks.viaPool, other, 10), 110)
  assert.equal(await pool.invoke(tasks.invokeInside, pool, 10), 55)
  assert.equal(await pool.invoke(tasks.invokeInside, other, 10), 55)
  await using fixed = Executors.newFixedThreadPool(1)
  assert.equal(await fixed.submit(tasks.invokeInside, pool, 12), 144)
})

test("[FJ48] it is an executor as any other", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const futures = await pool.invokeAll([bind(tasks.fib, 5), bind(tasks.fib, 6)])
  assert.deepEqual(
    futures.map((future) => future.resultNow()),
    [5, 8],
  )
  assert.equal(await pool.invokeAny([bind(tasks.fib, 7)]), 13)
  const mapped: number[] = []
  for await (const value of pool.map(tasks.fib, [1, 2, 3, 4, 5, 6])) mapped.push(value)
  assert.deepEqual(mapped, [1, 1, 2, 3, 5, 8])
  using gate = new SharedGate()
  pool.execute(tasks.pass, gate.index)
  await gate.reached()
  gate.open()
  assert.equal(await pool.with({ timeout: 60_000 }).submit(tasks.fib, 8), 21)
  assert.ok(thrownBy(() => pool.submit(Math.max as never)) instanceof TaskNotPortableError)
})

test("[FJ49] waits that would never end are refused", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.deepEqual(await pool.invoke(tasks.waitForOwnPool, pool), ["IllegalStateError", "IllegalStateError"])
  assert.ok(thrownBy(() => new Fib(3).join()) instanceof IllegalStateError)
})
