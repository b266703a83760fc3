/** A pool in threads that did not make it: tasks that submit to the pool they run in. */
import {
  ArrayBlockingQueue,
  CallerRunsPolicy,
  Executors,
  type Future,
  platformThreads,
  type RejectedExecutionHandler,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { setEnvironmentData } from "node:worker_threads"
import { eventually, thrownBy } from "../../support/harness.ts"
import { runProgram } from "../../support/child.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as tasks from "./tasks.ts"

/** Workers find the pool that they are to open in their environment. */
function shared<P extends ThreadPoolExecutor>(pool: P): P {
  setEnvironmentData("pool", pool.handle)
  return pool
}

test("[PL26] a task finds its own pool, and the same one each time", async () => {
  await using pool = shared(Executors.newFixedThreadPool(2))
  assert.deepEqual(await pool.submit(tasks.poolSizes), [2, 1, 1, false, true])
})

test("[PL26] an executor of virtual threads cannot be sent", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  assert.equal((thrownBy(() => pool.handle) as Error).name, "NotSerializableError")
  await using platform = Executors.newFixedThreadPool(1)
  await using perTask = Executors.newVirtualThreadPerTaskExecutor()
  for (const executor of [pool, perTask, pool.with({}), perTask.with({})]) {
    for (const it of [executor, Executors.unconfigurableExecutorService(executor)]) {
      const error = thrownBy(() => platform.submit(tasks.same, it)) as Error
      assert.equal(error.name, "NotSerializableError")
      assert.match(error.message, /cannot be sent to another thread/)
    }
  }
})

test("[WO30] a view can be given to a task, with its options", async () => {
  await using pool = Executors.newFixedThreadPool(2, platformThreads({ terminateAfter: Infinity }))
  const views = [pool.with({ timeout: 1, name: "brief" }), pool.with({ timeout: 100_000 }).with({ timeout: 1 })]
  for (const view of [...views, Executors.unconfigurableExecutorService(pool).with({ timeout: 1 })]) {
    using gate = new SharedGate()
    assert.equal(await pool.submit(tasks.waitThrough, view, gate.index), "TimeoutError")
  }
})

test("[WO30] a view with a signal or a transfer list is refused", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const { signal } = new AbortController()
  for (const [options, name] of [[{ signal }, "signal"] as const, [{ transfer: [] }, "transfer"] as const]) {
    const error = thrownBy(() => pool.submit(tasks.same, pool.with(options))) as Error
    assert.equal(error.name, "NotSerializableError")
    assert.match(error.message, new RegExp(`A view with \`${name}\``))
  }
})

for (const size of [1, 2]) {
  test(`[PL26][PL27] tasks that wait for tasks of their own pool, which has ${size} threads`, async () => {
    await using pool = shared(Executors.newFixedThreadPool(size))
    assert.equal(await pool.submit(tasks.sumOfChildren, 20), 210)
    assert.equal(await pool.submit(tasks.fibonacci, 12), 144)
    assert.equal(await pool.submit(tasks.awaitChildren, 20), 190)
    assert.equal(pool.submit(tasks.sumOfChildren, 5).getSync(), 15)
  })
}

test("[PL27] to block for an asynchronous task that only this thread could run is an error", async () => {
  await using pool = shared(Executors.newFixedThreadPool(1))
  assert.equal(await pool.submit(tasks.blockForAsync), "IllegalStateError")
  assert.equal(await pool.submit(tasks.add, 1, 2), 3)
})

test("[PL28] policies are those of the pool, wherever a task is refused", async () => {
  const open = (handler: RejectedExecutionHandler): ThreadPoolExecutor => {
    const workQueue = new ArrayBlockingQueue<never>(1)
    const pool = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, workQueue, handler })
    return shared(pool)
  }
  {
    await using pool = open(CallerRunsPolicy)
    const parent = pool.submit(tasks.submitChild)
    pool.execute(() => undefined) // takes the only place
    assert.match(await parent, /thread-1$/)
  }
  {
    const seen: unknown[] = []
    await using pool = open((task, executor) => {
      seen.push(executor)
      ;(task as unknown as Future<unknown>).cancel()
    })
    const parent = pool.submit(tasks.submitChild)
    pool.execute(() => undefined)
    assert.equal(await parent, "CancellationError")
    assert.deepEqual(seen, [pool])
  }
})

test("[PL30] only the owner can change handler and factory", async () => {
  await using pool = shared(Executors.newFixedThreadPool(1))
  const refused = Array.from({ length: 3 }, () => "UnsupportedOperationError")
  assert.deepEqual(await pool.submit(tasks.changeHandler), refused)
})

test("[PL29] what a task has submitted keeps the process alive", async () => {
  const { code, stdout } = await runProgram(`
    import { Executors, ThreadPoolExecutor } from "corepool"
    import { setEnvironmentData } from "node:worker_threads"
    const pool = Executors.newFixedThreadPool(1)
    setEnvironmentData("pool", pool.handle)
    await pool.submit(async () => {
      const { ThreadPoolExecutor } = await import("corepool")
      const { getEnvironmentData } = await import("node:worker_threads")
      ThreadPoolExecutor.from(getEnvironmentData("pool")).execute(async () => {
        await new Promise((resolve) => setTimeout(resolve, 100))
        console.log("done")
      })
    })
  `)
  assert.deepEqual([code, stdout], [0, "done\n"])
})

test("[PL31] a program with an idle pool ends by itself, one with pending tasks stays", async () => {
  const { code, stdout } = await runProgram(`
    import { Executors } from "corepool"
    const pool = Executors.newFixedThreadPool(2)
    pool.prestartAllCoreThreads()
    pool.submit((ms) => new Promise((resolve) => setTimeout(resolve, ms)), 50).then(() => console.log("over"))
  `)
  assert.deepEqual([code, stdout], [0, "over\n"])
})

test("[PL32] a pool that is shut down ends, and tells of it", async () => {
  const { code, stdout } = await runProgram(`
    import { Executors } from "corepool"
    const pool = Executors.newFixedThreadPool(2)
    const future = pool.submit((n) => n + 1, 1)
    pool.shutdown()
    console.log(await pool.awaitTermination(), pool.isTerminated, pool.poolSize, await future)
  `)
  assert.deepEqual([code, stdout], [0, "true true 0 2\n"])
})

test("[PL36] a timer that a task has left behind can use the pool", async () => {
  for (const size of [1, 2]) {
    await using pool = Executors.newFixedThreadPool(size)
    const counter = new SharedCount()
    await pool.submit(tasks.leaveTimer, pool, counter.index)
    await eventually(() => counter.value === 1)
    assert.equal(await pool.submit(tasks.add, 1, 2), 3)
  }
})
