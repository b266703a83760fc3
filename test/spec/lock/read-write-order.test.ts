/** Who goes first. */
import { ReentrantReadWriteLock } from "#src/lock/index.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { insideOf } from "./read-write-support.ts"
import { Task, tasks } from "./support.ts"

for (const fair of [false, true]) {
  const how = fair ? "fair" : "not fair"
  const create = (): ReentrantReadWriteLock => new ReentrantReadWriteLock({ fair })

  test(`[RW12][RW13] a new reader waits behind a writer that waits (${how})`, async () => {
    const lock = create()
    const { readLock, writeLock } = lock
    const [first, writer, later] = tasks(3) as [Task, Task, Task]
    await first.do(() => readLock.lock())
    const writing = await writer.waitIn(() => writeLock.lock())
    const reading = await later.waitIn(() => readLock.lock())
    assert.equal(await new Task().do(() => readLock.tryLock(0)), false)
    assert.equal(
      new Task().do(() => readLock.tryLockSync(0)),
      false,
    )
    first.do(() => readLock.unlock())
    await writing.ends()
    await reading.waits()
    writer.do(() => writeLock.unlock())
    await reading.ends()
  })

  test(`[RW14] tryLock to read overtakes writers and readers that wait (${how})`, async () => {
    const lock = create()
    const { readLock, writeLock } = lock
    const [first, barger] = tasks(2) as [Task, Task]
    await first.do(() => readLock.lock())
    const writing = await new Task().waitIn(() => writeLock.lock())
    const reading = await new Task().waitIn(() => readLock.lock())
    assert.equal(
      barger.do(() => readLock.tryLock()),
      true,
    )
    assert.deepEqual([lock.readLockCount, lock.queueLength], [2, 2])
    first.do(() => readLock.unlock())
    await writing.waits()
    barger.do(() => readLock.unlock())
    await writing.ends()
    await reading.waits()
  })

  test(`[RW12][RW14] a lock that became free goes to who stands first, or to who comes by tryLock (${how})`, async () => {
    const lock = create()
    const { readLock, writeLock } = lock
    const [holder, waiter, newcomer] = tasks(3) as [Task, Task, Task]
    await holder.do(() => writeLock.lock())
    const waiting = await waiter.waitIn(() => readLock.lock())
    // Unlocked, but the first in line has not heard of it yet: as if it was in another thread.
    holder.do(() => insideOf(lock).endWrite(holder.flow, 1))
    assert.equal(await newcomer.do(() => writeLock.tryLock(0)), !fair)
    if (!fair) newcomer.do(() => insideOf(lock).endWrite(newcomer.flow, 1))
    assert.equal(await newcomer.do(() => readLock.tryLock(0)), !fair)
    if (!fair) newcomer.do(() => insideOf(lock).endRead(newcomer.flow))
    assert.equal(
      newcomer.do(() => readLock.tryLock()),
      true,
    )
    newcomer.do(() => insideOf(lock).endRead(newcomer.flow))
    assert.equal(
      newcomer.do(() => writeLock.tryLock()),
      true,
    )
    await waiting.waits()
    newcomer.do(() => writeLock.unlock())
    await waiting.ends()
  })

  test(`[RW15] a reader reads again although a writer waits (${how})`, async () => {
    const lock = create()
    const { readLock, writeLock } = lock
    await readLock.lock()
    const writing = await new Task().waitIn(() => writeLock.lock())
    await readLock.lock()
    await readLock.lockInterruptibly()
    assert.equal(await readLock.tryLock(0), true)
    readLock.lockSync()
    assert.equal(lock.readHoldCount, 5)
    for (let left = 5; left > 0; left--) {
      await writing.waits()
      readLock.unlock()
    }
    await writing.ends()
  })

  test(`[RW16] when the first writer gives up, the readers behind it get in (${how})`, async () => {
    const lock = create()
    const { readLock, writeLock } = lock
    await readLock.lock()
    const writer = new Task()
    const controller = new AbortController()
    for (const giveUp of [
      { form: () => writeLock.lockInterruptibly(), act: () => writer.interrupt(), error: "InterruptedError" },
      {
        form: () => writeLock.lock({ signal: controller.signal }),
        act: () => controller.abort(),
        error: "AbortError",
      },
    ]) {
      const writing = await writer.waitIn(giveUp.form)
      const readers = tasks(2)
      const reading = await Promise.all(readers.map((reader) => reader.waitIn(() => readLock.lock())))
      giveUp.act()
      await writing.failsWith(giveUp.error)
      for (const call of reading) await call.ends()
      assert.deepEqual([lock.readLockCount, lock.queueLength], [3, 0])
      for (const reader of readers) reader.do(() => readLock.unlock())
    }
  })

  test(`[RW16] when the time of the first writer is up, the readers behind it get in (${how})`, async () => {
    const { readLock, writeLock } = create()
    await readLock.lock()
    const writing = new Task().do(() => writeLock.tryLock(5))
    const reading = new Task().do(() => readLock.lock())
    assert.equal(await writing, false)
    await reading
  })

  test(`[RW16] when a writer in the middle gives up, the others keep their places (${how})`, async () => {
    const { readLock, writeLock } = create()
    const [first, second] = tasks(2) as [Task, Task]
    await readLock.lock()
    const writing = await first.waitIn(() => writeLock.lock())
    const given = await second.waitIn(() => writeLock.lockInterruptibly())
    const reading = await new Task().waitIn(() => readLock.lock())
    second.interrupt()
    await given.failsWith("InterruptedError")
    await reading.waits()
    readLock.unlock()
    await writing.ends()
    await reading.waits()
    first.do(() => writeLock.unlock())
    await reading.ends()
  })
}
