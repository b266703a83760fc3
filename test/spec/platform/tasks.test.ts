/** Tasks of platform threads, and their futures. */
import { Executors, FutureTask, NotSerializableError, TaskNotPortableError, TimeoutError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as tasks from "./tasks.ts"

test("[PL1] tasks run while the thread that submitted them computes", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const counter = new SharedCount()
  await Promise.all([pool.submit(tasks.count, counter.index), pool.submit(tasks.count, counter.index)])
  for (let i = 0; i < 1000; i++) pool.execute(tasks.count, counter.index)
  while (counter.value < 1002); // no turn of the event loop
  assert.equal(counter.value, 1002)
})

test("[PL1] two tasks can be under way at the same time", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  using gate = new SharedGate()
  const futures = [pool.submit(tasks.pass, gate.index), pool.submit(tasks.pass, gate.index)]
  await gate.reached(2)
  assert.equal(pool.activeCount, 2)
  gate.open()
  assert.deepEqual(await Promise.all(futures), [gate.index, gate.index])
})

test("[PL2] arguments and results arrive as copies, short or long", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const cycle: unknown[] = [1]
  cycle.push(cycle)
  const values: unknown[] = [
    ...[0, -0, 1.5, Number.NaN, 2 ** 40, "", "text", "ä€😀", true, null, undefined, 12n ** 30n],
    ...["long ".repeat(10_000), { a: { b: [1, "2", null] } }, new Map([[{}, new Set([1])]]), new Date(5), /x/g],
    ...[new Uint8Array(100_000).fill(7), new Float64Array([1.5]), cycle],
  ]
  for (const value of values) assert.deepEqual(await pool.submit(tasks.same, value), value)
  const object = { a: 1 }
  assert.notEqual(await pool.submit(tasks.same, object), object)
})

test("[PL3] an asynchronous task occupies its worker until its promise has settled", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  const first = pool.submit(tasks.passAsync, gate.index)
  await gate.reached()
  const second = pool.submit(tasks.add, 1, 2)
  assert.deepEqual([pool.activeCount, pool.queue.size, second.isDone], [1, 1, false])
  gate.open()
  assert.deepEqual([await first, await second], [gate.index, 3])
})

test("[PL4] what cannot be sent is refused at once, and nothing is counted", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const submit = (fn: unknown, ...args: unknown[]) => thrownBy(() => pool.submit(fn as () => void, ...(args as [])))
  assert.ok(submit(Math.max, 1, 2) instanceof TaskNotPortableError)
  assert.ok(submit(tasks.add.bind(undefined, 1)) instanceof TaskNotPortableError)
  assert.ok(submit(SharedGate) instanceof TaskNotPortableError)
  assert.ok(submit(tasks.same, () => 1) instanceof NotSerializableError)
  assert.ok(submit(tasks.same, { deep: [Symbol("s")] }) instanceof NotSerializableError)
  const runnable = { run() {} }
  assert.ok(thrownBy(() => pool.execute(runnable)) instanceof TaskNotPortableError)
  assert.ok(thrownBy(() => pool.execute(new FutureTask(runnable, 1))) instanceof TaskNotPortableError)
  assert.ok(thrownBy(() => pool.with({ name: "view" }).execute(runnable)) instanceof TaskNotPortableError)
  class OwnWay extends FutureTask<number> {
    override run(): void {}
  }
  assert.ok(thrownBy(() => pool.execute(new OwnWay(() => 1))) instanceof TaskNotPortableError)
  assert.deepEqual([pool.poolSize, pool.taskCount, pool.queue.size], [0, 0, 0])
})

test("[PL5] errors arrive whole", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const error = (await rejectionOf(pool.submit(tasks.fail, "out of range"))) as RangeError & Record<string, unknown>
  assert.ok(error instanceof RangeError)
  assert.deepEqual([error.message, error["code"], error["detail"]], ["out of range", "E_OWN", { n: 1 }])
  assert.ok(error.cause instanceof TypeError)
  assert.match(String(error.stack), /fail/)
})

test("[PL6] a result that cannot be copied fails its own task only", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const failed = pool.submit(() => () => 1)
  const next = pool.submit(tasks.threadName)
  assert.ok((await rejectionOf(failed)) instanceof NotSerializableError)
  assert.match(await next, /thread-1$/)
})

test("[PL7] a variable that the function captures is named", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const captured = Math.random() // not a literal: a runtime that compiles the source might put it in place
  const error = (await rejectionOf(pool.submit(() => captured + 1))) as Error
  assert.ok(error instanceof TaskNotPortableError)
  assert.match(error.message, /`captured`/)
})

test("[PL9] tasks begin in the order in which they were submitted", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const counter = new SharedCount()
  const futures = Array.from({ length: 200 }, () => pool.submit(tasks.count, counter.index))
  assert.deepEqual(
    await Promise.all(futures),
    Array.from({ length: 200 }, (_, i) => i + 1),
  )
})

test("[PL10] getSync blocks until the task is done", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  assert.equal(pool.submit(tasks.add, 1, 2).getSync(), 3)
  assert.equal((thrownBy(() => pool.submit(tasks.fail, "sync").getSync()) as Error).message, "sync")
  using gate = new SharedGate()
  const future = pool.submit(tasks.pass, gate.index)
  assert.ok(thrownBy(() => future.getSync(5)) instanceof TimeoutError)
  assert.ok(thrownBy(() => future.getSync(0)) instanceof TimeoutError)
  gate.open()
  assert.equal(future.getSync(), gate.index)
})

test("[PL11] a future can be asked without a turn of the event loop", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  await pool.submit(tasks.add, 0, 0) // a thread of a browser starts no other one without a turn [BR18]
  const future = pool.submit(tasks.add, 1, 2)
  while (!future.isDone);
  assert.deepEqual([future.state, future.resultNow()], ["success", 3])
  const failed = pool.submit(tasks.fail, "no")
  while (failed.state === "running");
  assert.equal((failed.exceptionNow() as Error).message, "no")
})

test("[PL12] many tasks that end while nobody looks are all there", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  let settled = 0
  const futures = Array.from({ length: 20_000 }, (_, i) => pool.submit(tasks.add, i, 1))
  for (const future of futures) void future.then(() => settled++)
  assert.equal(futures.at(-1)?.getSync(), 20_000)
  for (const [i, future] of futures.entries()) assert.equal(await future, i + 1)
  await eventually(() => settled === 20_000)
})

test("[PL35] a task that comes back unrun has its arguments", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  void pool.submit(tasks.pass, gate.index)
  await gate.reached(1)
  const list = { numbers: [1, 2] }
  const sum = (a: { numbers: number[] }, b: number): number => a.numbers.reduce((x, y) => x + y, b)
  const [first, second, third] = [1, 2, 3].map((n) => pool.submit(sum, list, n)) as [
    FutureTask<number>,
    FutureTask<number>,
    FutureTask<number>,
  ]
  list.numbers.push(100)
  assert.equal(pool.queue.poll(), first)
  void first.run()
  assert.equal(first.resultNow(), 4)
  assert.ok(pool.remove(second))
  pool.execute(second) // with its arguments, once more
  assert.equal(pool.queue.size, 2)
  const unrun = pool.shutdownNow() as FutureTask<number>[]
  gate.open()
  assert.deepEqual([second.isCancelled, third.isCancelled, unrun.length], [true, true, 2])
  for (const task of unrun) void task.run()
  assert.deepEqual(
    unrun.map((task) => task.resultNow()),
    [6, 5],
  )
})
