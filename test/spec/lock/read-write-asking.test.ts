/** What a read-write lock tells of itself. */
import { Thread } from "corepool"
import { ReentrantReadWriteLock } from "#src/lock/index.js"
import { EXCLUSIVE, SHARED } from "#src/memory/wait/wait-queue.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { waitersOf } from "./read-write-support.ts"
import { Task, tasks } from "./support.ts"

test("[RW17] holds are counted for all and for each", async () => {
  const lock = new ReentrantReadWriteLock()
  const { readLock, writeLock } = lock
  const [one, other] = tasks(2) as [Task, Task]
  const counts = (): number[] => [
    lock.readLockCount,
    one.do(() => lock.readHoldCount),
    other.do(() => lock.readHoldCount),
  ]
  assert.deepEqual(counts(), [0, 0, 0])
  await one.do(() => readLock.lock())
  await one.do(() => readLock.lock())
  assert.deepEqual(counts(), [2, 2, 0])
  await other.do(() => readLock.lock())
  assert.deepEqual(counts(), [3, 2, 1])
  one.do(() => readLock.unlock())
  one.do(() => readLock.unlock())
  assert.deepEqual(counts(), [1, 0, 1])
  await one.do(() => readLock.lock())
  other.do(() => readLock.unlock())
  assert.deepEqual(counts(), [1, 1, 0])
  one.do(() => readLock.unlock())
  assert.deepEqual(counts(), [0, 0, 0])
  await other.do(() => writeLock.lock())
  await other.do(() => readLock.lock())
  assert.deepEqual(counts(), [1, 0, 1])
  other.do(() => readLock.unlock())
  assert.deepEqual(counts(), [0, 0, 0])
})

test("[RW18] it tells who writes, and how often", async () => {
  const lock = new ReentrantReadWriteLock()
  const { writeLock } = lock
  const [writer, other] = tasks(2) as [Task, Task]
  const seenBy = (task: Task): unknown[] =>
    task.do(() => [
      lock.isWriteLocked,
      lock.isWriteLockedByCurrentThread,
      writeLock.isHeldByCurrentThread,
      lock.writeHoldCount,
      writeLock.holdCount,
    ])
  assert.deepEqual(seenBy(writer), [false, false, false, 0, 0])
  await writer.do(() => writeLock.lock())
  await writer.do(() => writeLock.lock())
  assert.deepEqual(seenBy(writer), [true, true, true, 2, 2])
  assert.deepEqual(seenBy(other), [true, false, false, 0, 0])
  writer.do(() => writeLock.unlock())
  assert.deepEqual(seenBy(writer), [true, true, true, 1, 1])
  writer.do(() => writeLock.unlock())
  assert.deepEqual(seenBy(writer), [false, false, false, 0, 0])
  await other.do(() => lock.readLock.lock())
  assert.deepEqual(seenBy(other), [false, false, false, 0, 0])
})

test("[RW18] nobody was there before, so nothing was abandoned", async () => {
  const { readLock, writeLock } = new ReentrantReadWriteLock()
  await writeLock.lock()
  await readLock.lock()
  assert.deepEqual([readLock.wasAbandoned, writeLock.wasAbandoned], [false, false])
  writeLock.unlock()
  assert.deepEqual([readLock.wasAbandoned, writeLock.wasAbandoned], [false, false])
})

test("[RW41] it tells who waits to read, and who to write", async () => {
  const lock = new ReentrantReadWriteLock()
  const { readLock, writeLock } = lock
  const [first, second, writer] = tasks(3) as [Task, Task, Task]
  const line = (): number[][] =>
    [lock.queuedReaderThreads, lock.queuedWriterThreads].map((all) => all.map(({ id }) => id))
  await writeLock.lock()
  assert.deepEqual(line(), [[], []])
  const waits = [
    await first.waitIn(() => readLock.lock()),
    await writer.waitIn(() => writeLock.lock()),
    await second.waitIn(() => readLock.lock()),
  ]
  assert.deepEqual(line(), [[first.flow.id, second.flow.id], [writer.flow.id]])
  writeLock.unlock()
  await waits[0]?.ends()
  first.do(() => readLock.unlock())
  await waits[1]?.ends()
  assert.deepEqual(line(), [[second.flow.id], []])
  writer.do(() => writeLock.unlock())
  await waits[2]?.ends()
})

