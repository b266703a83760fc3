/** How threads on Web Workers die, and what a death costs: docs/spec/browser.md. */
import assert from "node:assert/strict"
import { after, test } from "node:test"
import { inPage } from "./harness.ts"
import { closeBrowser } from "./pages.ts"

after(closeBrowser)

for (const way of ["close", "throwLater", "rejectLater"]) {
  test(`[BR14] ${way} of a worker costs the task under way, and no other`, async () => {
    const seen = await inPage<string[]>(`
      const pool = Executors.newFixedThreadPool(1)
      const doomed = pool.submit(t.${way})
      const others = [1, 2, 3].map((n) => pool.submit(t.add, n, 0))
      const seen = [await nameOf(doomed), doomed.state, (await Promise.all(others)).join()]
      await pool.close()
      return seen`)
    assert.deepEqual(seen, ["ThreadDeathError", "failed", "1,2,3"])
  })
}

for (const way of ["lockAndClose", "lockAndThrow"]) {
  test(`[BR14] ${way} of a worker frees its lock`, async () => {
    const seen = await inPage<unknown[]>(`
      const pool = Executors.newFixedThreadPool(1)
      const lock = new ReentrantLock()
      const seen = [await nameOf(pool.submit(t.${way}, lock))]
      const guard = await lock.lock()
      seen.push(lock.isLocked)
      guard.unlock()
      await pool.close()
      return seen`)
    assert.deepEqual(seen, ["ThreadDeathError", true])
  })
}

test("[BR15] a worker that computes is terminated, and its lock is passed on when it has stopped, not before", async () => {
  const seen = await inPage<unknown[]>(`
    const pool = Executors.newFixedThreadPool(1, corepool.platformThreads({ terminateAfter: 1 }))
    const [lock, words] = [new ReentrantLock(), newWords()]
    const spinning = pool.submit(t.lockAndSpin, lock, words)
    await begun(words)
    const next = pool.submit(t.add, 1, 1)
    spinning.cancel(true)
    const guard = await lock.lock()
    const before = Atomics.load(words, 1)
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setTimeout(resolve))
    const seen = [Atomics.load(words, 1) === before, spinning.state, await next]
    guard.unlock()
    await pool.close()
    return seen`)
  assert.deepEqual(seen, [true, "cancelled", 2])
})

test("[BR15] a worker that blocks is interrupted, or terminated with its lock", async () => {
  const seen = await inPage<unknown[]>(`
    const pool = Executors.newFixedThreadPool(1, corepool.platformThreads({ terminateAfter: 1 }))
    const [queue, lock] = [new LinkedBlockingQueue(), new ReentrantLock()]
    const seen = []
    for (const [task, ...args] of [[t.block, queue], [t.sleep], [t.lockAndBlock, lock, queue]]) {
      const words = newWords()
      const blocked = pool.submit(task, ...args, words)
      await begun(words)
      blocked.cancel(true)
      seen.push(blocked.state, await pool.submit(t.add, 1, 1))
    }
    ;(await lock.lock()).unlock()
    await pool.close()
    return seen`)
  assert.deepEqual(seen, ["cancelled", 2, "cancelled", 2, "cancelled", 2])
})

test("[BR15] shutdownNow ends a pool whose tasks never return", async () => {
  const seen = await inPage<unknown[]>(`
    const pool = Executors.newFixedThreadPool(2, corepool.platformThreads({ terminateAfter: 1 }))
    const all = [newWords(), newWords()]
    const futures = all.map((words) => pool.submit(t.spin, words))
    await Promise.all(all.map(begun))
    const waiting = pool.submit(t.add, 1, 1)
    const seen = [pool.shutdownNow().length, await pool.awaitTermination(60_000), waiting.state]
    for (const future of futures) seen.push(await nameOf(future))
    return seen`)
  assert.deepEqual(seen.slice(0, 2), [1, true])
  assert.deepEqual(seen.slice(3), ["ThreadDeathError", "ThreadDeathError"])
})

test("[BR14] many deaths among many tasks: each costs one task", async () => {
  const seen = await inPage<unknown[]>(`
    const pool = Executors.newFixedThreadPool(2)
    const lock = new ReentrantLock()
    const doomed = []
    const sums = []
    for (let round = 0; round < 4; round++) {
      for (const task of [t.close, t.throwLater, t.lockAndClose, t.lockAndThrow]) {
        doomed.push(nameOf(pool.submit(task, lock)))
        for (let i = 0; i < 5; i++) sums.push(pool.submit(t.add, i, 1))
      }
    }
    const names = new Set(await Promise.all(doomed))
    const total = (await Promise.all(sums)).reduce((a, b) => a + b, 0)
    ;(await lock.lock()).unlock()
    await pool.close()
    return [[...names].join(), total, pool.isTerminated]`)
  assert.deepEqual(seen, ["ThreadDeathError", 240, true])
})

test("[BR14] a result that was sent before its thread left arrives", async () => {
  const seen = await inPage<unknown[]>(`
    const seen = []
    for (let i = 0; i < 20; i++) {
      const pool = Executors.newFixedThreadPool(1)
      const large = pool.submit(t.fill, 200_000)
      await pool.close()
      seen.push((await large).length)
    }
    return [...new Set(seen)]`)
  assert.deepEqual(seen, [200_000])
})
