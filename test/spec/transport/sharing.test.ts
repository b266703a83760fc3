/** Things that threads share, as arguments and results of tasks. */
import {
  AtomicInteger,
  CountDownLatch,
  type ExecutorService,
  Executors,
  LinkedBlockingQueue,
  ReentrantLock,
  tasksOf,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { collectGarbage } from "../../support/garbage.ts"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"

const tasks = tasksOf<typeof import("./tasks.ts")>(new URL("tasks.js", import.meta.url))
const same = tasks.same as unknown as <T>(value: T) => T // references to generic functions are not generic

test("[TX1] shared memory and views of it are the same memory in the other thread", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const bytes = new SharedArrayBuffer(64)
  const view = new Int32Array(bytes, 8, 4)
  assert.equal(await pool.submit(tasks.addTo, view, 1, 5), 0)
  assert.equal(await pool.submit(tasks.addTo, new Int32Array(bytes), 3, 2), 5)
  assert.equal(view[1], 7)
  const data = new DataView(bytes, 4, 8)
  const back = await pool.submit(same, { data, list: [bytes, view] })
  assert.deepEqual([back.data.byteOffset, back.data.byteLength, back.list[0] === bytes], [4, 8, true])
})

test("[TX1] one thing in two places is one", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const bytes = new SharedArrayBuffer(8)
  const lock = new ReentrantLock()
  assert.equal(await pool.submit(tasks.areSame, bytes, bytes), true)
  assert.equal(await pool.submit(tasks.areSame, lock, lock), true)
})

test("[TX1] objects of corepool arrive alive", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const shared = {
    counter: new AtomicInteger(0),
    lock: new ReentrantLock(),
    latch: new CountDownLatch(20),
    queue: new LinkedBlockingQueue<string>(),
  }
  const futures = Array.from({ length: 20 }, () => pool.submit(tasks.useAll, shared))
  await shared.latch.await()
  const values = await Promise.all(futures)
  assert.deepEqual(
    values.toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, i) => i + 1),
  )
  assert.deepEqual([shared.queue.size, shared.counter.get(), shared.lock.isLocked], [20, 20, false])
})

test("[TX2] a thread knows the memory it has met, as long as its submitter has it", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const thing = new SharedArrayBuffer(4)
  assert.equal(await pool.submit(tasks.isSameAsLast, thing), false)
  assert.equal(await pool.submit(tasks.isSameAsLast, thing), true)
  assert.equal(await pool.submit(tasks.forget), false)
  assert.equal(await pool.submit(tasks.isSameAsLast, thing), true)
})

test("[TX2] a thread knows the lock it has met, and opens it again when it has forgotten it", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const thing = new ReentrantLock()
  assert.equal(await pool.submit(tasks.isSameAsLast, thing), false)
  assert.equal(await pool.submit(tasks.isSameAsLast, thing), true)
  let isGone = false
  for (let tries = 0; tries < 50 && !isGone; tries++) isGone = await pool.submit(tasks.forget)
  assert.equal(isGone, true)
  assert.equal(await pool.submit(tasks.isSameAsLast, thing), false)
  assert.equal(await pool.submit(tasks.isSameAsLast, thing), true)
})

test("[TX2] thousands of things, each for one task", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const views = Array.from({ length: 2000 }, () => new Int32Array(new SharedArrayBuffer(4)))
  await Promise.all(views.map((view, i) => pool.submit(tasks.addTo, view, 0, i)))
  assert.deepEqual(
    views.map((view) => view[0]),
    views.map((_, i) => i),
  )
})

test("[TX3] a task submits to the pool it runs in, or to another", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  await using single = Executors.newSingleThreadExecutor()
  await using hidden = Executors.unconfigurableExecutorService(Executors.newFixedThreadPool(1))
  assert.equal(await pool.submit(tasks.addInPool, pool, 1, 2), 3)
  assert.equal(await pool.submit(tasks.addInPool, single, 3, 4), 7)
  assert.equal(await pool.submit(tasks.addInPool, hidden, 5, 6), 11)
  const back: ExecutorService[] = await pool.submit(same, [pool, hidden])
  assert.deepEqual([back[0] === pool, back[1] === hidden], [true, true])
})

test("[TX3] a pool of virtual threads cannot be passed, open or hidden", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  await using virtual = Executors.newFixedThreadPool(1, virtualThreads())
  for (const executor of [virtual, Executors.unconfigurableExecutorService(virtual)]) {
    assert.match((thrownBy(() => pool.submit(same, executor)) as Error).message, /virtual threads/)
  }
})

test("[TX4] what was given and is returned is the same object, wherever it is in the result", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const view = new Int32Array(new SharedArrayBuffer(4))
  const lock = new ReentrantLock()
  const back = await pool.submit(same, { deep: [{ view }], lock, again: lock })
  assert.equal(back.deep[0]?.view.buffer, view.buffer)
  assert.equal(back.lock, lock)
  assert.equal(back.again, lock)
})

test("[TX4] shared memory that a task has made arrives, also with an error", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const { bytes, view } = await pool.submit(tasks.newShared)
  assert.deepEqual([view.buffer === bytes, [...view]], [true, [7, 7, 7, 7]])
  assert.equal(await pool.submit(tasks.addTo, view, 0, 1), 7)
  const given = new Int32Array(new SharedArrayBuffer(4))
  const error = (await rejectionOf(pool.submit(tasks.throwShared, given))) as Error & {
    view: Int32Array
    fresh: SharedArrayBuffer
  }
  assert.deepEqual([error.view.buffer === given.buffer, error.fresh.byteLength], [true, 3])
})

test("[TX5] nobody keeps what was passed", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const passed = await passAndForget(pool)
  await eventually(() => {
    collectGarbage()
    return passed.every((thing) => thing.deref() === undefined)
  })
})

async function passAndForget(pool: ThreadPoolExecutor): Promise<WeakRef<object>[]> {
  const things = [new SharedArrayBuffer(4), new ReentrantLock(), new ArrayBuffer(4)]
  await pool.submit(same, things)
  await pool.with({ transfer: [things[2] as ArrayBuffer] }).submit(same, things)
  return things.map((thing) => new WeakRef(thing))
}