test("[RW19] it tells who waits for either lock", async () => {
  const lock = new ReentrantReadWriteLock()
  const { readLock, writeLock } = lock
  const [writer, reader] = tasks(2) as [Task, Task]
  const asThread = ({ flow: { id } }: Task): { id: number } => ({ id })
  const line = (): number[] => {
    const ids = lock.queuedThreads.map(({ id }) => id)
    assert.equal(lock.queueLength, ids.length)
    assert.equal(lock.hasQueuedThreads, ids.length > 0)
    assert.ok(lock.queuedThreads.every(({ isLocal }) => isLocal))
    for (const task of [writer, reader]) {
      assert.equal(lock.hasQueuedThread(asThread(task)), ids.includes(task.flow.id))
    }
    return ids
  }
  assert.deepEqual(line(), [])
  await writeLock.lock()
  assert.deepEqual(line(), [])
  const writing = await writer.waitIn(() => writeLock.lockInterruptibly())
  assert.deepEqual(line(), [writer.flow.id])
  const reading = await reader.waitIn(() => readLock.lock())
  assert.deepEqual(line(), [writer.flow.id, reader.flow.id])
  assert.deepEqual(
    waitersOf(lock).map(({ mode }) => mode),
    [EXCLUSIVE, SHARED],
  )
  writer.interrupt()
  await writing.failsWith("InterruptedError")
  assert.deepEqual(line(), [reader.flow.id])
  writeLock.unlock()
  await reading.ends()
  assert.deepEqual(line(), [])
  assert.throws(() => lock.hasQueuedThread(undefined as unknown as Thread), { name: "TypeError" })
  assert.equal(lock.hasQueuedThread(Thread.currentThread()), false)
})

test("[RW20] they can be printed", async () => {
  const lock = new ReentrantReadWriteLock()
  const { readLock, writeLock } = lock
  const shown = (): string[] => [lock, readLock, writeLock].map(String)
  const expect = (writes: number, reads: number, locked: string): void => {
    const [whole, read, write] = shown() as [string, string, string]
    assert.match(whole, new RegExp(`^ReentrantReadWriteLock@\\d+\\[Write locks = ${writes}, Read locks = ${reads}]$`))
    assert.match(read, new RegExp(`^ReadLock@\\d+\\[Read locks = ${reads}]$`))
    assert.match(write, new RegExp(`^WriteLock@\\d+\\[${locked}]$`))
  }
  expect(0, 0, "Unlocked")
  await writeLock.lock()
  await writeLock.lock()
  expect(2, 0, "Locked by thread main")
  await readLock.lock()
  expect(2, 1, "Locked by thread main")
  writeLock.unlock()
  writeLock.unlock()
  await new Task().do(() => readLock.lock())
  expect(0, 2, "Unlocked")
})

test("[RW20] what the lock was made known by to others does not matter for what it prints", async () => {
  const lock = new ReentrantReadWriteLock()
  const twin = ReentrantReadWriteLock.from(lock.handle)
  const [one, other] = tasks(2) as [Task, Task]
  await one.do(() => lock.writeLock.lock())
  assert.match(String(twin.writeLock), /\[Locked by this thread]$/)
  one.do(() => twin.writeLock.unlock())
  await other.do(() => twin.writeLock.lock())
  assert.match(String(lock.writeLock), /\[Locked by this thread]$/)
  assert.match(String(twin.writeLock), new RegExp(`\\[Locked by thread #${other.flow.id}]$`))
})

test("[RW21] it is as fair as it was made", () => {
  assert.equal(new ReentrantReadWriteLock().isFair, false)
  assert.equal(new ReentrantReadWriteLock({}).isFair, false)
  for (const fair of [false, true]) {
    const lock = new ReentrantReadWriteLock({ fair })
    assert.equal(lock.isFair, fair)
    assert.equal(ReentrantReadWriteLock.from(lock.handle).isFair, fair)
  }
})

test("[RW21] wrong options are refused", () => {
  for (const options of [null, 1, "fair", { fair: 1 }, { fair: "yes" }, { fair: null }]) {
    assert.throws(() => new ReentrantReadWriteLock(options as unknown as { fair: boolean }), { name: "TypeError" })
  }
})
