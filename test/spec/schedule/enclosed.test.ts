/** Futures that were made elsewhere and given to execute. Ids such as [SC55] refer to docs/spec/schedule.md. */
import {
  CancellationError,
  DiscardPolicy,
  ExecutorCompletionService,
  FutureTask,
  RejectedExecutionError,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { isPending, Schedules } from "./support.ts"

test("[SC55] a future that was given to execute shares the fate of its place in the queue", async () => {
  await using pools = new Schedules()
  const gate = pools.gate()
  const stopped = pools.open()
  stopped.execute(gate.body)
  await gate.entered()
  const view = stopped.with({ name: "view" })
  const all = stopped.invokeAll([() => 1, () => 2])
  const any = stopped.invokeAny([() => 1])
  const completions = new ExecutorCompletionService<number>(stopped)
  completions.submit(() => 1)
  const futures = [view.submit(() => 1), view.submit(() => 2)]
  await turns()
  assert.equal(stopped.shutdownNow().length, 6)
  assert.deepEqual(
    (await all).map(({ state }) => state),
    ["cancelled", "cancelled"],
  )
  assert.ok((await rejectionOf(any)) instanceof CancellationError)
  assert.equal((await completions.take()).status, "rejected")
  for (const future of futures) {
    const error = await rejectionOf(future)
    assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
  }
})

test("[SC55] dropped by a policy, it is cancelled; refused, it is the caller's", async () => {
  await using pools = new Schedules()
  const dropping = pools.open(1, { handler: DiscardPolicy })
  dropping.shutdown()
  const dropped = new FutureTask(() => undefined)
  dropping.execute(dropped)
  assert.equal(dropped.isCancelled, true)
  const refusing = pools.open()
  refusing.shutdown()
  const refused = new FutureTask(() => undefined)
  assert.ok(thrownBy(() => refusing.execute(refused)) instanceof RejectedExecutionError)
  assert.equal(await isPending(refused), true)
})

test("[SC55] given twice, it runs once, and its second turn does it no harm", async () => {
  await using pools = new Schedules()
  const pool = pools.open(2)
  const gate = pools.gate()
  const task = new FutureTask(gate.body)
  pool.execute(task)
  pool.execute(task)
  await turns()
  assert.deepEqual([gate.entries, task.isDone, pool.completedTaskCount], [1, false, 1])
  gate.open("value")
  assert.equal(await task, "value")
})

test("[SC55] a limit that ends it while it waits takes it out of the queue", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  const controller = new AbortController()
  const future = pool.with({ signal: controller.signal }).submit(() => undefined)
  assert.equal(pool.queue.size, 1)
  controller.abort()
  assert.deepEqual([future.isCancelled, pool.queue.size], [true, 0])
})
