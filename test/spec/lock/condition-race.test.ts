/** A signal, and the end of a wait for another reason, at the same moment; and what such ends leave behind. */
import { ReentrantLock } from "corepool"
import { load, store } from "#src/memory/atomics.js"
import { SPACE } from "#src/memory/thread/thread-registry.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { QUEUE } from "#src/memory/wait/wait-queue.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { FakeClock } from "../../support/fake-clock.ts"
import { memoryOf, parked, queueOf, syncOf, Task, waitersOn } from "./support.ts"

/**
 * As if another thread were just tending the queue of the lock: what was signalled is on its way, but not yet in line. The
 * other thread exists only in the table of threads.
 */
function pausedQueue(lock: ReentrantLock): Disposable {
  const { registry } = threadContext()
  const token = registry.enter(1_000_000, -1)
  const { words } = memoryOf(syncOf(lock))
  assert.equal(load(words, QUEUE.GUARD), 0)
  store(words, QUEUE.GUARD, token << 1)
  return {
    [Symbol.dispose]() {
      store(words, QUEUE.GUARD, 0)
      queueOf(syncOf(lock)).tend()
      registry.reap(token)
    },
  }
}

test("[CN17] who is interrupted when a signal has just chosen it was signalled", async () => {
  const { lock, condition, call, waiter, seen } = await parked(false, (it) => it.await())
  const next = await new Task().waitIn(async () => {
    using _ = await lock.lock()
    return await condition.await()
  })
  await lock.lock()
  {
    using _ = pausedQueue(lock)
    condition.signal()
    waiter.interrupt()
    assert.deepEqual(waitersOn(condition).length, 1)
  }
  lock.unlock()
  assert.equal(await call.ends(), true)
  assert.deepEqual(seen, { holdCount: 1, raised: true })
  // The death of that other thread ends all other waits, without a signal.
  assert.equal(await next.ends(), true)
  assert.equal(lock.isLocked, false)
  assert.equal(lock.queueLength, 0)
})

test("[CN17] so was one that an abort, or its limit, meets there", async () => {
  for (const end of ["abort", "limit"]) {
    using clock = new FakeClock() // a real limit may be over before the signal
    const controller = new AbortController()
    const wait = end === "abort" ? { signal: controller.signal } : 1
    const { lock, condition, call, seen } = await parked(false, (it) => it.await(wait))
    await lock.lock()
    {
      using _ = pausedQueue(lock)
      condition.signal()
      if (end === "abort") controller.abort(new Error("enough"))
      else clock.advance(1)
      assert.equal(clock.ticking, 0)
      await call.waits()
    }
    lock.unlock()
    assert.equal(await call.ends(), true)
    assert.deepEqual(seen, { holdCount: 1, raised: false })
    assert.equal(lock.queueLength, 0)
  }
})

test("[CN16] a signal that comes just after it is for the next", async () => {
  const { lock, condition, call, waiter } = await parked(false, (it) => it.await())
  const next = await new Task().waitIn(async () => {
    using _ = await lock.lock()
    return await condition.await(100_000)
  })
  await lock.lock()
  waiter.interrupt()
  condition.signal()
  lock.unlock()
  await call.failsWith("InterruptedError")
  assert.equal(await next.ends(), true)
})

test("[CN26] what such waits leave in memory is used again", async () => {
  const lock = new ReentrantLock()
  const condition = lock.newCondition()
  assert.notEqual(condition.handle, undefined) // other threads may know it
  const { words } = threadContext().registry
  const chunks = load(words, SPACE.CHUNKS)
  for (let round = 0; round < 300; round++) {
    const task = new Task()
    await lock.lock()
    const call = task.call(() => lock.lock())
    assert.throws(() => condition.awaitSync(), { name: "IllegalStateError" })
    await call.ends()
    task.do(() => {
      condition.signalAll()
      lock.unlock()
    })
  }
  assert.ok(load(words, SPACE.CHUNKS) <= chunks + 1)
})
