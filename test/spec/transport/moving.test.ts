/** Arguments and results that are moved, not copied; those that only the runtime can copy; and large ones. */
import {
  ArrayBlockingQueue,
  CallerRunsPolicy,
  Executors,
  FutureTask,
  RejectedExecutionError,
  tasksOf,
  ThreadPoolExecutor,
  transfer,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { createHmac, createSecretKey } from "node:crypto"
import { once } from "node:events"
import test from "node:test"
import { MessageChannel } from "node:worker_threads"
import { thrownBy } from "../../support/harness.ts"
import { SharedCount, SharedGate, words } from "../../support/shared-words.ts"

const tasks = tasksOf<typeof import("./tasks.ts")>(new URL("tasks.js", import.meta.url))
const same = tasks.same as unknown as <T>(value: T) => T // references to generic functions are not generic

test("[TX6] a buffer is moved with its views, and is empty when submit returns", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const buffer = new ArrayBuffer(100)
  const view = new Uint8Array(buffer, 10, 5).fill(3)
  const copied = new Uint8Array(4).fill(1)
  const future = pool.with({ transfer: [buffer] }).submit(same, { view, buffer, copied })
  assert.deepEqual([buffer.byteLength, view.length, copied.length], [0, 0, 4])
  const back = await future
  assert.deepEqual([[...back.view], back.view.byteOffset, back.buffer.byteLength], [[3, 3, 3, 3, 3], 0, 100])
})

test("[TX6] many at once, while all threads are busy", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  using gate = new SharedGate()
  const busy = [pool.submit(tasks.pass, gate.index), pool.submit(tasks.pass, gate.index)]
  const futures = Array.from({ length: 200 }, (_, i) => {
    const bytes = new Uint8Array(1000).fill(i % 7)
    return pool.with({ transfer: [bytes.buffer] }).submit(tasks.sum, bytes)
  })
  await gate.reached(2)
  gate.open()
  await Promise.all(busy)
  assert.deepEqual(
    await Promise.all(futures),
    futures.map((_, i) => [(i % 7) * 1000, 1000]),
  )
})

/** The first is copied into shared memory, and the second goes by message. */
const SIZES = [8, 20_000]

for (const size of SIZES)
  test(`[TX7] a task that is refused leaves everything where it is (${size} bytes)`, async () => {
    await using pool = Executors.newFixedThreadPool(1)
    pool.shutdown()
    const buffer = new ArrayBuffer(size)
    const error = thrownBy(() => pool.with({ transfer: [buffer] }).submit(same, buffer))
    assert.ok(error instanceof RejectedExecutionError)
    assert.equal(buffer.byteLength, size)
  })

for (const size of SIZES) {
  test(`[TX7] and so does one that the submitter has to run (${size} bytes)`, async () => {
    await using pool = new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 1,
      workQueue: new ArrayBlockingQueue(1),
      handler: CallerRunsPolicy,
    })
    using gate = new SharedGate()
    const busy = pool.submit(tasks.pass, gate.index)
    await gate.reached()
    const waiting = pool.submit(same, 1)
    const buffer = new ArrayBuffer(size)
    const future = pool.with({ transfer: [buffer] }).submit(same, buffer)
    assert.equal(await future, buffer)
    assert.equal(buffer.byteLength, size)
    gate.open()
    await Promise.all([busy, waiting])
  })

  test(`[TX8] unrun tasks have their arguments (${size} bytes)`, async () => {
    await using pool = Executors.newFixedThreadPool(1)
    await using other = Executors.newFixedThreadPool(1)
    using gate = new SharedGate()
    const busy = pool.submit(tasks.pass, gate.index)
    await gate.reached()
    const first = new Uint8Array(size).fill(1)
    const second = new Uint8Array(size).fill(2)
    const removed = pool.with({ transfer: [first.buffer] }).submit(tasks.sum, first)
    pool.with({ transfer: [second.buffer] }).submit(tasks.sum, second)
    assert.equal(pool.remove(removed), true)
    other.execute(removed as FutureTask<unknown>)
    assert.deepEqual(await removed, [size, size])
    const [unrun, ...more] = pool.shutdownNow()
    assert.equal(more.length, 0)
    other.execute(unrun as FutureTask<unknown>)
    assert.deepEqual(await (unrun as FutureTask<unknown>), [2 * size, size])
    gate.open()
    await busy
  })
}

test("[TX34] short buffers need no submitter: it blocks while the task runs", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  const busy = pool.submit(tasks.pass, gate.index)
  await gate.reached()
  const buffer = new Uint8Array(8192).fill(2)
  const told = new SharedCount()
  const future = pool.with({ transfer: [buffer.buffer] }).submit(tasks.tellSum, buffer, told.index)
  assert.equal(buffer.length, 0)
  gate.open()
  assert.notEqual(Atomics.wait(words, told.index, 0, 60_000), "timed-out")
  assert.equal(told.value, 16_384)
  await Promise.all([busy, future])
})

test("[TX34] short buffers of all lengths arrive with their views, and longer ones as well", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const lengths = [[0], [1], [3, 0, 5], [2047, 2049], [4096, 4096], [8192], [8193], [4096, 4097], [100_000, 1]]
  const all = lengths.map((list) => list.map((length, n) => Uint8Array.from({ length }, (_, i) => (n + i) % 251)))
  const given = structuredClone(all)
  const backs = given.map((arrays) => {
    const half = arrays.map((array) => array.subarray(array.length >> 1))
    const value = { text: "x".repeat(3000), arrays, half, copied: new Uint8Array(5000).fill(1) }
    const future = pool.with({ transfer: arrays.map(({ buffer }) => buffer) }).submit(tasks.areViewsOf, value)
    assert.deepEqual(
      [...arrays, ...half].map(({ buffer }) => buffer.byteLength),
      [...arrays, ...half].map(() => 0),
    )
    return future
  })
  for (const [i, back] of (await Promise.all(backs)).entries())
    assert.deepEqual(back, { arrays: all[i], isOneBuffer: true, copied: new Uint8Array(5000).fill(1) })
})

