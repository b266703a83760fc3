/** What a thread does with a task, and the hooks around it. Ids such as [TP33] refer to docs/spec/pool.md. */
import { type Future, FutureTask, InterruptedError, type Runnable, Thread } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { HookedPool } from "../../support/hooked-pool.ts"
import { Pools } from "../../support/pools.ts"

function hooked(pools: Pools, size = 1): HookedPool {
  return pools.adopt(new HookedPool({ corePoolSize: size, maximumPoolSize: size, threadFactory: pools.factory }))
}

test("[TP32] hooks run around a task, on its thread", async () => {
  await using pools = new Pools()
  const pool = hooked(pools)
  const seen: [string, Thread][] = []
  const note = (what: string): number => seen.push([what, Thread.currentThread()])
  pool.before = (thread) => note(`before on ${thread.name}`)
  pool.after = () => note("after")
  const task = async (): Promise<void> => {
    note("begins")
    await turns(1)
    note("ends")
  }
  pool.execute(task)
  await eventually(() => pool.completedTaskCount === 1)
  const [thread] = pools.threads
  assert.deepEqual(
    seen.map(([what]) => what),
    [`before on ${thread?.name}`, "begins", "ends", "after"],
  )
  assert.ok(seen.every(([, on]) => on === thread))
  assert.deepEqual(pool.calls, [
    { hook: "beforeExecute", thread, task },
    { hook: "afterExecute", task, error: undefined },
  ])
})

test("[TP32] hooks may use the pool", async () => {
  await using pools = new Pools()
  const pool = hooked(pools)
  const ran: string[] = []
  let left = 3
  pool.before = () => (pool.corePoolSize = 1)
  pool.after = () => {
    if (left-- > 0) pool.execute(() => ran.push(`from hook ${left}`))
    else pool.shutdown()
  }
  pool.execute(() => ran.push("first"))
  assert.equal(await pool.awaitTermination(), true)
  assert.deepEqual(ran, ["first", "from hook 2", "from hook 1", "from hook 0"])
})

test("[TP33] if beforeExecute throws, the task does not run and a submitted one fails with the hook's error", async () => {
  await using pools = new Pools()
  const pool = hooked(pools)
  const error = new Error("before")
  pool.before = () => {
    pool.before = undefined
    throw error
  }
  const future = pool.submit(() => assert.fail("ran"))
  assert.equal(await rejectionOf(future), error)
  assert.equal(future.state, "failed")
  await eventually(() => pool.completedTaskCount === 1)
  assert.deepEqual(pool.names, ["beforeExecute"])
  await eventually(() => pools.threads[0]?.isAlive === false)
  assert.deepEqual(pools.takeUncaught(), [error])
  assert.deepEqual([pool.poolSize, pool.activeCount, pools.threads.length], [1, 0, 2])
})

test("[TP33] a command whose beforeExecute throws is counted, and the next one runs", async () => {
  await using pools = new Pools()
  const pool = hooked(pools)
  pool.before = () => {
    pool.before = undefined
    throw new Error("before")
  }
  pool.execute(() => assert.fail("ran"))
  assert.equal(await pool.submit(() => "next"), "next")
  await eventually(() => pool.completedTaskCount === 2)
  assert.deepEqual(pools.takeUncaught().map(String), ["Error: before"])
})

test("[TP34] if afterExecute throws it is called again with its own error, and what the task achieved stands", async () => {
  await using pools = new Pools()
  const pool = hooked(pools)
  const error = new Error("after")
  let calls = 0
  pool.after = () => {
    if (calls++ === 0) throw error
  }
  const future = pool.submit(() => "achieved")
  assert.equal(await future, "achieved")
  await eventually(() => pools.threads[0]?.isAlive === false)
  assert.deepEqual(pools.takeUncaught(), [error])
  assert.deepEqual(
    pool.calls.map(({ hook, error: given }) => [hook, given]),
    [
      ["beforeExecute", undefined],
      ["afterExecute", undefined],
      ["afterExecute", error],
    ],
  )
  assert.deepEqual([pool.completedTaskCount, pool.poolSize, pools.threads.length], [1, 1, 2])
})

