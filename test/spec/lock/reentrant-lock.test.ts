import { ReentrantLock, Thread } from "corepool"
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { turns } from "../../support/harness.ts"
import { syncOf, Task, tasks, thread } from "./support.ts"

test("[LK1] a new lock is unlocked, and fair if asked for", () => {
  for (const [lock, fair] of [
    [new ReentrantLock(), false],
    [new ReentrantLock({}), false],
    [new ReentrantLock({ fair: false }), false],
    [new ReentrantLock({ fair: true }), true],
  ] as const) {
    assert.equal(lock.isFair, fair)
    assert.equal(lock.isLocked, false)
    assert.equal(lock.isHeldByCurrentThread, false)
    assert.equal(lock.holdCount, 0)
    assert.equal(lock.wasAbandoned, false)
    assert.equal(lock.hasQueuedThreads, false)
  }
})

test("[LK1] options that make no sense are TypeErrors", () => {
  for (const options of [null, 1, "fair", { fair: 1 }, { fair: null }]) {
    assert.throws(() => new ReentrantLock(options as unknown as { fair: boolean }), { name: "TypeError" })
  }
})

for (const fair of [false, true]) {
  describe(`a lock that is ${fair ? "" : "not "}fair`, () => {
    test("[LK2] isLocked is about all, isHeldByCurrentThread and holdCount about the current task", async () => {
      const lock = new ReentrantLock({ fair })
      const other = new Task()
      await lock.lock()
      assert.equal(lock.isLocked, true)
      assert.equal(lock.isHeldByCurrentThread, true)
      assert.equal(lock.holdCount, 1)
      assert.deepEqual(
        other.do(() => [lock.isLocked, lock.isHeldByCurrentThread, lock.holdCount]),
        [true, false, 0],
      )
      lock.unlock()
      assert.equal(lock.isLocked, false)
      assert.equal(lock.isHeldByCurrentThread, false)
      await other.do(() => lock.lock())
      assert.deepEqual([lock.isLocked, lock.isHeldByCurrentThread, lock.holdCount], [true, false, 0])
    })

    test("[LK3] the lock is free when it was unlocked as often as locked", async () => {
      const lock = new ReentrantLock({ fair })
      const forms = [
        () => lock.lock(),
        () => lock.lockInterruptibly(),
        () => lock.lockSync(),
        () => lock.lockInterruptiblySync(),
        () => lock.tryLock(),
        () => lock.tryLock(10),
        () => lock.tryLockSync(10),
        () => lock.lock(10),
      ]
      for (const [index, form] of forms.entries()) {
        await form()
        assert.equal(lock.holdCount, index + 1)
      }
      for (let left = forms.length - 1; left >= 0; left--) {
        assert.equal(lock.isLocked, true)
        lock.unlock()
        assert.equal(lock.holdCount, left)
      }
      assert.equal(lock.isLocked, false)
    })

    test("[LK4] beyond 2³¹−1 holds there is an error, and nothing has changed", () => {
      const lock = new ReentrantLock({ fair })
      syncOf(lock).acquireSync(2 ** 31 - 2)
      lock.lockSync()
      const refusal = { name: "IllegalStateError", message: "Maximum lock count exceeded" }
      assert.throws(() => lock.lockSync(), refusal)
      assert.throws(() => lock.tryLock(), refusal)
      assert.throws(() => lock.tryLockSync(1), refusal)
      assert.equal(lock.holdCount, 2 ** 31 - 1)
      lock.unlock()
      assert.equal(lock.holdCount, 2 ** 31 - 2)
      syncOf(lock).release(2 ** 31 - 2)
      assert.equal(lock.isLocked, false)
    })

    test("[LK4] as rejections where there is a promise", async () => {
      const lock = new ReentrantLock({ fair })
      syncOf(lock).acquireSync(2 ** 31 - 1)
      await assert.rejects(lock.lock(), { name: "IllegalStateError", message: "Maximum lock count exceeded" })
      await assert.rejects(lock.tryLock(10), { name: "IllegalStateError" })
      assert.equal(lock.holdCount, 2 ** 31 - 1)
    })

    test("[LK5] hasQueuedThreads and queueLength follow those who wait", async () => {
      const lock = new ReentrantLock({ fair })
      const [one, other] = tasks(2) as [Task, Task]
      const seen = (): [boolean, number] => [lock.hasQueuedThreads, lock.queueLength]
      await lock.lock()
      assert.deepEqual(seen(), [false, 0])
      const first = await one.waitIn(() => lock.lockInterruptibly())
      assert.deepEqual(seen(), [true, 1])
      const second = await other.waitIn(() => lock.lock())
      assert.deepEqual(seen(), [true, 2])
      one.interrupt()
      await first.failsWith("InterruptedError")
      assert.deepEqual(seen(), [true, 1])
      lock.unlock()
      await second.ends()
      assert.deepEqual(seen(), [false, 0])
    })

    test("[LK5] those who give up, from whatever place in the line, are counted no more", async () => {
      const lock = new ReentrantLock({ fair })
      await lock.lock()
      const waiters = tasks(7)
      const calls = waiters.map((task) => task.call(() => lock.lockInterruptibly()))
      await turns(1)
      for (const [index, left] of [
        [3, 6],
        [6, 5],
        [0, 4],
        [1, 3],
      ] as const) {
        waiters[index]?.interrupt()
        await calls[index]?.failsWith("InterruptedError")
        assert.equal(lock.queueLength, left)
      }
      assert.deepEqual(
        lock.queuedThreads.map(({ id }) => id),
        [2, 4, 5].map((index) => waiters[index]?.flow.id),
      )
    })

    test("[LK6] hasQueuedThread follows the waits of that thread", async () => {
      const lock = new ReentrantLock({ fair })
      await lock.lock()
      const threads = [0, 1].map(() =>
        thread(async () => {
          try {
            await lock.lockInterruptibly()
            lock.unlock()
          } catch {
            // interrupted, as the test wants it
          }
        }),
      )
      const [one, other] = threads as [Thread, Thread]
      const seen = (): boolean[] => threads.map((each) => lock.hasQueuedThread(each))
      assert.deepEqual(seen(), [false, false])
      one.start()
      await turns(1)
      assert.deepEqual(seen(), [true, false])
      other.start()
      await turns(1)
      assert.deepEqual(seen(), [true, true])
      one.interrupt()
      await one.join()
      assert.deepEqual(seen(), [false, true])
      assert.equal(lock.hasQueuedThread(Thread.currentThread()), false)
      lock.unlock()
      await other.join()
      assert.deepEqual(seen(), [false, false])
    })
  })
}

