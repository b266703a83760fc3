import { Executors, FutureTask, LinkedBlockingQueue, Thread } from "corepool"
import assert from "node:assert/strict"
import { AsyncLocalStorage } from "node:async_hooks"
import { readFile } from "node:fs"
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises"
import { test } from "node:test"
import { Threads } from "./threads.ts"

test("[TH9] outside of all threads the current one is main", async () => {
  const main = Thread.currentThread()
  assert.deepEqual([main.name, main.isAlive, main.isVirtual], ["main", true, false])
  await turn()
  assert.equal(Thread.currentThread(), main)
})

/** The ways by which code goes on later. */
const ways: Readonly<Record<string, (goOn: () => void) => unknown>> = {
  await: async (goOn) => {
    await Promise.resolve()
    goOn()
  },
  "a promise handler": (goOn) => Promise.resolve().then(goOn),
  queueMicrotask: (goOn) => queueMicrotask(goOn),
  nextTick: (goOn) => process.nextTick(goOn),
  setTimeout: (goOn) => setTimeout(goOn, 1),
  setImmediate: (goOn) => setImmediate(goOn),
  "an I/O callback": (goOn) => readFile(import.meta.filename, goOn),
  "awaited timers": async (goOn) => {
    await sleep(1)
    goOn()
  },
  "Thread.sleep": async (goOn) => {
    await Thread.sleep(1)
    goOn()
  },
  "a future completed by another flow": async (goOn) => {
    const future = new FutureTask(() => 1)
    setImmediate(() => void future.run())
    await future
    goOn()
  },
  "a queue filled by another flow": async (goOn) => {
    const queue = new LinkedBlockingQueue<number>()
    setImmediate(() => queue.add(1))
    await queue.take()
    goOn()
  },
}

for (const [way, begin] of Object.entries(ways)) {
  test(`[TH9] the current thread is still known in ${way}`, async () => {
    await using threads = new Threads()
    const { thread, outcome } = threads.call(
      () =>
        new Promise<Thread[]>((resolve) => {
          const before = Thread.currentThread()
          begin(() => resolve([before, Thread.currentThread()]))
        }),
    )
    assert.deepEqual(await outcome, [thread, thread])
    assert.equal(Thread.currentThread().name, "main")
  })
}

test("[TH10] a hundred threads that take turns do not mix", async () => {
  await using threads = new Threads()
  const calls = Array.from({ length: 100 }, () =>
    threads.call(async () => {
      const seen = new Set<Thread>()
      for (let i = 0; i < 10; i++) {
        seen.add(Thread.currentThread())
        if (i % 3 === 0) await Thread.sleep(0)
        else if (i % 3 === 1) await turn()
        else await Promise.resolve()
      }
      return [...seen]
    }),
  )
  for (const { thread, outcome } of calls) assert.deepEqual(await outcome, [thread])
})

test("[TH10] a thread started by another is its own, and the other stays what it was", async () => {
  await using threads = new Threads()
  const outer = threads.call(async () => {
    const inner = threads.call(async () => {
      await Promise.resolve()
      return Thread.currentThread()
    })
    const seen = [Thread.currentThread(), await inner.outcome, Thread.currentThread()]
    return { seen, inner: inner.thread }
  })
  const { seen, inner } = await outer.outcome
  assert.deepEqual(seen, [outer.thread, inner, outer.thread])
})

test("[TH10] a task submitted by a task runs on a thread of its executor", async () => {
  await using threads = new Threads()
  const pool = Executors.newFixedThreadPool(1, threads.factory)
  const other = Executors.newFixedThreadPool(1, threads.factory)
  const [inner, outer] = await pool.submit(async () => {
    const thread = await other.submit(() => Thread.currentThread())
    return [thread, Thread.currentThread()] as const
  })
  assert.notEqual(inner, outer)
  assert.ok(inner.isVirtual && outer.isVirtual)
  await Promise.all([pool.close(), other.close()])
})

test("[TH11] a thread does not see an AsyncLocalStorage of the code that starts it", async () => {
  await using threads = new Threads()
  const storage = new AsyncLocalStorage<string>()
  const look = async (): Promise<unknown[]> => {
    const before = storage.getStore()
    await turn()
    return [before, storage.getStore()]
  }
  await storage.run("a request", async () => {
    assert.deepEqual(await threads.call(look).outcome, [undefined, undefined])
    assert.equal(storage.getStore(), "a request")
  })
})

test("[TH11] what a thread keeps in an AsyncLocalStorage is its own, and it keeps it", async () => {
  await using threads = new Threads()
  const storage = new AsyncLocalStorage<string>()
  const keep = (value: string): (() => Promise<unknown>) => {
    return () =>
      storage.run(value, async () => {
        await turn()
        return [storage.getStore(), Thread.currentThread().isVirtual]
      })
  }
  const calls = ["a", "b"].map((value) => threads.call(keep(value)))
  assert.deepEqual(await Promise.all(calls.map(({ outcome }) => outcome)), [
    ["a", true],
    ["b", true],
  ])
})
