/** How long threads and programs live, and what goes on in a thread between its tasks. */
import { Executors, platformThreads, ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import { connect } from "node:net"
import test from "node:test"
import { text } from "node:stream/consumers"
import { setTimeout as pass } from "node:timers/promises"
import { collectGarbage } from "../../support/garbage.ts"
import { eventually } from "../../support/harness.ts"
import { canSeeThreads, threadNumbers, untilAsleep } from "../../support/sleeping-threads.ts"
import { Ear, Folder, PlatformPool, tasks } from "./support.ts"

async function linesOf(program: string): Promise<string[]> {
  using folder = new Folder()
  await using running = folder.start("program.mjs", program)
  return await running.lines()
}

test("[WK40] pools that are idle, whether somebody knows them or not, let the program end", async () => {
  const lines = await linesOf(`
    import { Executors } from "corepool"
    const pools = [Executors.newFixedThreadPool(2), Executors.newCachedThreadPool(), Executors.newSingleThreadExecutor()]
    console.log((await Promise.all(pools.map((pool) => pool.submit((n) => n + 1, 1)))).join(" "))
    await (async () => { await Executors.newFixedThreadPool(1).submit(() => undefined) })()
    globalThis.gc?.()
  `)
  assert.deepEqual(lines, ["2 2 2"])
})

test("[WK40] so do those with threads that have timers and sockets of their own", async () => {
  const lines = await linesOf(`
    import { Executors } from "corepool"
    const pool = Executors.newFixedThreadPool(1)
    await pool.submit(async () => {
      setInterval(() => undefined, 1)
      const { createServer } = await import("node:net")
      await new Promise((resolve) => createServer().listen(0, resolve))
    })
    console.log("idle")
  `)
  assert.deepEqual(lines, ["idle"])
})

test("[WK41] what was accepted keeps the program alive until it is done, queued or running", async () => {
  const lines = await linesOf(`
    import { Executors } from "corepool"
    const pool = Executors.newFixedThreadPool(1)
    for (const n of [1, 2, 3]) {
      pool.execute(async (n) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        console.log(n)
      }, n)
    }
  `)
  assert.deepEqual(lines, ["1", "2", "3"])
})

test("[WK41] a pool that is shutting down keeps it alive until it has ended", async () => {
  const lines = await linesOf(`
    import { Executors } from "corepool"
    const pool = Executors.newFixedThreadPool(1)
    await pool.submit(() => undefined)
    pool.shutdown()
    console.log(await pool.awaitTermination(), pool.isTerminated)
  `)
  assert.deepEqual(lines, ["true true"])
})

test("[WK42] await using waits for the tasks, and leaves no thread", async () => {
  const own = new PlatformPool({}, { corePoolSize: 2, maximumPoolSize: 2 })
  let future
  {
    await using pool = own.pool
    future = pool.submit(tasks.add, 1, 2)
    void pool.submit(tasks.add, 3, 4)
  }
  assert.equal(future.resultNow(), 3)
  await eventually(() => own.threads.every((thread) => !thread.isAlive))
  assert.equal(own.threads.length, 2)
})

test("[WK48] a pool that was closed is garbage", async () => {
  const closed = async (): Promise<WeakRef<object>> => {
    const pool = Executors.newFixedThreadPool(1, platformThreads())
    await pool.submit(tasks.add, 1, 2)
    await pool.close()
    return new WeakRef(pool)
  }
  const pools = [await closed(), await closed(), await closed()]
  await eventually(() => {
    collectGarbage()
    return pools.filter((pool) => pool.deref() !== undefined).length <= 1 // the last may still be on the stack
  })
})

test("[WK43] timers of a thread go on while it has no task", async () => {
  await using own = new PlatformPool()
  using ear = new Ear()
  await own.pool.submit(tasks.tick, ear.name)
  await ear.hears(3)
  await own.pool.submit(tasks.add, 1, 2)
  await ear.hears(3)
})

test("[WK43] so do its servers", async () => {
  await using own = new PlatformPool()
  const port = await own.pool.submit(tasks.listen)
  for (const _ of [1, 2]) {
    assert.equal(await text(connect(port, "127.0.0.1")), "hello")
    await own.pool.submit(tasks.add, 1, 2)
  }
})

test("[WK43] its event loop counts that time as idle", async () => {
  await using own = new PlatformPool()
  const seen = [await own.pool.submit(tasks.utilization)]
  const isIdle = (): boolean => {
    const [before, after] = seen.slice(-2)
    if (before === undefined || after === undefined) return false
    return after.idle - before.idle > after.active - before.active
  }
  // On a machine with much to do the time that it takes to wake up may prevail, now and then.
  while (!isIdle()) {
    await pass(100)
    const now = await own.pool.submit(tasks.utilization)
    assert.ok(now.idle + now.active > 0, "this runtime does not count the time of an event loop")
    seen.push(now)
  }
})

test("[WK44] the threads of an idle pool sleep", async (t) => {
  if (!canSeeThreads(t)) return
  const earlier = threadNumbers()
  await using own = new PlatformPool({}, { corePoolSize: 2, maximumPoolSize: 2 })
  await Promise.all([own.pool.submit(tasks.add, 1, 2), own.pool.submit(tasks.add, 1, 2)])
  await untilAsleep(earlier)
})

for (const [what, body] of [
  ["idle", "await pool.submit(() => undefined)"],
  ["computing", "pool.execute(() => { for (;;); })"],
  ["blocked", "pool.execute(() => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) })"],
] as const) {
  test(`[WK45] SIGINT ends a program whose threads are ${what}`, async () => {
    using folder = new Folder()
    await using running = folder.start(
      "program.mjs",
      `import { Executors } from "corepool"
       const pool = Executors.newFixedThreadPool(1)
       ${body}
       setInterval(() => undefined, 1000)
       console.log("ready")`,
    )
    await running.prints("ready")
    running.child.kill("SIGINT")
    await running.ended()
    assert.equal(running.child.signalCode, "SIGINT")
  })
}

test("[WK46] what a command throws is told with the thread that ran it, and that is replaced", async () => {
  await using own = new PlatformPool({}, { corePoolSize: 2, maximumPoolSize: 2 })
  const ran = new Set<string>()
  for (const _ of [1, 2, 3, 4]) ran.add((await own.pool.submit(tasks.self)).name)
  own.pool.execute(tasks.failAs)
  await eventually(() => own.uncaught.length > 0)
  const { thread, error } = own.uncaught[0] as (typeof own.uncaught)[0]
  assert.equal((error as Error).message, thread.name)
  assert.ok(own.threads.includes(thread))
  assert.equal(await own.pool.submit(tasks.add, 1, 2), 3)
})

test("[WK47] a thread that dies between tasks costs none, and is replaced", async () => {
  await using own = new PlatformPool()
  await own.pool.submit(tasks.throwLater, "out of the blue")
  await eventually(() => own.threads.length === 2)
  assert.equal(own.threads[0]?.isAlive, false)
  assert.equal(await own.pool.submit(tasks.add, 1, 2), 3)
})

test("[WK47] one that dies of an error nobody caught, while it has a task, fails that with the error", async () => {
  await using own = new PlatformPool()
  const future = own.pool.submit(tasks.throwMeanwhile, "out of the blue")
  await assert.rejects(Promise.resolve(future), (error: Error) => {
    assert.ok(error instanceof ThreadDeathError)
    assert.match(error.message, /out of the blue/)
    assert.equal((error.cause as Error).message, "out of the blue")
    return true
  })
})
