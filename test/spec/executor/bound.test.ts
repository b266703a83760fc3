/** Functions that bind() has made, as tasks of executors. */
import {
  bind,
  ExecutorCompletionService,
  Executors,
  ForkJoinPool,
  FutureTask,
  parallelMap,
  platformThreads,
  TaskNotPortableError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { SharedCount } from "../../support/shared-words.ts"
import { counted, scaled } from "./chunk-tasks.ts"
import { all } from "./support.ts"

test("[FT58] arguments of the call come after the bound ones", async () => {
  const list = (a: number, b: number, c: number): number[] => [a, b, c]
  assert.deepEqual(await bind(list, 1, 2, 3)(), [1, 2, 3])
  assert.deepEqual(await bind(list, 1, 2)(3), [1, 2, 3])
  assert.deepEqual(await bind(bind(list, 1), 2, 3)(), [1, 2, 3])
  assert.deepEqual(await bind(bind(bind(list, 1), 2), 3)(), [1, 2, 3])
})

test("[FT5] what bind() has made has the name of its task, unless the program gives it another one", async () => {
  const add = (a: number, b: number): number => a + b
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  const held = pool.submit(() => new Promise<void>((resolve) => setImmediate(resolve)))
  assert.match(String(pool.submit(bind(add, 1, 2))), /task = add\]/)
  const renamed = Object.defineProperty(bind(add, 1, 2), "name", { value: "sum of 1 and 2" })
  const future = pool.submit(renamed)
  assert.match(String(future), /task = sum of 1 and 2\]/)
  assert.equal(await future, 3)
  const [other] = await pool.invokeAll([renamed])
  assert.equal(await other, 3)
  await held
})

for (const [kind, factory] of [
  ["platform threads", platformThreads()],
  ["virtual threads", virtualThreads()],
] as const) {
  test(`[FT58] so they do in an executor: ${kind}`, async () => {
    await using pool = Executors.newScheduledThreadPool(2, factory)
    const triple = bind(scaled, 3)
    assert.equal(await pool.submit(triple, 1, 10), 31)
    assert.equal(await pool.submit(bind(triple, 1), 10), 31)
    assert.equal(await pool.submit(bind(bind(triple, 1), 10)), 31)
    assert.equal(await pool.with({ timeout: 60_000 }).submit(triple, 1, 10), 31)
    assert.equal(await pool.schedule(triple, 0, 1, 10), 31)
    const task = new FutureTask(bind(triple, 1, 10))
    pool.execute(task)
    assert.equal(await task, 31)
    const done = new ExecutorCompletionService<number>(pool)
    assert.equal(await done.submit(triple, 1, 10), 31)
    const futures = await pool.invokeAll([bind(triple, 1, 10), bind(bind(triple, 2), 20)])
    assert.deepEqual(
      futures.map((future) => future.resultNow()),
      [31, 62],
    )
    assert.deepEqual(await all(pool.map(bind(triple, 1), [10, 20])), [31, 61])
    const count = new SharedCount()
    pool.execute(bind(counted, count.index), 5)
    await eventually(() => count.value === 5)
  })

  test(`[FT58] a task with a result of its own takes no arguments: ${kind}`, async () => {
    await using pool = Executors.newFixedThreadPool(2, factory)
    const count = new SharedCount()
    const given = Executors.callable(bind(counted, count.index, 1), "given") as (more: number) => string
    assert.equal(await pool.submit(given, 7), "given")
    assert.equal(count.value, 1)
  })
}

test("[FT58] a ForkJoinPool takes them, too", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  assert.equal(await pool.submit(bind(scaled, 3), 1, 10), 31)
  assert.deepEqual(await all(pool.map(bind(scaled, 3, 1), [10, 20])), [31, 61])
})

test("[FT59] where bound arguments cannot be sent, the error says so", async () => {
  const error = await rejectionOf(parallelMap(new Float64Array(100_000), bind(scaled, 3, 1)))
  assert.ok(error instanceof TaskNotPortableError)
  assert.match(error.message, /^A function that bind\(\) .* has made cannot be sent in this place/)
})
