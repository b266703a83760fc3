/** Virtual threads and local synchronizers in a page: docs/spec/browser.md. */
import assert from "node:assert/strict"
import { after, test } from "node:test"
import { closeBrowser, open } from "./pages.ts"

after(closeBrowser)

/** What works without threads; returns what has happened. */
const LOCAL = `
  const { Executors, Thread, virtualThreads, ReentrantLock, Semaphore, CountDownLatch, LinkedBlockingQueue, AtomicInteger } = corepool
  const seen = []
  const pool = Executors.newFixedThreadPool(2, virtualThreads())
  seen.push(await pool.submit((a, b) => a + b, 1, 2))
  seen.push(await pool.submit(async (a) => { await null; return a }, "later"))
  seen.push((await pool.invokeAll([() => 1, async () => 2])).map((future) => future.resultNow()).join())
  const sleeper = pool.submit(() => Thread.sleep(60_000))
  await null
  sleeper.cancel(true)
  seen.push(sleeper.state)
  const queue = new LinkedBlockingQueue(1)
  const taken = queue.take()
  await queue.put("element")
  seen.push(await taken)
  const semaphore = new Semaphore(1)
  await semaphore.acquire()
  const waiting = semaphore.acquire()
  semaphore.release()
  await waiting
  const latch = new CountDownLatch(1)
  const opened = latch.await()
  latch.countDown()
  await opened
  const lock = new ReentrantLock()
  const guard = await lock.lock()
  seen.push(lock.isLocked)
  guard.unlock()
  seen.push(lock.isLocked, new AtomicInteger(1).incrementAndGet())
  const timers = Executors.newScheduledThreadPool(1, virtualThreads())
  seen.push(await timers.schedule(() => "timed", 1))
  await timers.close()
  await pool.close()
  seen.push(pool.isTerminated)
  return seen.join(" ")`

for (const isolated of [true, false]) {
  const how = isolated ? "with" : "without"
  test(`[BR4] [BR5] on a page ${how} isolation`, async () => {
    await using opened = await open({ isolated })
    assert.equal(await opened.page.evaluate("crossOriginIsolated"), isolated)
    assert.equal(await opened.run(LOCAL), "3 later 1,2 cancelled element true false 2 timed true")
    assert.deepEqual(opened.uncaught, [])
  })

  test(`[BR4] every entry can be imported ${how} isolation`, async () => {
    await using opened = await open({ isolated })
    for (const entry of ["index", "virtual", "lock", "sync", "queue", "atomic"]) {
      assert.ok(
        (await opened.page.evaluate<number>(`import("/corepool/${entry}.js").then((m) => Object.keys(m).length)`)) > 0,
      )
    }
    const pool =
      "import('/corepool/virtual.js').then(async (m) => await m.newFixedThreadPool(1).submit(async (n) => n + 1, 1))"
    assert.equal(await opened.page.evaluate(pool), 2)
  })

  test(`[BR7] a window cannot block, ${how} isolation`, async () => {
    await using opened = await open({ isolated })
    const told = await opened.run<string>(`
      const queue = new corepool.LinkedBlockingQueue()
      const semaphore = new corepool.Semaphore(0)
      const seen = []
      for (const call of [() => corepool.Thread.sleepSync(60_000), () => queue.pollSync(60_000), () => semaphore.tryAcquireSync(1, 60_000)]) {
        try { call() } catch (error) { seen.push(error instanceof corepool.UnsupportedOperationError, error.message.includes("in a task")) }
      }
      seen.push(semaphore.queueLength)
      const waiting = semaphore.acquire()
      semaphore.release()
      await waiting
      return seen.join()`)
    assert.equal(told, "true,true,true,true,true,true,0")
  })
}

test("[BR6] without isolation a pool of platform threads refuses, and says what is missing", async () => {
  await using opened = await open({ isolated: false })
  const told = await opened.run<string>(`
    const pool = corepool.Executors.newFixedThreadPool(1)
    try {
      return await pool.submit((n) => n, 1)
    } catch (error) {
      return error instanceof corepool.UnsupportedOperationError ? error.message : String(error)
    }`)
  assert.match(told, /Cross-Origin-Opener-Policy: same-origin/)
  assert.match(told, /Cross-Origin-Embedder-Policy: require-corp/)
  assert.match(told, /docs\/guide\/browser\.md/)
})

test("[BR8] [BR10] the current thread is known before an await, and after one there is an error with the reason", async () => {
  await using opened = await open({ isolated: false })
  const seen = await opened.run<string[]>(`
    const { Thread, Executors, virtualThreads, ReentrantLock, UnsupportedOperationError } = corepool
    const seen = [Thread.currentThread().name]
    const pool = Executors.newFixedThreadPool(1, virtualThreads({ name: "v" }))
    const lock = new ReentrantLock()
    seen.push(await pool.submit(() => Thread.currentThread().name))
    await pool.submit(async () => {
      await null
      for (const ask of [
        () => Thread.currentThread(), () => Thread.interrupted(), () => lock.unlock(), () => lock.tryLock(),
        () => lock.lockSync(), () => lock.isHeldByCurrentThread, () => lock.holdCount,
      ]) {
        try { ask(); seen.push("no error") } catch (error) { seen.push(error instanceof UnsupportedOperationError && error.message.includes("await")) }
      }
    })
    return seen.map(String)`)
  assert.deepEqual(seen, ["main", "v-1", ...Array.from({ length: 7 }, () => "true")])
})

