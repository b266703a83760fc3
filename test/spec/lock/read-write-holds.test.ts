/** Whose holds are whose, and how many. */
import { ReentrantReadWriteLock } from "#src/lock/index.js"
import { currentFlow } from "#src/memory/flow/flow.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Call, Task, tasks } from "./support.ts"
import { insideOf } from "./read-write-support.ts"

const MAX_VALUE = 2 ** 31 - 1

for (const fair of [false, true]) {
  const how = fair ? "fair" : "not fair"
  const create = (): ReentrantReadWriteLock => new ReentrantReadWriteLock({ fair })

  test(`[RW9] flows of one thread read together and write alone, each with its own holds (${how})`, async () => {
    const lock = create()
    const { readLock, writeLock } = lock
    const [one, other] = tasks(2) as [Task, Task]
    await one.do(() => readLock.lock())
    await other.do(() => readLock.lock())
    await other.do(() => readLock.lock())
    assert.deepEqual([one.do(() => lock.readHoldCount), other.do(() => lock.readHoldCount)], [1, 2])
    one.do(() => readLock.unlock())
    assert.equal(
      one.do(() => writeLock.tryLock()),
      false,
    )
    other.do(() => readLock.unlock())
    other.do(() => readLock.unlock())
    assert.equal(
      one.do(() => writeLock.tryLock()),
      true,
    )
    for (const wanted of [readLock, writeLock]) {
      assert.equal(
        other.do(() => wanted.tryLock()),
        false,
      )
    }
    assert.equal(
      other.do(() => lock.isWriteLockedByCurrentThread),
      false,
    )
  })

  test(`[RW10] what a task does not hold it cannot unlock (${how})`, async () => {
    const lock = create()
    const { readLock, writeLock } = lock
    const other = new Task()
    const refusal = { name: "IllegalMonitorStateError" }
    assert.throws(() => readLock.unlock(), refusal)
    assert.throws(() => writeLock.unlock(), refusal)
    await readLock.lock()
    assert.throws(() => writeLock.unlock(), refusal)
    assert.throws(() => other.do(() => readLock.unlock()), refusal)
    assert.throws(() => other.do(() => writeLock.unlock()), refusal)
    assert.equal(lock.readLockCount, 1)
    readLock.unlock()
    await writeLock.lock()
    assert.throws(() => readLock.unlock(), refusal)
    assert.throws(() => other.do(() => readLock.unlock()), refusal)
    assert.throws(() => other.do(() => writeLock.unlock()), refusal)
    assert.equal(lock.writeHoldCount, 1)
    writeLock.unlock()
    assert.throws(() => writeLock.unlock(), refusal)
  })

  test(`[RW11] more holds than can be counted are refused, and nothing changes (${how})`, async () => {
    for (const which of ["readLock", "writeLock"] as const) {
      const lock = create()
      const take = (holds: number): boolean =>
        which === "readLock"
          ? insideOf(lock).read(currentFlow(), holds, false)
          : insideOf(lock).write(currentFlow(), holds)
      assert.equal(take(MAX_VALUE - 1), true)
      assert.equal(lock[which].tryLock(), true)
      const refusal = { name: "IllegalStateError", message: "Maximum lock count exceeded" }
      assert.throws(() => lock[which].tryLock(), refusal)
      assert.throws(() => lock[which].lockSync(), refusal)
      await assert.rejects(lock[which].lock(), refusal)
      await assert.rejects(lock[which].tryLock(1), refusal)
      if (which === "readLock") assert.throws(() => new Task().do(() => lock.readLock.tryLock()), refusal)
      assert.deepEqual([lock.readHoldCount + lock.writeHoldCount, lock.queueLength], [MAX_VALUE, 0])
      lock[which].unlock()
      lock[which].lockSync()
    }
  })

  test(`[RW11] more than 65,535 tasks read at once (${how})`, async () => {
    const lock = create()
    const count = 66_000
    const readers = tasks(count)
    for (const reader of readers) reader.do(() => lock.readLock.lockSync())
    assert.equal(lock.readLockCount, count)
    const writing = new Call(lock.writeLock.lock())
    await writing.waits()
    for (const reader of readers) reader.do(() => lock.readLock.unlock())
    await writing.ends()
  })
}
