/** Shared things reach the threads of a pool though the thread that submits does nothing for it after that. */
import {
  AtomicInteger,
  CountDownLatch,
  CyclicBarrier,
  Exchanger,
  type ExecutorService,
  Executors,
  ForkJoinPool,
  LinkedBlockingQueue,
  Phaser,
  ReentrantLock,
  ReentrantReadWriteLock,
  Semaphore,
  tasksOf,
  ThreadDeathError,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { collectGarbage } from "../../support/garbage.ts"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as threadContext from "./tasks.ts"

const tasks = tasksOf<typeof import("./tasks.ts")>(new URL("tasks.js", import.meta.url))

const bytes = (): SharedArrayBuffer => new SharedArrayBuffer(64)

/** As much as is needed of what belongs to no library of types here. */
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: { Memory: new (options: object) => { buffer: SharedArrayBuffer } }
}

const things: Record<string, () => object> = {
  "a SharedArrayBuffer": bytes,
  "a view of one": () => new Int32Array(bytes(), 8, 2),
  "a DataView of one": () => new DataView(bytes()),
  "one that can grow": () => new SharedArrayBuffer(8, { maxByteLength: 64 }),
  "the memory of WebAssembly": () => new wasm.Memory({ initial: 1, maximum: 2, shared: true }).buffer,
  "an AtomicInteger": () => new AtomicInteger(1),
  "a ReentrantLock": () => new ReentrantLock(),
  "a ReentrantReadWriteLock": () => new ReentrantReadWriteLock(),
  "a CountDownLatch": () => new CountDownLatch(1),
  "a Semaphore": () => new Semaphore(1),
  "a CyclicBarrier": () => new CyclicBarrier(2),
  "a Phaser": () => new Phaser(1),
  "an Exchanger": () => new Exchanger(),
  "a queue": () => new LinkedBlockingQueue(),
  "several in an object": () => ({ deep: [bytes(), new ReentrantLock()] }),
}

for (const [name, make] of Object.entries(things)) {
  test(`[TX27] [PL1] a task gets ${name} while its submitter blocks, in a thread made for it and in one that runs`, async () => {
    await using pool = Executors.newFixedThreadPool(1)
    for (let i = 0; i < 2; i++) {
      const done = new SharedCount()
      const future = pool.submit(tasks.mark, done.index, make())
      assert.equal(threadContext.blockUntilMarked(done.index), 2)
      assert.equal(await future, 1)
    }
  })
}

const pools: Record<string, () => ExecutorService> = {
  "a fixed pool": () => Executors.newFixedThreadPool(2),
  "a scheduled pool": () => Executors.newScheduledThreadPool(2),
  "a fork/join pool": () => new ForkJoinPool({ parallelism: 2 }),
}

for (const [name, make] of Object.entries(pools)) {
  test(`[TX27] many new things, one after the other, in ${name}`, async () => {
    await using pool = make()
    for (let i = 0; i < 200; i++) {
      const done = new SharedCount()
      void pool.submit(tasks.mark, done.index, bytes(), bytes())
      assert.equal(threadContext.blockUntilMarked(done.index), 3)
    }
  })
}

test("[TX27] a thread that is made later gets what the tasks need that wait", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  void pool.submit(tasks.pass, gate.index)
  const counts = Array.from({ length: 3 }, () => new SharedCount())
  for (const { index } of counts) void pool.submit(tasks.mark, index, bytes())
  pool.maximumPoolSize = 2
  pool.corePoolSize = 2 // the first one is still busy
  for (const { index } of counts) assert.equal(threadContext.blockUntilMarked(index), 2)
})

test("[TX27] a task passes on what it was given, within its pool, though the thread that made the pool blocks", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  await Promise.all([pool.submit(tasks.same, 1), pool.submit(tasks.same, 2)])
  const done = new SharedCount()
  const future = pool.submit(tasks.markInPool, pool, done.index, bytes())
  assert.equal(threadContext.blockUntilMarked(done.index), 2)
  await future
})

for (const [name, isOwn] of [
  ["its own pool", true],
  ["another pool", false],
] as const) {
  test(`[TX30] a task passes a new thing to ${name}, though it blocks, and the thread that made the pool too`, async () => {
    await using pool = Executors.newFixedThreadPool(2)
    await using other = Executors.newFixedThreadPool(1)
    const chosen = isOwn ? pool : other
    await Promise.all([
      pool.submit(tasks.mark, new SharedCount().index),
      pool.submit(tasks.mark, new SharedCount().index),
      other.submit(tasks.mark, new SharedCount().index),
    ])
    for (let i = 0; i < 20; i++) {
      const done = new SharedCount()
      const future = pool.submit(tasks.markInPool, chosen, done.index)
      assert.equal(threadContext.blockUntilMarked(done.index), 2)
      await future
    }
  })
}

