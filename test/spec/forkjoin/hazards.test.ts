/** What should not be done works, or is told; nothing hangs. Rules: docs/spec/forkjoin.md. */
import { Executors, ForkJoinPool, ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as hazards from "./hazard-tasks.ts"
import { fib } from "./tasks.ts"

test("[FJ13] a promise that nobody has announced fails its task if the thread that runs it cannot await it", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  using helped = new SharedGate()
  const outcome = await pool.invoke(hazards.helpWithPromise, gate.index, helped.index)
  assert.match(String(outcome), /^IllegalStateError: .*returned a promise.*Declare the function `async`/)
  assert.equal(await pool.invoke(fib, 12), 144)
})

test("[FJ12] an object whose compute is asynchronous is awaited, by a thread that can", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  assert.equal(await pool.invoke(hazards.helpWithLater, gate.index), 7)
  await using alone = new ForkJoinPool({ parallelism: 1 }) // so nobody steals it
  const [refusal, value] = await alone.invoke(hazards.laterInPlace)
  assert.match(String(refusal), /^IllegalStateError: .*asynchronous/)
  assert.equal(value, 5)
})

test("[FJ1] a task joins after it has awaited something", async () => {
  for (const parallelism of [1, 2]) {
    await using pool = new ForkJoinPool({ parallelism })
    assert.equal(await pool.invoke(hazards.joinAfterAwait, 3), 12)
  }
})

test("[FJ10] a circle of joins over two threads is told to one of them", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  // The second of these is run by the only thread that can: the one that waits for the first.
  assert.match(String(await pool.invoke(hazards.circle, gate.index, 2)), /^IllegalStateError: .*never end/)
  assert.equal(await pool.invoke(fib, 12), 144)
  assert.ok(await pool.awaitQuiescence())
})

test("[FJ10] a circle of joins over three threads is told to one of them, if it comes about", async () => {
  await using pool = new ForkJoinPool({ parallelism: 3 })
  for (let i = 0; i < 20; i++) {
    using gate = new SharedGate()
    assert.match(String(await pool.invoke(hazards.circle, gate.index, 3)), /^IllegalStateError: .*never end|^nobody$/)
  }
  assert.equal(await pool.invoke(fib, 12), 144)
})

test("[FJ7] a task is of its thread, and cannot be given to another one to join", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.match(String(await pool.invoke(hazards.forkWithTask)), /^NotSerializableError/)
})

test("[FJ26] a completer forks and joins when it is told that its parts are over", async () => {
  for (const parallelism of [1, 2]) {
    await using pool = new ForkJoinPool({ parallelism })
    assert.equal(await pool.invoke(new hazards.JoiningCompleter(undefined, 4)), 62)
  }
})

test("[FJ10] a completer that nobody is going to complete cannot be waited for", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.match(String(await pool.invoke(hazards.joinForgetful)), /^IllegalStateError: .*never end/)
})

test("[FJ9] 100,000 forks, each inside of the last, are too deep for the stack, and the pool lives on", async () => {
  for (const parallelism of [1, 2]) {
    await using pool = new ForkJoinPool({ parallelism })
    const error = await rejectionOf(pool.invoke(hazards.descend, 100_000))
    assert.ok(error instanceof RangeError, String(error))
    assert.equal(await pool.invoke(hazards.descend, 500), 500)
    assert.ok(await pool.awaitQuiescence())
    assert.equal(pool.queuedTaskCount, 0)
  }
})

test("[FJ47] invokeSync inside of invokeSync, in one pool", async () => {
  for (const parallelism of [1, 2]) {
    await using pool = new ForkJoinPool({ parallelism })
    assert.equal(await pool.invoke(hazards.invokeDeep, pool, 20), 20)
  }
})

test("[FJ46] a task of another kind of pool forks into the common pool of its thread", async () => {
  await using fixed = Executors.newFixedThreadPool(1)
  assert.equal(await fixed.submit(hazards.forkInPool, 5), 20)
})

test("[FJ1][FJ3] in a pool with asyncMode tasks fork and join, too", async () => {
  for (const parallelism of [1, 2]) {
    await using pool = new ForkJoinPool({ parallelism, asyncMode: true })
    assert.equal(await pool.invoke(fib, 14), 377)
  }
})

test("[FJ31] what a dead thread has left is run by the next in its place also in the midst of another task", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  const counter = new SharedCount()
  assert.ok((await rejectionOf(pool.invoke(hazards.leaveBehind, counter.index, 5))) instanceof ThreadDeathError)
  await eventually(() => counter.value === 105)
  assert.ok(await pool.awaitQuiescence())
  assert.equal(await pool.invoke(fib, 12), 144)
})
