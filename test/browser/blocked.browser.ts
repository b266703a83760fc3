/** What a worker gets that blocks, and cannot read messages then: docs/spec/browser.md. */
import assert from "node:assert/strict"
import { after, test } from "node:test"
import { inPage } from "./harness.ts"
import { closeBrowser } from "./pages.ts"

after(closeBrowser)

test("[BR18] a worker that blocks gets a large result, of its own pool and of another", async () => {
  const seen = await inPage<unknown[]>(`
    const [pool, other] = [Executors.newFixedThreadPool(2), Executors.newFixedThreadPool(1)]
    const seen = []
    for (const size of [1000, 100_000, 5_000_000]) {
      seen.push(await pool.submit(t.waitFor, pool, "fill", size), await pool.submit(t.waitFor, other, "fill", size))
    }
    await pool.close()
    await other.close()
    return seen`)
  assert.deepEqual(seen, [1000, 1000, 100_000, 100_000, 5_000_000, 5_000_000])
})

test("[BR18] what only a message can bring is an error at once, and the future is unharmed", async () => {
  const seen = await inPage<unknown[]>(`
    const [pool, other] = [Executors.newFixedThreadPool(1), Executors.newFixedThreadPool(1)]
    const seen = [await pool.submit(t.waitFor, other, "channel"), await pool.submit(t.sendChannel, other)]
    seen.push(await pool.submit(async (other, url) => {
      const { channel } = await import(url)
      const future = other.submit(channel)
      try { future.getSync() } catch {}
      return typeof (await future).postMessage
    }, other, new URL("/tasks.js", location.href).href))
    await pool.close()
    await other.close()
    return seen`)
  assert.deepEqual(seen, ["UnsupportedOperationError", "UnsupportedOperationError", "function"])
})

test("[BR18] a worker that makes a pool of its own awaits the first result, and may block then", async () => {
  const seen = await inPage<string>(`
    const pool = Executors.newFixedThreadPool(1)
    const seen = await pool.submit(t.ownPool, 100_000)
    await pool.close()
    return seen`)
  assert.equal(seen, "UnsupportedOperationError,2,100000")
})

test("[BR18] a worker does not block for the first task of a thread that has yet to begin", async () => {
  const seen = await inPage<string>(`
    const pool = Executors.newFixedThreadPool(1)
    const seen = await pool.submit(t.twoThreads)
    await pool.close()
    return seen`)
  assert.equal(seen, "2,UnsupportedOperationError,4,6")
})

test("[BR18] forks with large and with shared arguments are joined by workers that block", async () => {
  const seen = await inPage<unknown[]>(`
    const pool = new ForkJoinPool({ parallelism: 3 })
    const seen = []
    for (let i = 0; i < 5; i++) {
      seen.push(await pool.invoke(new t.Halves(new Uint8Array(300_000).fill(1), undefined)))
      seen.push(await pool.invoke(new t.Halves(new Uint8Array(300_000).fill(1), new ReentrantLock())))
    }
    await pool.close()
    return [...new Set(seen)]`)
  assert.deepEqual(seen, [300_000])
})
