import { ReentrantLock, type Shared, Thread } from "corepool"
import { sharedWords, store } from "#src/memory/atomics.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { Workers } from "../../support/workers.ts"
import { Task, timeLimit } from "./support.ts"

const JOBS = new URL("lock.workers.js", import.meta.url)

/** A larger number shows rarer things. */
const STRESS = Number(process.env["STRESS"] ?? 1)

test("[LK9][LK10] a free lock that others wait for goes to tryLock at once, and to others if it is not fair", async () => {
  for (const fair of [false, true]) {
    await using workers = new Workers()
    const lock = new ReentrantLock({ fair })
    const word = sharedWords(1)
    await lock.lock()
    const slow = workers.run(JOBS, "stony", lock, word)
    await slow.heard("waiting")
    await eventually(() => lock.queueLength === 1)
    lock.unlock() // it is free now, and the one who waits does not know yet

    assert.equal(lock.tryLock(), true)
    lock.unlock()
    assert.equal(await lock.tryLock(0), !fair)
    if (!fair) lock.unlock()
    assert.equal(lock.tryLockSync(0), !fair)
    if (!fair) lock.unlock()
    const task = new Task()
    const call = task.call(() => lock.lock())
    if (fair) await call.waits()
    else {
      await call.ends()
      task.do(() => lock.unlock())
    }

    store(word, 0, 1)
    await slow.result
    await eventually(() => !call.isPending)
    await call.ends()
  }
})

test("[LK11] a lock that was posted is the same lock", async () => {
  await using workers = new Workers()
  for (const fair of [false, true]) {
    const lock = new ReentrantLock({ fair })
    await lock.lock()
    const seen = (await workers.run(JOBS, "look", { lock }).result) as { isFair: boolean; isLocked: boolean }
    assert.equal(seen.isFair, fair)
    assert.equal(seen.isLocked, true)
    lock.unlock()
    const other = (await workers.run(JOBS, "look", { lock: lock.handle }).result) as typeof seen
    assert.equal(other.isFair, fair)
    assert.equal(other.isLocked, false)
  }
})

test("[LK11] what is no handle of a lock is refused", () => {
  const condition = new ReentrantLock().newCondition()
  for (const wrong of [null, undefined, 1, {}, { handle: 1 }, condition, condition.handle]) {
    assert.throws(() => ReentrantLock.from(wrong as Shared), {
      name: "TypeError",
      message: /^Expected `handle` to be the handle of a ReentrantLock, got /,
    })
  }
})

test("[LK8][LK12] a lock that another thread holds is not the current task's", async () => {
  await using workers = new Workers()
  const [lock, gate] = [new ReentrantLock(), new ReentrantLock()]
  await gate.lock()
  const holder = workers.run(JOBS, "hold", lock, gate)
  await holder.heard("locked")
  assert.equal(lock.isLocked, true)
  assert.equal(lock.isHeldByCurrentThread, false)
  assert.equal(lock.holdCount, 0)
  assert.equal(lock.tryLock(), false)
  assert.throws(() => lock.unlock(), { name: "IllegalMonitorStateError" })
  assert.match(String(lock), /\[Locked by another thread\]$/)
  gate.unlock()
  await holder.result
  assert.match(String(lock), /\[Unlocked\]$/)

  await lock.lock()
  assert.deepEqual(await workers.run(JOBS, "look", { lock }).result, {
    isFair: false,
    isLocked: true,
    isHeldByCurrentThread: false,
    holdCount: 0,
    tryLock: false,
    text: "[Locked by another thread]",
    unlocked: "IllegalMonitorStateError",
  })
  assert.equal(lock.holdCount, 1)
})

test("[LK13] who waits has the lock as soon as another thread unlocks it", async () => {
  await using workers = new Workers()
  const [lock, gate] = [new ReentrantLock(), new ReentrantLock()]
  for (const form of ["lock", "lockInterruptibly"] as const) {
    await gate.lock()
    const holder = workers.run(JOBS, "hold", lock, gate, 3)
    await holder.heard("locked")
    const task = new Task()
    const call = await task.waitIn(() => lock[form]())
    gate.unlock()
    await eventually(() => !call.isPending)
    assert.equal(
      task.do(() => lock.holdCount),
      1,
    )
    task.do(() => lock.unlock())
    await holder.result
  }
  for (const form of ["lockSync", "lockInterruptiblySync"] as const) {
    const holder = workers.run(JOBS, "holdUntilQueued", lock, 1)
    await holder.heard("locked")
    lock[form]()
    assert.equal(lock.isHeldByCurrentThread, true)
    assert.equal(lock.wasAbandoned, false)
    lock.unlock()
    await holder.result
  }
})

test("[LK6][LK13] a worker that waits, in whatever form, has the lock as soon as it is unlocked here", async () => {
  await using workers = new Workers()
  for (const form of ["lock", "lockInterruptibly", "lockSync", "lockInterruptiblySync"]) {
    const lock = new ReentrantLock()
    await lock.lock()
    const waiter = workers.run(JOBS, "lockOnce", lock, form)
    await waiter.heard("locking")
    await eventually(() => lock.queueLength === 1)
    assert.deepEqual(
      lock.queuedThreads.map(({ isLocal }) => isLocal),
      [false],
    )
    assert.equal(waiter.words.includes("locked"), false)
    assert.equal(lock.hasQueuedThread(Thread.currentThread()), false, "its number there is that of another thread")
    lock.unlock()
    assert.deepEqual(await waiter.result, { wasAbandoned: false, holdCount: 1 })
    assert.equal(lock.isLocked, false)
  }
})