test("[LK6] what is no thread cannot be asked for", () => {
  const lock = new ReentrantLock()
  for (const wrong of [null, undefined, 1, {}, { id: "1" }]) {
    assert.throws(() => lock.hasQueuedThread(wrong as unknown as Thread), {
      name: "TypeError",
      message: /^Expected `thread` to be a Thread, got /,
    })
  }
})

test("[LK7] queuedThreads lists those who wait, first in line first", async () => {
  const lock = new ReentrantLock()
  assert.deepEqual(lock.queuedThreads, [])
  await lock.lock()
  const waiters = tasks(3)
  for (const waiter of waiters) await waiter.waitIn(() => lock.lock())
  assert.deepEqual(
    lock.queuedThreads,
    waiters.map(({ flow }) => ({ id: flow.id, isLocal: true })),
  )
})

test("[LK8] toString tells who holds the lock", async () => {
  const lock = new ReentrantLock()
  const name = /^ReentrantLock@\d+/.exec(lock.toString())?.[0]
  assert.equal(String(lock), `${name}[Unlocked]`)
  await lock.lock()
  assert.equal(String(lock), `${name}[Locked by thread main]`)
  lock.unlock()
  assert.equal(String(lock), `${name}[Unlocked]`)

  const painter = thread(() => lock.lock(), "painter")
  painter.start()
  await painter.join()
  assert.equal(String(lock), `${name}[Locked by thread painter]`)
  assert.notEqual(new ReentrantLock().toString().split("[")[0], name)
})

test("[LK8] of a holder without a name toString has the number", async () => {
  const lock = new ReentrantLock()
  const task = new Task()
  await task.do(() => lock.lock())
  assert.match(String(lock), new RegExp(`\\[Locked by thread #${task.flow.id}\\]$`))
})
