/** The states at the end of a pool, terminated(), and close(). Ids such as [TP55] refer to docs/spec/pool.md. */
import { IllegalStateError, InterruptedError, RejectedExecutionError, Thread, ThreadPoolExecutor } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { HookedPool } from "../../support/hooked-pool.ts"
import { Pools } from "../../support/pools.ts"

function states(pool: ThreadPoolExecutor): boolean[] {
  return [pool.isShutdown, pool.isTerminating, pool.isTerminated]
}

function hooked(pools: Pools): HookedPool {
  return pools.adopt(new HookedPool({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: pools.factory }))
}

test("[TP53] running, terminating, terminated", async () => {
  await using pools = new Pools()
  for (const how of ["shutdown", "shutdownNow"] as const) {
    const pool = pools.fixed(1)
    const gate = pools.gate()
    pool.execute(gate.body)
    await gate.entered()
    assert.deepEqual(states(pool), [false, false, false])
    pool[how]()
    assert.deepEqual(states(pool), [true, true, false])
    gate.open()
    assert.equal(await pool.awaitTermination(), true)
    assert.deepEqual(states(pool), [true, false, true])
  }
})

test("[TP54] awaitTermination of a pool that goes on gives false, without waiting if there is no time", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  let turned = false
  setImmediate(() => (turned = true))
  for (const timeout of [0, -1, -Infinity, { timeout: 0 }]) assert.equal(await pool.awaitTermination(timeout), false)
  assert.equal(turned, false, "not even a turn of the event loop has passed")
  assert.equal(await pool.awaitTermination(5), false)
})

test("[TP54] awaitTermination gives true as soon as the pool has ended, to all who wait, and ever after", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const waits = [
    pool.awaitTermination(),
    pool.awaitTermination(1_000_000),
    pool.awaitTermination({ timeout: Infinity }),
  ]
  await turns()
  pool.shutdown()
  assert.deepEqual(await Promise.all(waits), [true, true, true])
  assert.equal(await pool.awaitTermination(0), true)
})

test("[TP54] a wait for the end can be given up or interrupted, and leaves nothing behind", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const controller = new AbortController()
  const aborted = pool.awaitTermination({ signal: controller.signal })
  controller.abort(new Error("given up"))
  assert.equal(String(await rejectionOf(aborted)), "Error: given up")

  let outcome: unknown
  const thread = pools.factory.newThread(async () => (outcome = await rejectionOf(pool.awaitTermination())))
  thread?.start()
  await turns()
  thread?.interrupt()
  await eventually(() => outcome !== undefined)
  assert.ok(outcome instanceof InterruptedError)
  assert.equal(pool.isShutdown, false)
})

test("[TP54] what is no time is refused", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  assert.ok((await rejectionOf(pool.awaitTermination(NaN))) instanceof RangeError)
  for (const wrong of ["1", null, () => 1]) {
    assert.ok((await rejectionOf(pool.awaitTermination(wrong as unknown as number))) instanceof TypeError)
  }
})

test("[TP55] terminated() of an idle pool without threads is over when shutdown() returns", () => {
  for (const how of ["shutdown", "shutdownNow"] as const) {
    const pool = hooked(new Pools())
    pool[how]()
    assert.deepEqual(pool.names, ["terminated"])
    assert.equal(pool.isTerminated, true)
  }
})

test("[TP55] inside terminated() the pool is terminating and has no threads, and it runs once", async () => {
  await using pools = new Pools()
  const pool = hooked(pools)
  const seen: unknown[] = []
  let waited: Promise<boolean> | undefined
  pool.last = () => {
    seen.push(...states(pool), pool.poolSize, String(pool).includes("Shutting down"))
    seen.push(Thread.currentThread().isInterrupted)
    assert.ok(thrownBy(() => pool.execute(() => undefined)) instanceof RejectedExecutionError)
    pool.shutdown()
    assert.deepEqual(pool.shutdownNow(), [])
    waited = pool.awaitTermination(0)
  }
  await pool.submit(() => undefined)
  pool.shutdown()
  assert.equal(await pool.awaitTermination(), true)
  pool.shutdown()
  pool.shutdownNow()
  assert.deepEqual(seen, [true, true, false, 0, true, false])
  assert.equal(await waited, false)
  assert.deepEqual(pool.names, ["beforeExecute", "afterExecute", "terminated"])
})

