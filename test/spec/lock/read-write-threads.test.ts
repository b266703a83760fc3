/** Several threads, and several flows of one. */
import { CountDownLatch, Executors } from "corepool"
import { ReentrantLock, ReentrantReadWriteLock } from "#src/lock/index.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { collectGarbage } from "../../support/garbage.ts"
import { eventually, turns } from "../../support/harness.ts"
import { type WorkerHand, Workers } from "../../support/workers.ts"
import { PretendedThread, waitersOf } from "./read-write-support.ts"
import type { Act } from "./read-write.workers.ts"
import { Call, Task, tasks } from "./support.ts"

const MODULE = new URL("read-write.workers.js", import.meta.url)
const STRESS = Number(process.env["STRESS"] ?? 1)
const CELLS = 29

/** A gate that is closed, and workers that stay before it with what they hold. */
class Scene extends Workers {
  readonly lock: ReentrantReadWriteLock
  readonly gate = new ReentrantLock()

  constructor(fair = false) {
    super()
    this.lock = new ReentrantReadWriteLock({ fair })
    this.gate.lockSync()
  }

  start(...acts: Act[]): WorkerHand {
    return this.run(MODULE, "doAndUndo", this.lock, acts, this.gate)
  }
}

test("[RW26] a posted lock is the same lock there", async () => {
  await using scene = new Scene()
  const { lock } = scene
  const other = scene.start("write", "write", "read")
  await other.heard("done")
  assert.deepEqual([lock.isWriteLocked, lock.isWriteLockedByCurrentThread, lock.readLockCount], [true, false, 1])
  assert.match(String(lock), /\[Write locks = 2, Read locks = 1]$/)
  assert.match(String(lock.writeLock), /\[Locked by another thread]$/)
  assert.deepEqual([lock.readLock.tryLock(), lock.writeLock.tryLock(), lock.readHoldCount], [false, false, 0])
  assert.throws(() => lock.writeLock.unlock(), { name: "IllegalMonitorStateError" })
  assert.throws(() => lock.readLock.unlock(), { name: "IllegalMonitorStateError" })
  const writing = new Call(lock.writeLock.lock())
  await writing.waits()
  scene.gate.unlock()
  await other.result
  await eventually(() => !writing.isPending)
  assert.equal(lock.isWriteLockedByCurrentThread, true)
})

test("[RW42] of a posted readLock or writeLock the whole lock is made there", async () => {
  await using scene = new Scene()
  const { lock } = scene
  for (const posted of [lock.readLock, lock.writeLock]) {
    assert.deepEqual(Object.keys(structuredClone(posted)), ["handle"])
    const other = scene.run(MODULE, "doAndUndo", posted, ["write", "read"] satisfies Act[], scene.gate)
    await other.heard("done")
    assert.deepEqual([lock.isWriteLocked, lock.isWriteLockedByCurrentThread, lock.readLockCount], [true, false, 1])
    scene.gate.unlock()
    await other.result
    await scene.gate.lock()
    assert.deepEqual([lock.isWriteLocked, lock.readLockCount], [false, 0])
  }
})

test("[RW26] the lock may be posted inside of something else, and is posted on its own", () => {
  const lock = new ReentrantReadWriteLock()
  const received = structuredClone({ list: [lock] }).list[0]
  assert.deepEqual(Object.keys(received ?? {}), ["handle"])
  assert.equal(ReentrantReadWriteLock.from(received as ReentrantReadWriteLock).readLock.tryLock(), true)
  assert.equal(lock.readLockCount, 1)
})

test("[RW26] what is no read-write lock is refused", () => {
  const { writeLock } = new ReentrantReadWriteLock()
  for (const other of [undefined, null, {}, 1, new ReentrantLock(), writeLock.newCondition()]) {
    assert.throws(() => ReentrantReadWriteLock.from(other as never), { name: "TypeError" })
  }
})

test("[RW26][RW24] a posted condition is the same condition there", async () => {
  await using workers = new Workers()
  const lock = new ReentrantReadWriteLock()
  const condition = lock.writeLock.newCondition()
  const other = workers.run(MODULE, "awaitSignal", lock, condition)
  await other.heard("waiting")
  await lock.writeLock.lock()
  await eventually(() => condition.hasWaiters)
  condition.signal()
  lock.writeLock.unlock()
  assert.deepEqual(await other.result, { reads: 1, writes: 1 })
})

