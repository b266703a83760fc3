/** Who can read and write at the same time, and who cannot. */
import { ReentrantReadWriteLock } from "#src/lock/index.js"
import { currentFlow } from "#src/memory/flow/flow.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Task, tasks, timeLimit } from "./support.ts"

for (const fair of [false, true]) {
  const how = fair ? "fair" : "not fair"
  const create = (): ReentrantReadWriteLock => new ReentrantReadWriteLock({ fair })

  test(`[RW1] many read at once, however they locked, and nobody writes (${how})`, async () => {
    const lock = create()
    const { readLock, writeLock } = lock
    const forms = [
      () => readLock.lock(),
      () => readLock.lock(1000),
      () => readLock.lockInterruptibly(),
      () => readLock.tryLock(0),
      () => readLock.tryLock({}),
      () => readLock.lockSync(),
      () => readLock.lockInterruptiblySync(),
      () => readLock.tryLock(),
      () => readLock.tryLockSync(0),
    ]
    const readers = tasks(forms.length)
    for (const [index, form] of forms.entries()) {
      assert.notEqual(await readers[index]?.do<unknown>(form), false)
      assert.equal(lock.readLockCount, index + 1)
    }
    assert.equal(writeLock.tryLock(), false)
    for (const [index, reader] of readers.entries()) {
      assert.equal(writeLock.tryLock(), false)
      reader.do(() => readLock.unlock())
      assert.equal(lock.readLockCount, forms.length - 1 - index)
    }
    assert.equal(writeLock.tryLock(), true)
  })

  test(`[RW2] one writes, and nobody else reads or writes (${how})`, async () => {
    const { readLock, writeLock } = create()
    await writeLock.lock()
    const other = new Task()
    for (const lock of [readLock, writeLock]) {
      assert.equal(
        other.do(() => lock.tryLock()),
        false,
      )
      assert.equal(await other.do(() => lock.tryLock(0)), false)
      assert.equal(await other.do(() => lock.tryLock(3)), false)
    }
    writeLock.unlock()
    for (const lock of [readLock, writeLock]) {
      assert.equal(
        other.do(() => lock.tryLock()),
        true,
      )
      other.do(() => lock.unlock())
    }
  })

  test(`[RW3] a writer waits for the last reader (${how})`, async () => {
    const { readLock, writeLock } = create()
    const readers = tasks(3)
    for (const reader of readers) await reader.do(() => readLock.lock())
    const writer = new Task()
    const writing = await writer.waitIn(() => writeLock.lock())
    for (const reader of readers) {
      await writing.waits()
      reader.do(() => readLock.unlock())
    }
    await writing.ends()
    const next = await new Task().waitIn(() => writeLock.lock())
    writer.do(() => writeLock.unlock())
    await next.ends()
  })

  test(`[RW4] readers at the head of the line get in together, and those behind a writer do not (${how})`, async () => {
    const lock = create()
    const { readLock, writeLock } = lock
    await writeLock.lock()
    const before = await Promise.all(tasks(3).map((task) => task.waitIn(() => readLock.lock())))
    const writing = await new Task().waitIn(() => writeLock.lock())
    const behind = await new Task().waitIn(() => readLock.lock())
    writeLock.unlock()
    for (const call of before) await call.ends()
    await writing.waits()
    await behind.waits()
    assert.equal(lock.readLockCount, 3)
  })

  test(`[RW5] both can be locked again, and must be unlocked as often (${how})`, async () => {
    const lock = create()
    const other = new Task()
    for (const { mine, theirs } of [
      { mine: lock.writeLock, theirs: lock.readLock },
      { mine: lock.readLock, theirs: lock.writeLock },
    ]) {
      await mine.lock()
      mine.lockSync()
      assert.equal(mine.tryLock(), true)
      for (let holds = 3; holds > 0; holds--) {
        assert.equal(
          other.do(() => theirs.tryLock()),
          false,
        )
        mine.unlock()
      }
      assert.equal(
        other.do(() => theirs.tryLock()),
        true,
      )
      other.do(() => theirs.unlock())
    }
  })

  test(`[RW6] a writer reads in every form, whoever waits (${how})`, async () => {
    const lock = create()
    const { readLock, writeLock } = lock
    await writeLock.lock()
    const reading = await new Task().waitIn(() => readLock.lock())
    const writing = await new Task().waitIn(() => writeLock.lock())
    await readLock.lock()
    await readLock.lockInterruptibly()
    readLock.lockSync()
    readLock.lockInterruptiblySync()
    assert.equal(readLock.tryLock(), true)
    assert.equal(await readLock.tryLock(0), true)
    assert.equal(readLock.tryLockSync(0), true)
    assert.equal(lock.readHoldCount, 7)
    for (let left = 7; left > 0; left--) readLock.unlock()
    await reading.waits()
    writeLock.unlock()
    await reading.ends()
    await writing.waits()
  })

  test(`[RW6] a writer that stops writing can go on reading, with others (${how})`, async () => {
    const lock = create()
    const { readLock, writeLock } = lock
    await writeLock.lock()
    await writeLock.lock()
    await readLock.lock()
    const reader = new Task()
    const reading = await reader.waitIn(() => readLock.lock())
    const writing = await new Task().waitIn(() => writeLock.lock())
    writeLock.unlock()
    await reading.waits()
    writeLock.unlock()
    await reading.ends()
    await writing.waits()
    assert.deepEqual([lock.readLockCount, lock.readHoldCount, lock.isWriteLocked], [2, 1, false])
    readLock.unlock()
    await writing.waits()
    reader.do(() => readLock.unlock())
    await writing.ends()
  })

  test(`[RW6] a writer may stop reading before it stops writing (${how})`, async () => {
    const { readLock, writeLock } = create()
    await writeLock.lock()
    await readLock.lock()
    const writing = await new Task().waitIn(() => writeLock.lock())
    readLock.unlock()
    await writing.waits()
    writeLock.unlock()
    await writing.ends()
  })

  test(`[RW7] the only reader cannot come to write (${how})`, async () => {
    const lock = create()
    const { readLock, writeLock } = lock
    const reader = new Task()
    await reader.do(() => readLock.lock())
    assert.equal(
      reader.do(() => writeLock.tryLock()),
      false,
    )
    for (const ms of [0, 3]) {
      const limit = timeLimit(ms)
      assert.equal(await reader.do(() => writeLock.tryLock(ms)), false)
      assert.equal(limit.isOver, true)
    }
    const waiting = await reader.waitIn(() => writeLock.lockInterruptibly())
    assert.equal(lock.queueLength, 1)
    reader.interrupt()
    await waiting.failsWith("InterruptedError")
    const controller = new AbortController()
    const aborted = await reader.waitIn(() => writeLock.lock({ signal: controller.signal }))
    controller.abort()
    await aborted.failsWith("AbortError")
    assert.equal(lock.queueLength, 0)
    assert.equal(
      reader.do(() => lock.readHoldCount),
      1,
    )
    reader.do(() => readLock.unlock())
    await reader.do(() => writeLock.lock())
  })

  test(`[RW7] a task that waits to write and stops reading meanwhile comes to write (${how})`, async () => {
    const { readLock, writeLock } = create()
    const reader = new Task()
    await reader.do(() => readLock.lock())
    const writing = await reader.waitIn(() => writeLock.lock())
    reader.do(() => readLock.unlock())
    await writing.ends()
  })

  test(`[RW8] a reader that would block for ever to write is told so (${how})`, () => {
    const lock = create()
    const { readLock, writeLock } = lock
    readLock.lockSync()
    assert.throws(() => writeLock.lockSync(), {
      name: "IllegalStateError",
      message: /would block for ever: the current task holds the read lock/,
    })
    assert.equal(writeLock.tryLockSync(3), false)
    currentFlow().interrupt()
    assert.throws(() => writeLock.lockInterruptiblySync(), { name: "InterruptedError" })
    assert.deepEqual([lock.readHoldCount, lock.queueLength], [1, 0])
    readLock.unlock()
  })
}
