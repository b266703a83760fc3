/** Rejection handlers of the user's own. Ids such as [RJ11] refer to docs/spec/pool.md. */
import { CancellationError, FutureTask, type RejectedExecutionHandler, type Runnable } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import { saturated } from "./saturated.ts"

test("[RJ11] an error of a handler leaves execute and submit, and no future is left pending", async () => {
  await using pools = new Pools()
  const error = new Error("the handler's")
  let refused: unknown
  const { pool } = saturated(pools, (task) => {
    refused = task
    throw error
  })
  assert.equal(
    thrownBy(() => pool.execute(() => assert.fail("ran"))),
    error,
  )
  assert.equal(
    thrownBy(() => pool.submit(() => assert.fail("ran"))),
    error,
  )
  assert.ok(refused instanceof FutureTask)
  assert.equal(refused.state, "cancelled")
})

test("[RJ11] a handler may keep tasks, run them, pass them on, or give them back to the pool", async () => {
  await using pools = new Pools()
  const other = pools.fixed(1)
  const kept: Runnable[] = []
  const ways: RejectedExecutionHandler[] = [
    (task) => kept.push(task),
    (task) => void (task as FutureTask<unknown>).run(),
    (task) => other.execute(task),
    (task, executor) => {
      executor.maximumPoolSize++
      executor.execute(task)
    },
  ]
  let next = 0
  const { pool, gate } = saturated(pools, (task, executor) => ways[next++]?.(task, executor))
  const futures = ways.map((_, i) => pool.submit(() => i))
  assert.equal(next, 4)
  assert.deepEqual(
    futures.map((future) => future.isDone),
    [false, true, false, false],
  )
  gate.open()
  await eventually(() => pool.activeCount === 0 && pool.queue.isEmpty)
  for (const task of kept) pool.execute(task)
  assert.deepEqual(await Promise.all(futures), [0, 1, 2, 3])
})

for (const condition of ["saturated", "shut down", "terminated"]) {
  test(`[RJ12] ${condition}: execute, submit, invokeAll and invokeAny call the handler once a task`, async () => {
    await using pools = new Pools()
    const heard: unknown[] = []
    const { pool, gate } = saturated(pools, (task, executor) => {
      assert.equal(executor, pool)
      heard.push(task)
      if (task instanceof FutureTask) task.cancel()
    })
    if (condition !== "saturated") pool.shutdown()
    if (condition === "terminated") {
      gate.open()
      assert.equal(await pool.awaitTermination(), true)
    }
    const before = String(pool)
    const task = (): string => assert.fail("a refused task ran")
    pool.execute(task)
    assert.deepEqual(heard.splice(0), [task])
    const future = pool.submit(task)
    assert.deepEqual(heard.splice(0), [future])
    const futures = await pool.invokeAll([task, task])
    assert.deepEqual(heard.splice(0), futures)
    const timed = await pool.invokeAll([task, task], 1_000_000)
    assert.deepEqual(heard.splice(0), timed)
    assert.ok((await rejectionOf(pool.invokeAny([task, task]))) instanceof CancellationError)
    assert.equal(heard.splice(0).length, 2)
    assert.ok((await rejectionOf(pool.invokeAny([task], 1_000_000))) instanceof CancellationError)
    assert.equal(heard.length, 1)
    assert.equal(String(pool), before)
  })
}