test("[RW27] several objects for one lock are one lock", async () => {
  const lock = new ReentrantReadWriteLock()
  const twin = ReentrantReadWriteLock.from(lock.handle)
  await lock.readLock.lock()
  await twin.readLock.lock()
  assert.deepEqual([lock.readHoldCount, twin.readHoldCount, lock.readLockCount], [2, 2, 2])
  const writing = await new Task().waitIn(() => twin.writeLock.lock())
  assert.equal(twin.writeLock.tryLock(), false)
  twin.readLock.unlock()
  twin.readLock.unlock()
  await writing.ends()
  assert.equal(lock.isWriteLocked, true)
})

test("[RW27] what was locked by means of an object that is gone can be unlocked by another", () => {
  const { handle } = new ReentrantReadWriteLock()
  const open = (): ReentrantReadWriteLock => ReentrantReadWriteLock.from(handle)
  const reader = new Task()
  for (let holds = 1; holds <= 3; holds++) {
    reader.do(() => open().readLock.lockSync())
    collectGarbage()
    assert.equal(
      reader.do(() => open().readHoldCount),
      holds,
    )
  }
  for (let holds = 3; holds > 0; holds--) reader.do(() => open().readLock.unlock())
  assert.equal(open().writeLock.tryLock(), true)
})

test("[RW28] threads read at the same time, and a writer waits for all of them", async () => {
  await using scene = new Scene()
  const readers = [scene.start("read"), scene.start("read", "read")]
  for (const reader of readers) await reader.heard("done")
  assert.equal(scene.lock.readLockCount, 3)
  await scene.lock.readLock.lock()
  const writing = await new Task().waitIn(() => scene.lock.writeLock.lock())
  scene.gate.unlock()
  await Promise.all(readers.map(({ result }) => result))
  await writing.waits()
  scene.lock.readLock.unlock()
  await writing.ends()
})

test("[RW28] who waits in another thread is woken: readers together, a writer alone", async () => {
  await using scene = new Scene()
  const { lock } = scene
  await lock.writeLock.lock()
  const readers = [scene.start("read"), scene.start("read")]
  await eventually(() => lock.queueLength === 2)
  const writer = scene.start("write")
  await eventually(() => lock.queueLength === 3)
  lock.writeLock.unlock()
  for (const reader of readers) await reader.heard("done")
  assert.deepEqual([lock.readLockCount, lock.queueLength], [2, 1])
  scene.gate.unlock()
  await writer.result
  assert.deepEqual([lock.readLockCount, lock.isWriteLocked, lock.queueLength], [0, false, 0])
})

for (const fair of [false, true]) {
  test(`[RW28] readers never see what is half written (${fair ? "fair" : "not fair"})`, async () => {
    await using workers = new Workers()
    const lock = new ReentrantReadWriteLock({ fair })
    const memory = new SharedArrayBuffer(64 * 4)
    const rounds = (fair ? 2000 : 20_000) * STRESS
    const hands = [1, 2, 3].map((seed) => workers.run(MODULE, "readAndWrite", lock, memory, rounds, seed))
    const results = (await Promise.all(hands.map(({ result }) => result))) as { torn: number; written: number }[]
    const written = results.reduce((sum, result) => sum + result.written, 0)
    assert.deepEqual([...new Set(results.map(({ torn }) => torn))], [0])
    assert.deepEqual([...new Set(new Int32Array(memory))], [written])
    assert.equal(lock.toString().endsWith("[Write locks = 0, Read locks = 0]"), true)
  })
}

test("[RW29] another thread waits until one of the 29 that read stops", async () => {
  const lock = new ReentrantReadWriteLock()
  const threads = Array.from({ length: CELLS }, () => new PretendedThread().open(lock))
  for (const thread of threads) assert.equal(thread.readLock.tryLock(), true)
  assert.equal(lock.readLockCount, CELLS)
  assert.equal(lock.readLock.tryLock(), false)
  assert.equal(lock.readLock.tryLockSync(1), false)
  assert.equal(threads[0]?.readLock.tryLock(), true)
  const reading = new Call(lock.readLock.lock())
  await reading.waits()
  threads[0]?.readLock.unlock()
  await reading.waits()
  threads[0]?.readLock.unlock()
  await reading.ends()
  assert.equal(
    new Task().do(() => lock.readLock.tryLock()),
    true,
  )
  assert.equal(lock.readLockCount, CELLS + 1)
  assert.equal(threads[0]?.readLock.tryLock(), false)
})

