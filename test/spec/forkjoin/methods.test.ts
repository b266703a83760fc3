/** What the methods of tasks do. Rules: docs/spec/forkjoin.md. */
import { CancellationError, bind, ForkJoinPool, ForkJoinTask } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf } from "../../support/harness.ts"
import { SharedGate } from "../../support/shared-words.ts"
import * as methods from "./method-tasks.ts"
import * as tasks from "./tasks.ts"

test("[FJ17] join and quietlyJoin go on in spite of an interrupt, which is kept", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using good = new SharedGate()
  using bad = new SharedGate()
  using held = new SharedGate()
  const gates = [good.index, bad.index, held.index]
  assert.deepEqual(await pool.invoke(methods.joinInterrupted, gates), [
    ...["value", true],
    ...["RangeError", true],
    ...["failed", true],
    ...["CancellationError", true],
  ])
})

test("[FJ17] a time limit and an interrupt end getSync, and the part goes on", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  assert.deepEqual(await pool.invoke(methods.waitLimited, gate.index), [
    "TimeoutError",
    "TimeoutError",
    ...["InterruptedError", false, false],
  ])
})

test("[FJ23] a task that is over is not run, and can be used again", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.deepEqual(await pool.invoke(methods.useAgain), [
    ...[true, -1, false, 55],
    ...["RangeError", 55],
    ...["CancellationError", "CancellationError", true],
  ])
  assert.equal(ForkJoinTask.inForkJoinPool, false)
})

test("[FJ77] a task can ask how many tasks wait in the list of its thread", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  const [before, forked, joined, after] = await pool.invoke(methods.countOwn)
  assert.deepEqual(
    [before, forked, joined, after],
    [
      [0, 0],
      [3, 3],
      [2, 2],
      [0, 0],
    ],
  )
  assert.deepEqual([ForkJoinTask.queuedTaskCount, ForkJoinTask.surplusQueuedTaskCount], [0, 0])
})

test("[FJ76] the parallelism of the common pool is known before there is one", () => {
  const expected = ForkJoinPool.commonPoolParallelism
  assert.ok(expected >= 1)
  assert.equal(ForkJoinPool.commonPool().parallelism, expected)
})

test("[FJ24] invokeAll of what is no task is a TypeError, and runs nothing", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.deepEqual(await pool.invoke(methods.invokeNothing), ["TypeError", "running", [8], [5, 8, 13]])
})

test("[FJ28] a part that is completed exceptionally fails its completer", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.deepEqual(await pool.invoke(methods.failByHand), ["failed", "failed", "by hand", 1, 1])
})

test("[FJ45] shutdownNow releases who waits in invokeAll, invokeAny and invoke", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  using gate = new SharedGate()
  const running = pool.invoke(tasks.sleepUntilInterrupted, gate.index)
  await gate.reached()
  const all = pool.invokeAll([bind(tasks.fib, 5), bind(tasks.fib, 6)])
  const any = pool.invokeAny([bind(tasks.fib, 5), bind(tasks.fib, 6)])
  const one = pool.invoke(tasks.fib, 5)
  const failures = [running, any, one].map(rejectionOf)
  pool.shutdownNow()
  for (const future of await all) assert.equal(future.state, "cancelled")
  for (const failure of failures) assert.ok((await failure) instanceof CancellationError)
  assert.equal(await pool.awaitTermination(), true)
})