test("[TP34] if it throws that time too, the second error is the one reported", async () => {
  await using pools = new Pools()
  const pool = hooked(pools)
  let calls = 0
  pool.after = () => {
    throw new Error(`after ${++calls}`)
  }
  pool.execute(() => undefined)
  await eventually(() => pool.completedTaskCount === 1 && pools.threads[0]?.isAlive === false)
  assert.deepEqual(pools.takeUncaught().map(String), ["Error: after 2"])
  pool.after = undefined
})

test("[TP35] a submitted task keeps its error: afterExecute gets none and the thread goes on", async () => {
  await using pools = new Pools()
  const pool = hooked(pools)
  const errors: unknown[] = []
  pool.after = (task) => {
    const future = task as Runnable & Future<unknown>
    assert.equal(future.state, "failed")
    errors.push(future.exceptionNow())
  }
  const failures: unknown[] = [new Error("sync"), new Error("async")]
  pool.submit(() => {
    throw failures[0]
  })
  pool.submit(async () => {
    await turns(1)
    throw failures[1]
  })
  await eventually(() => pool.completedTaskCount === 2)
  assert.deepEqual(errors, failures)
  assert.ok(pool.calls.every(({ error }) => error === undefined))
  assert.deepEqual([pools.threads.length, pool.poolSize], [1, 1])
})

test("[TP36] a command that throws ends its thread, which is replaced; everybody is told once", async () => {
  await using pools = new Pools()
  const pool = hooked(pools, 3)
  const [sync, async, late] = [new Error("sync"), new Error("async"), new Error("late")]
  const errors = [sync, async, late]
  const tasks = [
    () => {
      throw sync
    },
    () => Promise.reject(async),
    async () => {
      await turns(1)
      throw late
    },
  ]
  for (const task of tasks) pool.execute(task)
  await eventually(() => pools.threads.length === 6)
  await eventually(() => pools.threads.slice(0, 3).every((thread) => !thread.isAlive))
  const uncaught = pools.takeUncaughtWithThreads()
  assert.deepEqual(new Set(uncaught.map(({ error }) => error)), new Set(errors))
  assert.deepEqual(new Set(uncaught.map(({ thread }) => thread)), new Set(pools.threads.slice(0, 3)))
  const after = pool.calls.filter(({ hook }) => hook === "afterExecute")
  assert.equal(after.length, 3)
  tasks.forEach((task, i) => assert.equal(after.find((call) => call.task === task)?.error, errors[i]))
  assert.deepEqual([pool.poolSize, pool.largestPoolSize, pool.completedTaskCount], [3, 3, 3])
})

function raise(thing: unknown): never {
  throw thing
}

test("[TP36] every combination of hook and task that throw: each kills one thread and is heard once", async () => {
  await using pools = new Pools()
  const pool = hooked(pools, 2)
  pool.prestartAllCoreThreads()
  const heard: unknown[] = []
  const kinds: unknown[] = [undefined, new Error("Error"), new TypeError("TypeError"), "string", 4n]
  for (const before of kinds) {
    for (const thrown of kinds) {
      pool.before = () => {
        if (before !== undefined) raise(before)
      }
      const calls = pool.calls.length
      pool.execute(() => {
        if (thrown !== undefined) raise(thrown)
      })
      const count = pool.completedTaskCount
      await eventually(() => pool.completedTaskCount === count + 1)
      await turns(2)
      const expected = before ?? thrown
      heard.push(...pools.takeUncaught())
      if (expected !== undefined) assert.equal(heard.pop(), expected)
      assert.deepEqual(heard, [])
      assert.equal(pool.calls.slice(calls).length, before === undefined ? 2 : 1, "afterExecute only after a run")
      assert.equal(pool.poolSize, 2)
    }
  }
  assert.equal(pool.completedTaskCount, 25)
  assert.equal(pools.threads.length, 2 + 24)
})

test("[TP36] a FutureTask given to execute keeps its error, one whose done() throws does not", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  class Loud extends FutureTask<string> {
    protected override done(): void {
      throw new Error("done")
    }
  }
  const quiet = new FutureTask(() => Promise.reject(new InterruptedError("its own")))
  const loud = new Loud(() => "value")
  pool.execute(quiet)
  pool.execute(loud)
  await eventually(() => pool.completedTaskCount === 2 && pool.activeCount === 0)
  await turns()
  assert.deepEqual([quiet.state, loud.state, loud.resultNow()], ["failed", "success", "value"])
  assert.deepEqual(pools.takeUncaught().map(String), ["Error: done"])
})
