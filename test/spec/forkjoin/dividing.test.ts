/** Forking, stealing and joining. Rules: docs/spec/forkjoin.md. */
import { ForkJoinPool, IllegalStateError, TaskNotPortableError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as tasks from "./tasks.ts"

for (const parallelism of [1, 2, 3]) {
  test(`[FJ1] a task that divides itself, on ${parallelism} threads`, async () => {
    await using pool = new ForkJoinPool({ parallelism })
    assert.equal(await pool.invoke(tasks.fib, 16), 987)
    assert.equal(pool.invokeSync(tasks.fib, 17), 1597)
  })
}

test("[FJ1] others steal what one has forked", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  const future = pool.submit(tasks.joinStolen, gate.index)
  await gate.reached()
  gate.open()
  assert.match(await future, /^ForkJoinPool-\d+-worker-\d+$/)
  assert.ok(pool.stealCount >= 2)
})

test("[FJ2] what nobody steals is a plain call", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.equal(await pool.invoke(tasks.keepsIdentity), true)
})

test("[FJ3] a thread takes what it has forked last, or first if the pool is asynchronous", async () => {
  for (const asyncMode of [false, true]) {
    await using pool = new ForkJoinPool({ parallelism: 1, asyncMode })
    await pool.invoke(tasks.noteThree)
    assert.ok(await pool.awaitQuiescence())
    const order = await pool.invoke(tasks.takeOrder)
    assert.deepEqual(order, asyncMode ? ["a", "b", "c"] : ["c", "b", "a"])
    assert.equal(pool.asyncMode, asyncMode)
  }
})

test("[FJ4] who waits for a stolen task works on what it has forked since", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  for (let n = 10; n < 18; n++) {
    const expected = await pool.invoke(tasks.fibInOrder, n)
    assert.equal(expected, tasks.fibInOrder(n))
  }
})

test("[FJ5] arguments and results of stolen tasks are copies, of every kind; what is shared stays that", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const values: unknown[] = [
    ...[0, -0, 1.5, Number.NaN, 2 ** 40, "", "text", true, null, undefined, 12n ** 30n],
    ...["long ".repeat(10_000), { a: { b: [1, "2", null] } }, new Map([[{}, new Set([1])]]), new Date(5)],
    new Float64Array([1.5]),
  ]
  for (const value of values) {
    using gate = new SharedGate()
    assert.deepEqual(await pool.invoke(tasks.haveStolen, gate.index, value), value)
  }
  const shared = new Int32Array(new SharedArrayBuffer(40_000))
  await pool.invoke(tasks.addTo, shared, 0, shared.length, 3)
  await pool.invoke(tasks.addTo, shared, 0, shared.length, 4)
  assert.ok(shared.every((value) => value === 7))
})

test("[FJ6] a task forks a million, and joins them in the order in which they were forked; each runs once", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const counter = new SharedCount()
  await pool.invoke(tasks.forkMany, counter.index, 1_000_000)
  assert.equal(counter.value, 1_000_000)
  assert.deepEqual([pool.queuedTaskCount, pool.queuedSubmissionCount], [0, 0])
})

test("[FJ6] what is forked and not joined runs all the same", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const counter = new SharedCount()
  await pool.invoke(tasks.forkAndForget, counter.index, 20_000)
  assert.ok(await pool.awaitQuiescence())
  assert.equal(counter.value, 20_000)
})

test("[FJ7] what cannot be sent is refused by fork, and nothing is left of it", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.deepEqual(await pool.invoke(tasks.forkBadly, 0), [
    "NotSerializableError",
    "NotSerializableError",
    "TaskNotPortableError",
    "TypeError",
    "1",
  ])
  assert.ok((await rejectionOf(pool.invoke(() => tasks.fib(1)))) instanceof TaskNotPortableError)
})

test("[FJ8] join throws what the task has thrown, wherever that was", async () => {
  for (const isStolen of [false, true]) {
    await using pool = new ForkJoinPool({ parallelism: isStolen ? 2 : 1 })
    using gate = new SharedGate()
    const error = await rejectionOf(pool.invoke(tasks.joinFailing, gate.index, isStolen))
    assert.ok(error instanceof RangeError)
    assert.equal(error.message, "too hot")
    assert.equal((error as { code?: unknown }).code, "E_OWN")
    assert.ok(error.cause instanceof TypeError)
    assert.match(String(error.stack), /at (Object\.)?fail .*\n(.*\n)*.*at (Object\.)?joinFailing/)
  }
})

test("[FJ9] recursion that is too deep fails the task, and the thread lives on", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.ok((await rejectionOf(pool.invoke(tasks.overflow, 0))) instanceof RangeError)
  assert.equal(await pool.invoke(tasks.fib, 12), 144)
  assert.equal(pool.poolSize, 1)
})

test("[FJ10] a task that waits for itself, or for one that waits for it, is told so", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  for (const task of [tasks.forkJoinSelf, tasks.joinInCircle]) {
    const error = await rejectionOf(pool.invoke(task))
    assert.ok(error instanceof IllegalStateError)
    assert.match(error.message, /never end/)
  }
})

test("[FJ12] an asynchronous task can be awaited, and not joined", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.deepEqual(await pool.invoke(tasks.joinAsync), [true, 7, "success"])
  assert.equal(await pool.invoke(tasks.awaitParts, 15), 610)
})