test("[TP56] if terminated() throws, the pool has ended and the error leaves the call that ended it", () => {
  for (const how of ["shutdown", "shutdownNow"] as const) {
    const pool = hooked(new Pools())
    pool.last = () => {
      throw new Error("terminated")
    }
    assert.equal(String(thrownBy(() => pool[how]())), "Error: terminated")
    assert.deepEqual(states(pool), [true, false, true])
  }
})

test("[TP56] if a thread ended the pool, the error goes to the uncaught-exception handler", async () => {
  await using pools = new Pools()
  const pool = hooked(pools)
  pool.last = () => {
    throw new Error("terminated")
  }
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  pool.shutdown()
  gate.fail(new Error("the task's own"))
  assert.equal(await pool.awaitTermination(), true)
  await eventually(() => pools.threads[0]?.isAlive === false)
  assert.deepEqual(pools.takeUncaught().map(String).sort(), ["Error: terminated", "Error: the task's own"])
})

test("[TP57] shutdownNow() has cancelled all that waited even if terminated() throws", async () => {
  await using pools = new Pools()
  const threadFactory = { isVirtual: true, newThread: () => null }
  const pool = pools.adopt(new HookedPool({ corePoolSize: 1, maximumPoolSize: 1, threadFactory }))
  pool.last = () => {
    throw new Error("terminated")
  }
  const futures = [1, 2].map(() => pool.submit(() => assert.fail("ran")))
  assert.equal(String(thrownBy(() => pool.shutdownNow())), "Error: terminated")
  assert.deepEqual(
    futures.map((future) => future.state),
    ["cancelled", "cancelled"],
  )
})

test("[TP61] close() shuts down, waits for what runs and waits, and may be repeated", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  const waiting = pool.submit(() => "ran")
  let closed = false
  const closing = pool.close().then(() => (closed = true))
  assert.equal(pool.isShutdown, true)
  await turns()
  assert.equal(closed, false)
  gate.open()
  await closing
  assert.deepEqual([pool.isTerminated, waiting.resultNow()], [true, "ran"])
  await pool.close()
})

test("[TP61] await using closes the pool", async () => {
  await using pools = new Pools()
  const seen: string[] = []
  let outside: ThreadPoolExecutor
  {
    await using pool = pools.fixed(2)
    outside = pool
    pool.execute(async () => {
      await turns(1)
      seen.push("task")
    })
  }
  seen.push("after the block")
  assert.equal(outside.isTerminated, true)
  assert.deepEqual(seen, ["task", "after the block"])
})

test("[TP62] an interrupt of the thread that waits in close() stops the pool and is raised again", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const [running, stubborn] = [pools.gate(), pools.gate()]
  const future = pool.submit(async () => {
    await running.interruptible().catch(() => undefined)
    return stubborn.body()
  })
  const waiting = pool.submit(() => assert.fail("ran"))
  await running.entered()
  const seen: unknown[] = []
  const closer = pools.factory.newThread(async () => {
    await pool.close()
    seen.push(pool.isTerminated, Thread.currentThread().isInterrupted)
  })
  closer?.start()
  await turns()
  closer?.interrupt()
  await stubborn.entered()
  assert.equal(waiting.state, "cancelled")
  await turns()
  assert.deepEqual(seen, [], "it waits on for what was interrupted")
  stubborn.open("stopped")
  assert.equal(await future, "stopped")
  await eventually(() => seen.length > 0)
  assert.deepEqual(seen, [true, true])
})

test("[TP62] a signal that aborts stops the pool, and close() rejects with its reason at the end", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const future = pool.submit(gate.interruptible)
  await gate.entered()
  const controller = new AbortController()
  const closing = pool.close({ signal: controller.signal })
  controller.abort(new Error("enough"))
  assert.equal(String(await rejectionOf(closing)), "Error: enough")
  assert.equal(pool.isTerminated, true)
  assert.ok(future.exceptionNow() instanceof InterruptedError)
})

test("[TP63] close() by one of the pool's own tasks is refused and changes nothing", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const error = await rejectionOf(pool.submit(() => pool.close()))
  assert.ok(error instanceof IllegalStateError)
  assert.match(error.message, /use shutdown\(\)/)
  assert.equal(pool.isShutdown, false)
  const other = pools.fixed(1)
  await other.submit(() => pool.close())
  assert.equal(pool.isTerminated, true, "a task of another pool may close it")
})