test("[TX36] what the runtime refuses to move fails its task, which does not begin", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const locked = new ReadableStream()
  locked.getReader()
  const begun = new SharedCount()
  const future = pool.with({ transfer: [locked] }).submit(tasks.countCall, begun.index, locked)
  await assert.rejects(future, /The runtime cannot move it/)
  await pool.submit(tasks.sum, new Uint8Array(1))
  assert.equal(begun.value, 0)
})

test("[TX9] results are moved if the task says so", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  assert.deepEqual([...(await pool.submit(tasks.filled, 3, 9))], [9, 9, 9])
  const { moved, copied } = await pool.submit(tasks.moveOne)
  assert.deepEqual([moved.byteLength, copied.byteLength], [10, 20])
  assert.deepEqual(await pool.submit(tasks.keptSizes), [0, 20])
})

test("[TX9] transfer() returns the value, and on virtual threads nothing is moved", async () => {
  const buffer = new ArrayBuffer(5)
  assert.equal(transfer(buffer), buffer)
  assert.equal(transfer({ buffer }, [buffer]).buffer, buffer)
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  assert.equal(await pool.with({ transfer: [buffer] }).submit(() => transfer(buffer)), buffer)
  assert.equal(buffer.byteLength, 5)
})

test("[TX10] blobs and keys are copied by the runtime", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  assert.equal(await pool.submit(tasks.textOf, new Blob(["some", "thing"])), "something")
  const key = createSecretKey(Buffer.from("secret"))
  assert.equal(await pool.submit(tasks.sign, key, "text"), createHmac("sha256", key).update("text").digest("hex"))
  assert.equal(await (await pool.submit(tasks.upperCased, "loud")).text(), "LOUD")
})

test("[TX10] a port can be moved", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const { port1, port2 } = new MessageChannel()
  const heard = once(port1, "message")
  await pool.with({ transfer: [port2] }).submit(tasks.answerOn, port2, "hello")
  assert.deepEqual(await heard, ["hello"])
  port1.close()
  assert.match((thrownBy(() => pool.submit(same, new MessageChannel().port1)) as Error).message, /only moved/)
})

test("[TX21] buffers of all lengths, several at once, with something shared beside them", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const shared = new Int32Array(new SharedArrayBuffer(4))
  const lengths = [0, 1, 2047, 2048, 2049, 4097, 65_536, 1_000_001]
  const arrays = lengths.map((length, n) => Uint8Array.from({ length }, (_, i) => (n + i) % 251))
  for (const value of [arrays, ...arrays, { arrays, shared, text: "x", buffer: (arrays[6] as Uint8Array).buffer }]) {
    assert.deepEqual(await pool.submit(same, value), value)
  }
  const back = await Promise.all(arrays.map((array) => pool.submit(same, array)))
  assert.deepEqual(back, arrays)
})

for (const length of [100, 5000, 32_767, 32_768, 1_000_001]) {
  test(`[TX22] a result of ${length} bytes is a copy, and the thread keeps its own`, async () => {
    await using pool = Executors.newFixedThreadPool(1)
    const first = await pool.submit(tasks.begin, length)
    const second = pool.submit(tasks.change, 1).getSync()
    const third = await pool.submit(tasks.change, 1)
    assert.deepEqual(first, new Uint8Array(length).fill(1))
    assert.deepEqual(second, { bytes: new Uint8Array(length).fill(2), length })
    assert.deepEqual(third, { bytes: new Uint8Array(length).fill(3), length })
    assert.equal(first.buffer.byteLength, length)
  })

  test(`[TX22] also if it is that of a task inside of another (${length} bytes)`, async () => {
    await using pool = Executors.newFixedThreadPool(1)
    const module = new URL("tasks.js", import.meta.url).href
    const [first, second] = await pool.submit(tasks.changeInside, pool, module, length)
    assert.deepEqual([first, second], [new Uint8Array(length).fill(1), new Uint8Array(length).fill(2)])
  })
}

test("[TX11][TX21] and when the arena has no room for them", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const long = new Uint8Array(20_000_000).fill(5)
  const back = await pool.submit(same, { long, also: new Uint16Array(5000).fill(6), text: "between" })
  assert.deepEqual([back.long.length, back.long[19_999_999], back.also[4999], back.text], [20_000_000, 5, 6, "between"])
  assert.equal(long.length, 20_000_000)
})

test("[TX11] a hundred megabytes there and back", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const bytes = new Uint8Array(100_000_000)
  bytes[99_999_999] = 7
  const back = await pool.submit(same, bytes)
  assert.deepEqual([back.length, back[99_999_999], bytes.length], [100_000_000, 7, 100_000_000])
})

test("[TX11] long texts and structures, with shared things in them", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const view = new Int32Array(new SharedArrayBuffer(4))
  const text = "long ".repeat(5_000_000)
  const back = await pool.submit(same, { text, view, date: new Date(7) })
  assert.deepEqual([back.text === text, back.view.length, back.date], [true, 1, new Date(7)])
})