test("[RW29] of forty worker threads 29 read at once, and the others after them", async () => {
  const lock = new ReentrantReadWriteLock()
  const gate = new CountDownLatch(1)
  await using pool = Executors.newFixedThreadPool(40)
  const readers = Array.from({ length: 40 }, () =>
    pool.submit(
      (shared: ReentrantReadWriteLock, until: CountDownLatch) => {
        shared.readLock.lockSync()
        until.awaitSync()
        shared.readLock.unlock()
      },
      lock,
      gate,
    ),
  )
  try {
    await eventually(() => lock.readLockCount === CELLS && lock.queueLength === 40 - CELLS)
    assert.equal(lock.readLock.tryLock(), false)
  } finally {
    gate.countDown()
  }
  await Promise.all(readers)
  assert.deepEqual([lock.readLockCount, lock.queueLength, lock.writeLock.tryLock()], [0, 0, true])
})

test("[RW29] a writer that goes on reading has room in any case", async () => {
  const lock = new ReentrantReadWriteLock()
  await lock.writeLock.lock()
  await lock.readLock.lock()
  lock.writeLock.unlock()
  const threads = Array.from({ length: CELLS }, () => new PretendedThread().open(lock))
  for (const thread of threads) assert.equal(thread.readLock.tryLock(), true)
  assert.equal(lock.readLockCount, CELLS + 1)
  assert.equal(new PretendedThread().open(lock).readLock.tryLock(), false)
  lock.readLock.unlock()
  assert.equal(new PretendedThread().open(lock).readLock.tryLock(), false)
  for (const thread of threads) thread.readLock.unlock()
  assert.equal(lock.writeLock.tryLock(), true)
})

test("[RW30] a thread does not block for its own flows, wherever it would stand in line", async () => {
  const lock = new ReentrantReadWriteLock()
  const { readLock, writeLock } = lock
  const elsewhere = new PretendedThread().open(lock)
  const [holder, other] = tasks(2) as [Task, Task]
  const refusal = { name: "IllegalStateError", message: /held by another flow of the same thread/ }
  for (const { mine, wanted } of [
    { mine: readLock, wanted: [writeLock] },
    { mine: writeLock, wanted: [readLock, writeLock] },
  ]) {
    await holder.do(() => mine.lock())
    const waiting = await other.waitIn(() => elsewhere.writeLock.lock())
    for (const lockToBlockFor of wanted) {
      assert.throws(() => lockToBlockFor.lockSync(), refusal)
      assert.throws(() => lockToBlockFor.lockInterruptiblySync(), refusal)
      assert.equal(lockToBlockFor.tryLockSync(1), false)
    }
    assert.equal(lock.queueLength, 1)
    holder.do(() => mine.unlock())
    await waiting.ends()
    other.do(() => elsewhere.writeLock.unlock())
  }
})

test("[RW31] a thread that reads may read once more by blocking, although a writer elsewhere waits", async () => {
  const lock = new ReentrantReadWriteLock()
  const elsewhere = new PretendedThread().open(lock)
  const [one, other, third] = tasks(3) as [Task, Task, Task]
  await one.do(() => lock.readLock.lock())
  const waiting = await new Task().waitIn(() => elsewhere.writeLock.lock())
  assert.equal(await other.do(() => lock.readLock.tryLock(0)), false)
  other.do(() => lock.readLock.lockSync())
  other.do(() => lock.readLock.lockInterruptiblySync())
  assert.equal(
    third.do(() => lock.readLock.tryLockSync(1000)),
    true,
  )
  assert.deepEqual([lock.readLockCount, lock.queueLength], [4, 1])
  await waiting.waits()
  for (const task of [one, other, other, third]) task.do(() => lock.readLock.unlock())
  await waiting.ends()
})

test("[RW31] so may one in which another flow comes to read while it blocks", async () => {
  await using scene = new Scene()
  const { lock } = scene
  await scene.run(MODULE, "writeUntilAwaited", lock, 3).heard("done")
  const flow = new Task()
  const reading = await flow.waitIn(() => lock.readLock.lock())
  const writer = scene.start("write")
  await eventually(() => lock.queueLength === 2)
  lock.readLock.lockSync()
  assert.deepEqual([lock.readLockCount, lock.queueLength], [2, 1])
  await reading.ends()
  flow.do(() => lock.readLock.unlock())
  lock.readLock.unlock()
  scene.gate.unlock()
  await writer.result
})

for (const act of ["readInterruptibly", "readWithin", "writeInterruptibly", "writeWithin"] as const) {
  test(`[RW32] a thread that blocks can be interrupted (${act})`, async () => {
    await using scene = new Scene()
    const { lock } = scene
    await lock.writeLock.lock()
    const other = scene.start(act)
    await eventually(() => lock.queueLength === 1)
    threadContext().registry.interrupt(waitersOf(lock)[0]?.thread ?? 0)
    await assert.rejects(other.result, { name: "InterruptedError" })
    await turns(1)
    assert.equal(lock.queueLength, 0)
    assert.equal(lock.isWriteLockedByCurrentThread, true)
  })
}
