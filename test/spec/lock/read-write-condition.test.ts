/** Conditions of the write lock. */
import { ReentrantReadWriteLock } from "#src/lock/index.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Task, tasks } from "./support.ts"

test("[RW22] a read lock has no conditions", async () => {
  const { readLock } = new ReentrantReadWriteLock()
  const refusal = { name: "UnsupportedOperationError" }
  assert.throws(() => readLock.newCondition(), refusal)
  await readLock.lock()
  assert.throws(() => readLock.newCondition(), refusal)
})

test("[RW23] without the write lock a condition is of no use, also for a reader", async () => {
  const { readLock, writeLock } = new ReentrantReadWriteLock()
  const condition = writeLock.newCondition()
  const refusal = { name: "IllegalMonitorStateError" }
  for (const prepare of [() => undefined, () => readLock.lock()]) {
    await prepare()
    await assert.rejects(condition.await(), refusal)
    await assert.rejects(condition.await(0), refusal)
    await assert.rejects(condition.awaitUninterruptibly(), refusal)
    assert.throws(() => condition.awaitSync(0), refusal)
    assert.throws(() => condition.signal(), refusal)
    assert.throws(() => condition.signalAll(), refusal)
    assert.throws(() => condition.hasWaiters, refusal)
    assert.throws(() => condition.waitQueueLength, refusal)
  }
})

for (const fair of [false, true]) {
  const how = fair ? "fair" : "not fair"

  test(`[RW24] while a task waits others read and write, and it has its holds back (${how})`, async () => {
    const lock = new ReentrantReadWriteLock({ fair })
    const { readLock, writeLock } = lock
    const condition = writeLock.newCondition()
    const [waiter, reader, writer] = tasks(3) as [Task, Task, Task]
    for (let holds = 0; holds < 3; holds++) await waiter.do(() => writeLock.lock())
    const waiting = await waiter.waitIn(() => condition.await())
    assert.deepEqual([lock.isWriteLocked, waiter.do(() => lock.writeHoldCount)], [false, 0])
    await reader.do(() => readLock.lock())
    reader.do(() => readLock.unlock())
    await writer.do(() => writeLock.lock())
    writer.do(() => condition.signal())
    await waiting.waits()
    assert.deepEqual(
      lock.queuedThreads.map(({ id }) => id),
      [waiter.flow.id],
    )
    writer.do(() => writeLock.unlock())
    assert.equal(await waiting.ends(), true)
    assert.equal(
      waiter.do(() => lock.writeHoldCount),
      3,
    )
  })

  test(`[RW24] a task that waits gives up its read holds too, and has them back (${how})`, async () => {
    const lock = new ReentrantReadWriteLock({ fair })
    const { readLock, writeLock } = lock
    const condition = writeLock.newCondition()
    const [waiter, writer] = tasks(2) as [Task, Task]
    await waiter.do(() => writeLock.lock())
    await waiter.do(() => readLock.lock())
    await waiter.do(() => readLock.lock())
    const waiting = await waiter.waitIn(() => condition.await())
    assert.equal(lock.readLockCount, 0)
    assert.equal(
      waiter.do(() => lock.readHoldCount),
      0,
    )
    await writer.do(() => writeLock.lock())
    writer.do(() => condition.signal())
    writer.do(() => writeLock.unlock())
    await waiting.ends()
    assert.deepEqual(
      waiter.do(() => [lock.writeHoldCount, lock.readHoldCount, lock.readLockCount]),
      [1, 2, 2],
    )
    waiter.do(() => writeLock.unlock())
    assert.equal(
      writer.do(() => writeLock.tryLock()),
      false,
    )
    waiter.do(() => readLock.unlock())
    waiter.do(() => readLock.unlock())
    assert.equal(
      writer.do(() => writeLock.tryLock()),
      true,
    )
  })

  test(`[RW24] who is interrupted, or whose time is up, has its holds back as well (${how})`, async () => {
    const lock = new ReentrantReadWriteLock({ fair })
    const { readLock, writeLock } = lock
    const condition = writeLock.newCondition()
    const [waiter, reader] = tasks(2) as [Task, Task]
    const held = (): number[] => waiter.do(() => [lock.writeHoldCount, lock.readHoldCount])
    await waiter.do(() => writeLock.lock())
    await waiter.do(() => readLock.lock())
    assert.equal(await waiter.do(() => condition.await(3)), false)
    assert.deepEqual(held(), [1, 1])
    const waiting = await waiter.waitIn(() => condition.await())
    await reader.do(() => readLock.lock())
    waiter.interrupt()
    await waiting.waits()
    reader.do(() => readLock.unlock())
    await waiting.failsWith("InterruptedError")
    assert.deepEqual(held(), [1, 1])
  })

  test(`[RW24] signals go to who has waited longest (${how})`, async () => {
    const { writeLock } = new ReentrantReadWriteLock({ fair })
    const condition = writeLock.newCondition()
    const order: number[] = []
    const waiters = tasks(4)
    for (const [index, waiter] of waiters.entries()) {
      await waiter.do(() => writeLock.lock())
      void waiter.call(async () => {
        await condition.await()
        order.push(index)
        writeLock.unlock()
      })
    }
    const signaller = new Task()
    const signal = async (all: boolean): Promise<void> => {
      await signaller.do(() => writeLock.lock())
      signaller.do(() => (all ? condition.signalAll() : condition.signal()))
      signaller.do(() => writeLock.unlock())
      await signaller.do(() => writeLock.lock())
      signaller.do(() => writeLock.unlock())
    }
    await signal(false)
    assert.deepEqual(order, [0])
    await signal(true)
    assert.deepEqual(order, [0, 1, 2, 3])
  })
}

test("[RW25] it tells who waits on its own conditions", async () => {
  const lock = new ReentrantReadWriteLock()
  const { writeLock } = lock
  const condition = writeLock.newCondition()
  const waiter = new Task()
  await waiter.do(() => writeLock.lock())
  const waiting = await waiter.waitIn(() => condition.await())
  await writeLock.lock()
  assert.deepEqual([lock.hasWaiters(condition), lock.waitQueueLength(condition)], [true, 1])
  assert.deepEqual(lock.waitingThreads(condition), [{ id: waiter.flow.id, isLocal: true }])
  condition.signal()
  assert.deepEqual([lock.hasWaiters(condition), lock.waitQueueLength(condition)], [false, 0])
  writeLock.unlock()
  await waiting.ends()
})

test("[RW25] conditions of other locks are refused", async () => {
  const lock = new ReentrantReadWriteLock()
  lock.writeLock.newCondition()
  const foreign = new ReentrantReadWriteLock().writeLock.newCondition()
  await lock.writeLock.lock()
  assert.throws(() => lock.hasWaiters(foreign), { name: "RangeError" })
  assert.throws(() => lock.waitQueueLength(foreign), { name: "RangeError" })
  assert.throws(() => lock.waitingThreads(foreign), { name: "RangeError" })
  assert.throws(() => lock.writeLock.conditionFrom(foreign), { name: "RangeError" })
  assert.throws(() => lock.hasWaiters(undefined as unknown as typeof foreign), { name: "TypeError" })
})
