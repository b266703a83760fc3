/** When a ForkJoinPool is quiescent. Ids such as [FJ78] refer to docs/spec/forkjoin.md. */
import { ForkJoinPool } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as tasks from "./quiescence-tasks.ts"

test("[FJ78][FJ43] a pool is not quiescent while a completer goes on in a thread that has no task in hand", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using part = new SharedGate()
  using root = new SharedGate()
  const complete = new SharedCount()
  await pool.submit(tasks.leaveToThief, part.index, root.index, complete.index)
  const quiet = pool.awaitQuiescence()
  part.open()
  await root.reached()
  await eventually(() => pool.activeThreadCount === 0)
  assert.equal(pool.isQuiescent, false)
  assert.equal(await pool.awaitQuiescence(1), false)
  root.open()
  assert.equal(await quiet, true)
  assert.equal(complete.value, 1)
  assert.equal(pool.isQuiescent, true)
})

test("[FJ78][FJ43] a pool is not quiescent as long as a thread has not heard of a part that is over", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using part = new SharedGate()
  using root = new SharedGate()
  using held = new SharedGate()
  root.open()
  const complete = new SharedCount()
  await pool.submit(tasks.leaveUnheard, part.index, root.index, complete.index, held.index)
  await held.reached()
  part.open()
  await eventually(() => pool.activeThreadCount === 0)
  assert.deepEqual([pool.isQuiescent, complete.value], [false, 0])
  const quiet = pool.awaitQuiescence()
  held.open()
  assert.equal(await quiet, true)
  assert.equal(complete.value, 1)
})

test("[FJ78][FJ43] a pool is not quiescent while a task is under way that was begun in the midst of another one, which is over", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  using gate = new SharedGate()
  await pool.submit(tasks.leaveBeside, pool, gate.index)
  assert.deepEqual([pool.activeThreadCount, pool.isQuiescent], [1, false])
  const quiet = pool.awaitQuiescence()
  gate.open()
  assert.equal(await quiet, true)
})
