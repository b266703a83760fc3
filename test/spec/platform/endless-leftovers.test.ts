/** Code that does not return, in a thread that has no task, or is about to begin one. */
import assert from "node:assert/strict"
import test from "node:test"
import { Executors, type ExecutorService, ForkJoinPool, platformThreads } from "corepool"
import { eventually, rejectionOf } from "../../support/harness.ts"

const threads = () => platformThreads({ terminateAfter: 1, uncaughtException: () => undefined })

const POOLS: Readonly<Record<string, () => ExecutorService>> = {
  fixed: () => Executors.newFixedThreadPool(1, threads()),
  scheduled: () => Executors.newScheduledThreadPool(1, threads()),
  "fork/join": () => new ForkJoinPool({ parallelism: 1, threadFactory: threads() }),
}

type Tasks = Readonly<Record<string, (begun: Int32Array) => void>>

/** Each is sent to the thread as source, and says that the endless code has begun. */
const LEFT_BEHIND: Tasks = {
  "a timer": (begun) =>
    void setTimeout(() => {
      for (;;) Atomics.store(begun, 0, 1)
    }),
  microtasks: (begun) => {
    const again = (): void => {
      Atomics.store(begun, 0, 1)
      queueMicrotask(again)
    }
    setTimeout(again)
  },
  "a wait": (begun) =>
    void setTimeout(() => {
      Atomics.store(begun, 0, 1)
      Atomics.wait(begun, 0, 1)
    }),
}

/** What the thread calls to find the function of the next task, and not before. */
const BUILT_INS: Tasks = {
  "JSON.parse": (begun) => {
    JSON.parse = () => {
      for (;;) Atomics.store(begun, 0, 1)
    }
  },
  "JSON.stringify": (begun) => {
    JSON.stringify = () => {
      for (;;) Atomics.store(begun, 0, 1)
    }
  },
}

for (const [kind, open] of Object.entries(POOLS)) {
  test(`[PL65] shutdownNow ends a thread in which endless code was left behind: ${kind}`, async () => {
    const ends = Object.entries(LEFT_BEHIND).map(async ([what, task]) => {
      await using pool = open()
      const begun = new Int32Array(new SharedArrayBuffer(4))
      await pool.submit(task, begun)
      await eventually(() => Atomics.load(begun, 0) === 1)
      const waiting = pool.submit(() => 1)
      pool.shutdownNow()
      assert.equal(((await rejectionOf(waiting)) as Error).name, "CancellationError", what)
      assert.equal(await pool.awaitTermination(), true, what)
    })
    await Promise.all(ends)
  })

  test(`[PL66] a task can be cancelled though a built-in method that it needs does not return: ${kind}`, async () => {
    for (const [what, task] of Object.entries(BUILT_INS)) {
      await using pool = open()
      const begun = new Int32Array(new SharedArrayBuffer(4))
      await pool.submit(task, begun)
      const future = pool.submit((list: unknown) => list, [[1, "a"], new Map([[1, 2]])])
      await eventually(() => Atomics.load(begun, 0) === 1)
      assert.equal(future.cancel(true), true, what)
      assert.equal(await pool.submit(() => 2), 2, what)
    }
  })
}

test("[PL65] a task of another pool can stop a pool with such a thread, too", async () => {
  await using pool = Executors.newFixedThreadPool(1, threads())
  await using other = Executors.newFixedThreadPool(1)
  const begun = new Int32Array(new SharedArrayBuffer(4))
  await pool.submit(LEFT_BEHIND["a timer"] as (begun: Int32Array) => void, begun)
  await eventually(() => Atomics.load(begun, 0) === 1)
  assert.equal(await other.submit((it: ExecutorService) => it.shutdownNow().length, pool), 0)
  assert.equal(await pool.awaitTermination(), true)
})
