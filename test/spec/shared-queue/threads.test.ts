/** Queues between threads. Rule ids are those of docs/spec/queue.md and docs/spec/shared-queue.md. */
import {
  ArrayBlockingQueue,
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
  TimeoutError,
} from "corepool"
import { threadContext } from "#src/memory/thread/this-thread.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { runProgram } from "../../support/child.ts"
import { eventually } from "../../support/harness.ts"
import { type WorkerHand, Workers } from "../../support/workers.ts"
import { waitersIn } from "./support.ts"

const module = new URL("threads.workers.js", import.meta.url)

interface Sharable {
  readonly handle: Parameters<typeof waitersIn>[0]["handle"]
}

/** A thread that calls these methods of the queue. */
function caller(workers: Workers, queue: Sharable, ...calls: readonly (readonly unknown[])[]): WorkerHand {
  return workers.run(module, "call", queue.constructor.name, queue, calls)
}

/** Waits until so many wait in the queue. */
async function waitFor(queue: Sharable, who: "putters" | "takers", count: number): Promise<void> {
  await eventually(() => waitersIn(queue)[who] === count)
}

test("[TQ1][BQ3][BQ7][BQ63] threads that block wait for each other", async () => {
  await using workers = new Workers()
  for (const queue of [
    new ArrayBlockingQueue<number>(1),
    new LinkedBlockingQueue<number>(1),
    new LinkedBlockingDeque<number>(1),
    new SynchronousQueue<number>(),
    new LinkedTransferQueue<number>(),
    new PriorityBlockingQueue<number>(),
  ]) {
    const other = caller(workers, queue, ["takeSync"], ["putSync", 2])
    await waitFor(queue, "takers", 1)
    queue.putSync(1)
    assert.equal(queue.takeSync(), 2)
    assert.deepEqual(await other.result, [1, undefined])
  }
})

test("[TQ1][BQ3] a thread that blocks in a full queue, or in one without room, is let in", async () => {
  await using workers = new Workers()
  for (const queue of [
    new ArrayBlockingQueue<number>(1),
    new LinkedBlockingDeque<number>(1),
    new SynchronousQueue<number>(),
  ]) {
    const isFull = queue.offer(1)
    const other = caller(workers, queue, ["putSync", 2])
    await waitFor(queue, "putters", 1)
    if (isFull) assert.equal(queue.poll(), 1)
    assert.equal(await queue.take(), 2)
    assert.deepEqual(await other.result, [undefined])
  }
})

test("[BQ21][BQ22] those who wait in different threads are served in the order in which they came", async () => {
  await using workers = new Workers()
  const queue = new LinkedBlockingQueue<number>(1)
  const takers: WorkerHand[] = []
  for (const call of [["takeSync"], ["take"], ["pollSync", 60_000]]) {
    takers.push(caller(workers, queue, call))
    await waitFor(queue, "takers", takers.length)
  }
  const own = queue.take()
  queue.add(1)
  queue.add(2)
  queue.add(3)
  queue.add(4)
  assert.deepEqual(await Promise.all(takers.map(({ result }) => result)), [[1], [2], [3]])
  assert.equal(await own, 4)

  queue.add(0)
  const putters: WorkerHand[] = []
  for (const call of [
    ["putSync", 1],
    ["offer", 2, 60_000],
    ["put", 3],
  ]) {
    putters.push(caller(workers, queue, call))
    await waitFor(queue, "putters", putters.length)
  }
  assert.deepEqual([queue.poll(), queue.poll(), queue.poll(), queue.poll()], [0, 1, 2, 3])
  assert.deepEqual(await Promise.all(putters.map(({ result }) => result)), [[undefined], [true], [undefined]])
})

test("[BQ8][BQ4] time limits of other threads", async () => {
  await using workers = new Workers()
  const queue = new ArrayBlockingQueue<number>(1)
  const other = caller(workers, queue, ["pollSync", 1], ["offerSync", 1, 1], ["offerSync", 2, 1], ["offer", 2, 1])
  assert.deepEqual(await other.result, [undefined, true, false, false])
  assert.deepEqual(queue.toArray(), [1])
})

test("[BQ55][BQ56] closing ends the waits of other threads", async () => {
  await using workers = new Workers()
  const empty = new LinkedBlockingQueue<number>(1)
  const taker = caller(workers, empty, ["takeSync"], ["pollSync", 60_000])
  await waitFor(empty, "takers", 1)
  empty.close()
  assert.deepEqual(await taker.result, ["IllegalStateError", undefined])
  const full = new LinkedBlockingQueue<number>(1)
  full.add(1)
  const putter = caller(workers, full, ["putSync", 2], ["offer", 3, 60_000])
  await waitFor(full, "putters", 1)
  full.close()
  assert.deepEqual(await putter.result, ["IllegalStateError", false])
})