for (const fair of [false, true]) {
  test("[LK14] no two tasks of several threads are inside at the same time", async () => {
    await using workers = new Workers()
    const lock = new ReentrantLock({ fair })
    const words = sharedWords(2)
    const rounds = (fair ? 500 : 3000) * STRESS
    const hands = ["lockSync", "lock", "lockInterruptiblySync"].map((form) =>
      workers.run(JOBS, "increment", lock, words, rounds, form),
    )
    await Promise.all(hands.map(({ result }) => result))
    assert.equal(words[0], 3 * rounds)
    assert.equal(lock.isLocked, false)
    assert.equal(lock.queueLength, 0)
  })
}

test("[LK15] several objects over one lock are one lock", async () => {
  const lock = new ReentrantLock()
  const same = ReentrantLock.from(structuredClone({ lock }).lock)
  await lock.lock()
  assert.equal(same.isHeldByCurrentThread, true)
  assert.equal(same.tryLock(), true)
  assert.equal(lock.holdCount, 2)
  assert.match(String(same), /\[Locked by this thread\]$/)
  const waiting = await new Task().waitIn(() => same.lock())
  lock.unlock()
  same.unlock()
  await waiting.ends()
})

test("[LK16] a task gets the lock while its thread is blocked for something else", async () => {
  await using workers = new Workers()
  const [outer, inner] = [new ReentrantLock(), new ReentrantLock()]
  const other = workers.run(JOBS, "passOn", outer, inner)
  await other.heard("locked")
  const task = new Task()
  const call = await task.waitIn(() => inner.lock())
  outer.lockSync() // the other unlocks only when the task has got the inner one
  assert.equal(
    task.do(() => inner.isHeldByCurrentThread),
    true,
  )
  await call.ends()
  await other.result
})

for (const behind of [false, true]) {
  test("[LK16] a thread does not block on for a lock that a task of its own gets meanwhile", async () => {
    await using workers = new Workers()
    const lock = new ReentrantLock()
    const holder = workers.run(JOBS, "holdUntilQueued", lock, behind ? 3 : 2)
    await holder.heard("locked")
    const task = new Task()
    const call = await task.waitIn(() => lock.lock())
    const third = behind ? workers.run(JOBS, "lockOnce", lock, "lockSync") : undefined
    if (behind) await eventually(() => lock.queueLength === 2)
    assert.throws(() => lock.lockSync(), { name: "IllegalStateError", message: /would block for ever/ })
    await call.ends()
    assert.equal(
      task.do(() => lock.isHeldByCurrentThread),
      true,
    )
    task.do(() => lock.unlock())
    await third?.result
    assert.equal(lock.queueLength, 0)
  })
}

test("[LK17] tryLockSync waits for another thread, but not longer than it should", async () => {
  await using workers = new Workers()
  const [lock, gate] = [new ReentrantLock(), new ReentrantLock()]
  await gate.lock()
  const holder = workers.run(JOBS, "hold", lock, gate)
  await holder.heard("locked")
  const limit = timeLimit(5)
  assert.equal(lock.tryLockSync(5), false)
  assert.equal(limit.isOver, true)
  assert.equal(lock.queueLength, 0)
  gate.unlock()
  await holder.result

  const other = workers.run(JOBS, "holdUntilQueued", lock, 1)
  await other.heard("locked")
  assert.equal(lock.tryLockSync(60_000), true)
  assert.equal(lock.holdCount, 1)
})

test("[LK18] an interrupt from another thread ends the waits that can be interrupted", async () => {
  await using workers = new Workers()
  const lock = new ReentrantLock()
  await lock.lock()
  for (const form of ["lockInterruptiblySync", "tryLockSync", "lockInterruptibly", "tryLock"]) {
    const waiter = workers.run(JOBS, "beInterrupted", lock, form)
    await eventually(() => lock.queueLength === 1 && waiter.words.length === 1)
    threadContext().registry.interrupt((await waiter.firstWord()) as number)
    assert.deepEqual(await waiter.result, { outcome: "InterruptedError", raised: false, locked: false })
    await eventually(() => lock.queueLength === 0)
  }
})

test("[LK18] lock and lockSync wait on, and the flag is raised when they have the lock", async () => {
  await using workers = new Workers()
  for (const form of ["lockSync", "lock"]) {
    const lock = new ReentrantLock()
    await lock.lock()
    const waiter = workers.run(JOBS, "beInterrupted", lock, form)
    await eventually(() => lock.queueLength === 1 && waiter.words.length === 1)
    threadContext().registry.interrupt((await waiter.firstWord()) as number)
    assert.equal(lock.queueLength, 1)
    lock.unlock()
    assert.deepEqual(await waiter.result, { outcome: "locked", raised: true, locked: true })
  }
})
