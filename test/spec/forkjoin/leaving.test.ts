/** When a thread of a ForkJoinPool may leave. Ids such as [FJ80] refer to docs/spec/forkjoin.md. */
import { ForkJoinPool } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as tasks from "./quiescence-tasks.ts"

test("[FJ80][FJ44] a pool that is shut down ends when completers are over whose parts other threads have", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using part = new SharedGate()
  using root = new SharedGate()
  const complete = new SharedCount()
  await pool.submit(tasks.leaveToThief, part.index, root.index, complete.index)
  pool.shutdown()
  const end = pool.awaitTermination()
  assert.equal(await pool.awaitTermination(1), false)
  part.open()
  await root.reached()
  root.open()
  assert.equal(await end, true)
  assert.equal(complete.value, 1)
})

test("[FJ80][FJ45] shutdownNow() does not wait for what comes back to a thread without a task", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using part = new SharedGate()
  using root = new SharedGate()
  const complete = new SharedCount()
  await pool.submit(tasks.leaveToThief, part.index, root.index, complete.index)
  pool.shutdownNow()
  part.open()
  assert.equal(await pool.awaitTermination(), true)
  assert.deepEqual([root.arrived, complete.value], [0, 0])
})