test("[BR9] a guard belongs to its lock, whichever task has it", async () => {
  await using opened = await open({ isolated: false })
  const seen = await opened.run<string>(`
    const { Executors, virtualThreads, ReentrantLock, ReentrantReadWriteLock } = corepool
    const pool = Executors.newFixedThreadPool(3, virtualThreads())
    const turn = () => new Promise((resolve) => setTimeout(resolve))
    const seen = []
    for (const lock of [new ReentrantLock(), new ReentrantLock({ fair: true }), new ReentrantReadWriteLock().writeLock]) {
      let inside = 0
      let most = 0
      const body = async (first) => {
        if (!first) await null
        const guard = await lock.lock()
        most = Math.max(most, ++inside)
        await turn()
        inside--
        guard.unlock()
        guard.unlock()
      }
      await Promise.all([body(false), pool.submit(body, true), pool.submit(body, false), pool.submit(body, false)])
      seen.push(most)
    }
    const both = new ReentrantReadWriteLock()
    const readers = [await both.readLock.lock(), await both.readLock.lock()]
    const writing = both.writeLock.lock()
    readers.forEach((guard) => guard.unlock())
    ;(await writing).unlock()
    const lock = new ReentrantLock()
    const guard = await lock.lock()
    const second = lock.lock({ timeout: 1 }).then(() => "twice", (error) => error.name)
    seen.push(await second)
    guard.unlock()
    ;(await lock.lock()).unlock()
    return seen.join()`)
  assert.equal(seen, "1,1,1,TimeoutError")
})

test("[BR35] a scope that a virtual thread has opened is joined and closed after an await, and its interrupt ends the join", async () => {
  await using opened = await open({ isolated: false })
  const seen = await opened.run<unknown[]>(`
    const { Executors, virtualThreads, StructuredTaskScope, Thread } = corepool
    const pool = Executors.newFixedThreadPool(2, virtualThreads())
    const turn = () => new Promise((resolve) => setTimeout(resolve))
    const sum = async (n) => {
      await turn()
      const scope = StructuredTaskScope.open()
      await turn()
      const forks = [n, n + 1].map((part) => scope.fork(async () => { await turn(); return part }))
      await scope.join()
      await scope.close()
      return forks[0].get() + forks[1].get()
    }
    const seen = await Promise.all([pool.submit(sum, 1), pool.submit(sum, 10), sum(100)])
    let thread, opened, refused
    const joining = pool.submit(async () => {
      thread = Thread.currentThread()
      const scope = StructuredTaskScope.open()
      await turn()
      scope.fork(() => { try { void scope.close().catch((error) => (refused = error.name)) } catch (error) { refused = error.name } })
      scope.fork(() => new Promise((resolve, reject) => Thread.currentThread().signal.addEventListener("abort", () => reject(new Error("aborted")))))
      opened = true
      try { return await scope.join() } catch (error) { return error.name } finally { await scope.close() }
    })
    while (!opened) await turn()
    thread.interrupt()
    seen.push(await joining, refused)
    await pool.close()
    return seen`)
  assert.deepEqual(seen, [3, 21, 201, "InterruptedError", "IllegalStateError"])
})

test("[BR36] an interrupt reaches the run of a series, and no wait of the page; one that ends the wait of close() is kept", async () => {
  await using opened = await open({ isolated: false })
  const seen = await opened.run<unknown[]>(`
    const { Executors, virtualThreads, Thread } = corepool
    const pool = Executors.newScheduledThreadPool(1, virtualThreads())
    const newGate = () => { let open; const opened = new Promise((resolve) => (open = resolve)); return { open, opened } }
    const [begun, ended, done] = [newGate(), newGate(), newGate()]
    const seen = []
    const series = pool.scheduleAtFixedRate(async () => {
      seen.push(Thread.currentThread().isVirtual)
      const sleeping = Thread.sleep(3_600_000)
      begun.open()
      await sleeping.catch((error) => ended.open(error.name))
    }, 0, 1)
    await begun.opened
    const waiting = pool.schedule(() => "still waiting", 1)
    const told = waiting.get()
    series.cancel(true)
    seen.push(await ended.opened, await told)
    const closing = Executors.newFixedThreadPool(1, virtualThreads())
    const held = closing.submit(() => Thread.sleep(3_600_000))
    const closer = pool.submit(async () => {
      const thread = Thread.currentThread()
      const closed = closing.close()
      thread.interrupt()
      await closed
      return thread.isInterrupted
    })
    seen.push(await closer, held.state)
    await pool.close()
    return seen`)
  assert.deepEqual(seen, [true, "InterruptedError", "still waiting", true, "failed"])
})
