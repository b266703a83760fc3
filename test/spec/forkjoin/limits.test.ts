/** Waits with a time limit, and what ends a wait otherwise. Rules: docs/spec/forkjoin.md. */
import { Executors, ForkJoinPool } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { SharedGate } from "../../support/shared-words.ts"
import * as limits from "./limit-tasks.ts"

for (const isBlocking of [true, false]) {
  const way = isBlocking ? "getSync" : "get"

  test(`[FJ68] ${way} with a limit keeps it, though the part waits for its caller and there is one thread`, async () => {
    await using pool = new ForkJoinPool({ parallelism: 1 })
    using part = new SharedGate()
    using submitted = new SharedGate()
    const expected = ["TimeoutError", "TimeoutError", "string"]
    assert.deepEqual(await pool.invoke(limits.limitPart, part.index, isBlocking), expected)
    assert.deepEqual(await pool.invoke(limits.limitSubmitted, submitted.index, isBlocking, pool), expected)
  })

  test(`[PL27] ${way} with a limit keeps it, though only this thread could run the task`, async () => {
    await using pool = Executors.newFixedThreadPool(1)
    using gate = new SharedGate()
    const outcome = await pool.submit(limits.limitSubmitted, gate.index, isBlocking, pool)
    assert.deepEqual(outcome, ["TimeoutError", "TimeoutError", "string"])
  })
}

test("[FJ68] a wait with a limit has another thread made, if no other one could run the task", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.deepEqual(await pool.invoke(limits.limitAmply, pool), [2, 4, 6, 8])
})

test("[FJ48][PL27] invokeAll and invokeAny in a task of the pool itself, which has one thread", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  for (const limit of [Infinity, 600_000]) {
    assert.deepEqual(await pool.invoke(limits.invokeSeveral, pool as never, limit), [2, 4, "number"])
  }
  await using fixed = Executors.newFixedThreadPool(1)
  assert.deepEqual(await fixed.submit(limits.invokeSeveral, fixed, Infinity), [2, 4, "number"])
})

test("[FJ69] a completer with pending parts is waited for, up to the limit", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.deepEqual(await pool.invoke(limits.limitCompleter), [
    "IllegalStateError", // nothing is under way that could complete it
    ...["TimeoutError", "TimeoutError", false, "complete", true],
    ...["TimeoutError", "TimeoutError", false, "complete", true],
  ])
})

test("[FJ82] a task that nothing can end is out of time, in a pool and outside", async () => {
  const expected = ["TimeoutError", "TimeoutError", "TimeoutError"]
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.deepEqual(await pool.invoke(limits.limitUnforked), expected)
  assert.deepEqual(await limits.limitUnforked(), expected)
})

test("[FJ69] a completer whose part another thread has is waited for, up to the limit", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  assert.deepEqual(await pool.invoke(limits.limitStolen, gate.index), ["TimeoutError", "complete"])
})