test("[TX30] also to a thread of the pool that was made after the pool was sent", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  using gate = new SharedGate()
  const done = new SharedCount()
  const first = pool.submit(tasks.markInPoolLater, pool, gate.index, done.index)
  await gate.reached()
  await pool.submit(tasks.mark, new SharedCount().index) // which makes the second thread
  gate.open()
  assert.equal(threadContext.blockUntilMarked(done.index), 2)
  await first
})

for (const [name, make] of Object.entries(pools)) {
  test(`[TX32] a task passes a new thing to ${name} without a thread, and blocks`, async () => {
    await using guests = Executors.newFixedThreadPool(1)
    for (let i = 0; i < 3; i++) {
      await using cold = make()
      const done = new SharedCount()
      await guests.submit(tasks.markInPool, cold, done.index)
      assert.equal(done.value, 2)
    }
  })
}

test("[TX32] a task passes new things to threads of its own pool that are not made yet, and blocks", async () => {
  await using pool = Executors.newFixedThreadPool(4)
  const done = new SharedCount()
  await pool.submit(tasks.markInPool, pool, done.index)
  assert.equal(done.value, 2)
})

test("[TX32] also if the thread that made the pool blocks for the task", async () => {
  await using guests = Executors.newFixedThreadPool(1)
  await using cold = Executors.newFixedThreadPool(1)
  const done = new SharedCount()
  guests.submit(tasks.markInPool, cold, done.index).getSync()
  assert.equal(done.value, 2)
})

test("[TX32] also if all threads of the pool have left", async () => {
  await using guests = Executors.newFixedThreadPool(1)
  await using cold = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, keepAliveTime: 1 })
  cold.allowCoreThreadTimeOut = true
  for (let i = 0; i < 3; i++) {
    const done = new SharedCount()
    await guests.submit(tasks.markInPool, cold, done.index)
    assert.equal(done.value, 2)
    await eventually(() => cold.poolSize === 0)
  }
})

test("[TX32] also if the thread dies that had been sent the thing", async () => {
  await using guests = Executors.newFixedThreadPool(1)
  await using pool = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  const done = new SharedCount()
  const dying = rejectionOf(pool.submit(tasks.passAndExit, gate.index))
  await gate.reached()
  const marked = guests.submit(tasks.markInPool, pool, done.index)
  await eventually(() => pool.queue.size === 1)
  gate.open()
  await marked
  assert.equal(done.value, 2)
  assert.ok((await dying) instanceof ThreadDeathError)
})

test("[TX32] a thing that was passed on is dropped when the task's thread drops it", async () => {
  await using guests = Executors.newFixedThreadPool(1)
  await using cold = Executors.newFixedThreadPool(1)
  await guests.submit(tasks.seeInPool, cold)
  let left = Infinity
  for (let tries = 0; tries < 200 && left > 0; tries++) {
    collectGarbage()
    await guests.submit(tasks.countSeen)
    left = await cold.submit(tasks.countSeen)
  }
  assert.equal(left, 0)
})

test("[TX32] and when that thread dies", async () => {
  await using guests = Executors.newFixedThreadPool(1)
  await using cold = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  gate.open()
  await guests.submit(tasks.seeInPool, cold)
  await rejectionOf(guests.submit(tasks.passAndExit, gate.index))
  let left = Infinity
  for (let tries = 0; tries < 200 && left > 0; tries++) {
    collectGarbage()
    left = await cold.submit(tasks.countSeen)
  }
  assert.equal(left, 0)
})

test("[TX28] when the thread that has passed a thing drops it, the threads of the pool drop it too", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  await passAndDrop(pool)
  let left = Infinity
  for (let tries = 0; tries < 200 && left > 0; tries++) {
    collectGarbage()
    left = await pool.submit(tasks.countSeen)
  }
  assert.equal(left, 0)
})

async function passAndDrop(pool: ExecutorService): Promise<void> {
  const all = [bytes(), new ReentrantLock()]
  await pool.submit(tasks.see, ...all)
  await pool.submit(tasks.see, ...all)
}

test("[TX29] a thread that reads nothing for long is not sent things without end, and still gets what its next task needs", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  using gate = new SharedGate()
  const busy = pool.submit(tasks.pass, gate.index)
  await gate.reached()
  for (let i = 0; i < 3000; i++) await pool.submit(tasks.mark, new SharedCount().index, bytes())
  gate.open()
  await busy
  using second = new SharedGate()
  const other = pool.submit(tasks.pass, second.index)
  await second.reached()
  assert.equal(await pool.submit(tasks.mark, new SharedCount().index, bytes()), 1)
  second.open()
  await other
})

test("[TX12] a submitter that blocks for a latch hands out what is moved", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  for (let i = 0; i < 2; i++) {
    const latch = new CountDownLatch(1)
    const buffer = new ArrayBuffer(8)
    const future = pool.with({ transfer: [buffer] }).submit(tasks.countDown, latch, buffer)
    latch.awaitSync()
    assert.equal(await future, 8)
  }
})
