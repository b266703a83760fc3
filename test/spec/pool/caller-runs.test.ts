/** An asynchronous task that its caller runs, and the caller itself. Ids such as [RJ15] refer to docs/spec/pool.md. */
import {
  CallerRunsPolicy,
  CancellationError,
  InterruptedError,
  LinkedBlockingQueue,
  Thread,
  TimeoutError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import { saturated } from "./saturated.ts"

/** Waits for ever, in the ways a task can, and notes what ends it. */
function waitingTask(ends: string[]): () => Promise<void> {
  return async () => {
    const { signal } = Thread.currentThread()
    signal.addEventListener("abort", () => ends.push("signal"))
    try {
      await new LinkedBlockingQueue().take()
    } catch (error) {
      ends.push((error as Error).name)
      throw error
    }
  }
}

test("[RJ15] cancelling the task ends its waits and leaves the caller's alone", async () => {
  await using pools = new Pools()
  const { pool } = saturated(pools, CallerRunsPolicy)
  const queue = new LinkedBlockingQueue<string>()
  const ofTheCaller = queue.take()
  const ends: string[] = []
  const future = pool.submit(waitingTask(ends))
  assert.equal(future.cancel(true), true)
  await eventually(() => ends.length === 2)
  assert.deepEqual(ends.toSorted(), ["InterruptedError", "signal"])
  assert.ok((await rejectionOf(future)) instanceof CancellationError)
  assert.equal(Thread.currentThread().isInterrupted, false)
  queue.add("still waiting")
  assert.equal(await ofTheCaller, "still waiting")
})

test("[RJ15] so does a time limit", async () => {
  await using pools = new Pools()
  const { pool } = saturated(pools, CallerRunsPolicy)
  const queue = new LinkedBlockingQueue<string>()
  const ofTheCaller = queue.take()
  const ends: string[] = []
  const future = pool.with({ timeout: 1 }).submit(waitingTask(ends))
  assert.ok((await rejectionOf(future)) instanceof TimeoutError)
  await eventually(() => ends.length === 2)
  queue.add("still waiting")
  assert.equal(await ofTheCaller, "still waiting")
})

test("[RJ15] an interrupt of the caller's thread reaches the task, before and after it began", async () => {
  for (const when of ["before", "after"]) {
    await using pools = new Pools()
    const { pool } = saturated(pools, CallerRunsPolicy)
    const ends: string[] = []
    let failure: unknown
    const caller = virtualThreads().newThread(async () => {
      if (when === "before") Thread.currentThread().interrupt()
      const future = pool.submit(waitingTask(ends))
      Thread.interrupted()
      if (when === "after") Thread.currentThread().interrupt()
      await eventually(() => future.isDone)
      failure = future.exceptionNow()
    })
    caller?.start()
    await caller?.join()
    assert.ok(failure instanceof InterruptedError, when)
    assert.ok(ends.includes("InterruptedError"), when)
  }
})

test("[RJ15] when the task is over its caller is as it was", async () => {
  await using pools = new Pools()
  const { pool } = saturated(pools, CallerRunsPolicy)
  let inside: AbortSignal | undefined
  pool.execute(async () => {
    await Promise.resolve()
    inside = Thread.currentThread().signal
  })
  await eventually(() => inside !== undefined)
  const caller = Thread.currentThread()
  caller.interrupt()
  assert.equal(Thread.interrupted(), true)
  assert.equal(inside?.aborted, false)
})