test("[TQ17][BQ23] a thread that waits in a queue can be interrupted, and leaves the line", async () => {
  await using workers = new Workers()
  const queue = new LinkedBlockingQueue<number>(1)
  for (const method of ["takeSync", "take"]) {
    const other = caller(workers, queue, [method])
    await waitFor(queue, "takers", 1)
    threadContext().registry.interrupt((await other.firstWord()) as number)
    assert.deepEqual(await other.result, ["InterruptedError"])
    assert.equal(waitersIn(queue).takers, 0)
  }
  assert.equal(queue.offer(1), true)
  assert.equal(queue.poll(), 1)
})

test("[TQ13] elements expire for all threads at the same time", async () => {
  await using workers = new Workers()
  const queue = new DelayQueue<{ delay: number }>()
  const other = caller(workers, queue, ["takeSync"], ["take"])
  await waitFor(queue, "takers", 1)
  queue.add({ delay: 800 })
  queue.add({ delay: 200 })
  assert.deepEqual(await other.result, [{ delay: 200 }, { delay: 800 }])
})

test("[TQ14] a transfer ends when another thread has received its element", async () => {
  await using workers = new Workers()
  const queue = new LinkedTransferQueue<number>()
  const other = caller(workers, queue, ["transferSync", 1], ["transfer", 2], ["tryTransferSync", 3, 1])
  assert.equal(await queue.take(), 1)
  assert.equal(queue.takeSync(), 2)
  assert.deepEqual(await other.result, [undefined, undefined, false])
  assert.equal(queue.size, 0)
})

test("[TQ2] values of all sorts survive the way there and back", async () => {
  await using workers = new Workers()
  const there = new LinkedBlockingQueue<unknown>()
  const back = new LinkedBlockingQueue<unknown>()
  const other = workers.run(module, "echo", there, back)
  const cycle: unknown[] = [1]
  cycle.push(cycle)
  const values = [
    ...[
      1,
      -1,
      2 ** 31,
      -0,
      0.5,
      Number.NaN,
      Infinity,
      true,
      false,
      "",
      "text",
      "ä€😀",
      "long ".repeat(500),
      12n ** 40n,
    ],
    ...[new Date(5), new Map([[{}, new Set([1])]]), new Float64Array(1000).fill(0.5), { a: { b: [null, undefined] } }],
    ...[cycle, /a/g, new Uint8Array([1, 2, 3]).buffer],
  ]
  for (const value of values) {
    there.add(value)
    assert.deepEqual(await back.take(), value)
  }
  there.add(Object.assign(new TimeoutError("late", { cause: new RangeError("inner") }), { detail: { n: 1 } }))
  const error = (await back.take()) as TimeoutError & { detail: unknown }
  assert.ok(error instanceof TimeoutError && error.cause instanceof RangeError)
  assert.deepEqual(
    [error.name, error.message, error.code, error.detail],
    ["TimeoutError", "late", "ERR_COREPOOL_TIMEOUT", { n: 1 }],
  )
  there.close()
  await other.result
})

test("[TQ16] a program that awaits a shared queue stays until its wait is over", async () => {
  const { code, stdout } = await runProgram(`
    import { Worker } from "node:worker_threads"
    import { ArrayBlockingQueue } from "corepool"
    const queue = new ArrayBlockingQueue(1)
    const worker = new Worker(
      \`import("corepool").then(({ ArrayBlockingQueue }) => {
        const queue = ArrayBlockingQueue.from(require("node:worker_threads").workerData)
        setTimeout(() => queue.put("done"), 50)
      })\`,
      { eval: true, workerData: queue },
    )
    worker.unref()
    console.log(await queue.take())
  `)
  assert.equal(stdout, "done\n")
  assert.equal(code, 0)
})

test("[TQ16] a program that shares a queue and awaits nothing ends", async () => {
  const { code, stdout } = await runProgram(`
    import { LinkedBlockingQueue } from "corepool"
    const queue = new LinkedBlockingQueue()
    const other = LinkedBlockingQueue.from(structuredClone(queue))
    const taken = other.take()
    await queue.put(1)
    console.log(await taken, queue.poll())
  `)
  assert.equal(stdout, "1 undefined\n")
  assert.equal(code, 0)
})
