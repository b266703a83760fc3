/** Tasks on virtual threads that do not stop. Ids such as [AB1] refer to docs/spec/pool.md. */
import {
  Executors,
  ExecutorCompletionService,
  FutureTask,
  LinkedBlockingQueue,
  ReentrantLock,
  platformThreads,
  Thread,
  ThreadDeathError,
  TimeoutError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { FakeClock } from "../../support/fake-clock.ts"
import { eventually, Gate, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { HookedPool } from "../../support/hooked-pool.ts"
import { Pools } from "../../support/pools.ts"

/** Pools whose tasks are abandoned after 100 ms. */
function abandoning(abandonAfter = 100): Pools {
  return new Pools((options) => virtualThreads({ ...options, abandonAfter }))
}

/** How a task is told to stop, and how its future ends. */
const WAYS = [
  ["cancel(true)", "cancelled"],
  ["a time limit", "failed"],
  ["a signal", "cancelled"],
] as const

for (const [way, state] of WAYS) {
  test(`[AB1] [AB4] a task that ignores ${way} gives its place free`, async () => {
    await using pools = abandoning()
    using clock = new FakeClock()
    const pool = pools.fixed(1)
    const gate = pools.gate()
    const caller = new AbortController()
    const future =
      way === "cancel(true)"
        ? pool.submit(gate.body)
        : pool.with(way === "a signal" ? { signal: caller.signal } : { timeout: 50 }).submit(gate.body)
    const next = pool.submit(() => Thread.currentThread().name)
    await gate.entered()
    if (way === "cancel(true)") future.cancel(true)
    else if (way === "a signal") caller.abort()
    else clock.advance(50)
    assert.equal(future.state, state)
    clock.advance(99)
    await turns()
    assert.equal(next.state, "running")
    assert.deepEqual([pool.poolSize, pool.activeCount, pool.completedTaskCount], [1, 1, 0])
    assert.equal(pool.stats().abandoned, 0)
    clock.advance(1)
    await turns()
    assert.equal(next.state, "success")
    assert.notEqual(next.resultNow(), pools.threads[0]?.name)
    assert.deepEqual([pool.poolSize, pool.activeCount, pool.completedTaskCount], [1, 0, 2])
    assert.equal(pool.stats().abandoned, 1)
    assert.equal(future.state, state)
    gate.open("late")
    await eventually(() => pool.stats().abandoned === 0)
    assert.deepEqual([pool.poolSize, pool.activeCount, pool.completedTaskCount, pool.taskCount], [1, 0, 2, 2])
    assert.equal(future.state, state)
  })
}

test("[AB1] by default no task is abandoned", async () => {
  for (const options of [{}, { abandonAfter: Infinity }]) {
    await using pools = new Pools((given) => virtualThreads({ ...given, ...options }))
    using clock = new FakeClock()
    const pool = pools.fixed(1)
    const gate = pools.gate()
    const future = pool.submit(gate.body)
    await gate.entered()
    future.cancel(true)
    assert.equal(clock.ticking, 0)
    clock.advance(1e9)
    await turns()
    assert.deepEqual([pool.activeCount, pool.stats().abandoned], [1, 0])
    gate.open()
    await eventually(() => pool.activeCount === 0)
  }
})

test("[AB2] a task in a wait of corepool stops in time, and its thread stays", async () => {
  const lock = new ReentrantLock()
  await lock.lock()
  const queue = new LinkedBlockingQueue<number>()
  await using pools = abandoning(0)
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const waits = [
    gate.interruptible,
    () => Thread.sleep(1e6),
    () => queue.take(),
    () => lock.lockInterruptibly(),
  ] as (() => Promise<unknown>)[]
  for (const wait of waits) {
    let isInside = false
    const future = pool.submit(() => {
      isInside = true
      return wait()
    })
    await eventually(() => isInside)
    future.cancel(true)
    await eventually(() => pool.activeCount === 0)
  }
  assert.equal(await pool.submit(() => "next"), "next")
  assert.deepEqual([pools.threads.length, pool.stats().abandoned, pool.completedTaskCount], [1, 0, 5])
  lock.unlock()
})

test("[AB2] [AB7] a task that stops in time leaves no timer behind, and its thread stays", async () => {
  await using pools = abandoning()
  using clock = new FakeClock()
  const pool = pools.fixed(1)
  for (let round = 0; round < 2; round++) {
    const gate = pools.gate()
    const future = pool.submit(gate.body)
    await gate.entered()
    future.cancel(true)
    assert.equal(clock.foreground, 1)
    clock.advance(99)
    gate.open()
    await eventually(() => pool.activeCount === 0)
    assert.equal(clock.ticking, 0)
  }
  clock.advance(100)
  assert.deepEqual([pools.threads.length, pool.stats().abandoned, pool.completedTaskCount], [1, 0, 2])
})

test("[AB2] the time of a task that has ended does not count for the next one", async () => {
  await using pools = abandoning()
  using clock = new FakeClock()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const first: FutureTask<unknown> = new FutureTask(() => first.cancel(true))
  pool.execute(first)
  const second = pool.submit(gate.body)
  await gate.entered()
  clock.advance(50)
  second.cancel(true)
  clock.advance(99)
  assert.equal(pool.stats().abandoned, 0)
  clock.advance(1)
  assert.equal(pool.stats().abandoned, 1)
})

for (const [what, finish] of [
  ["its result", (gate: Gate) => gate.open("late")],
  ["its error", (gate: Gate) => gate.fail(new Error("late"))],
] as const) {
  test(`[AB3] ${what} is dropped, and the hooks are called once`, async () => {
    await using pools = abandoning()
    using clock = new FakeClock()
    const pool = pools.adopt(new HookedPool({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: pools.factory }))
    let inHook: Thread | undefined
    let wasInterrupted = true
    pool.after = () => {
      inHook = Thread.currentThread()
      wasInterrupted = Thread.interrupted()
    }
    const gate = pools.gate()
    const future = pool.submit(gate.body)
    await gate.entered()
    future.cancel(true)
    clock.advance(100)
    assert.deepEqual(pool.names, ["beforeExecute", "afterExecute"])
    assert.equal(pool.calls[1]?.task, future)
    assert.equal(pool.calls[1]?.error, undefined)
    assert.equal(inHook, pools.threads[0])
    assert.equal(wasInterrupted, false)
    finish(gate)
    await eventually(() => pool.stats().abandoned === 0)
    await eventually(() => pools.threads[0]?.isAlive === false)
    assert.deepEqual(pool.names, ["beforeExecute", "afterExecute"])
    assert.deepEqual([pool.completedTaskCount, pool.poolSize, future.isCancelled], [1, 1, true])
  })
}

test("[AB3] an abandoned periodic task does not come back", async () => {
  using clock = new FakeClock()
  await using pool = Executors.newScheduledThreadPool(1, virtualThreads({ abandonAfter: 10 }))
  const gate = new Gate()
  const series = pool.scheduleAtFixedRate(gate.body, 0, 1)
  clock.advance(1)
  await gate.entered()
  series.cancel(true)
  clock.advance(10)
  assert.equal(pool.stats().abandoned, 1)
  gate.open()
  await eventually(() => pool.stats().abandoned === 0)
  clock.advance(10)
  await turns()
  assert.equal(gate.entries, 1)
  assert.equal(pool.queue.size, 0)
})

test("[AB4] stats().abandoned is the number of abandoned tasks that still run", async () => {
  await using pools = abandoning()
  using clock = new FakeClock()
  const pool = pools.fixed(2)
  const gates = Array.from({ length: 6 }, () => pools.gate())
  for (const [index, gate] of gates.entries()) {
    const future = pool.submit(gate.body)
    await gate.entered()
    future.cancel(true)
    clock.advance(100)
    assert.equal(pool.stats().abandoned, index + 1)
  }
  for (const [index, gate] of gates.entries()) {
    gate.open()
    await eventually(() => pool.stats().abandoned === 5 - index)
  }
  const { threads, active, queued, completed } = pool.stats()
  assert.deepEqual({ threads, active, queued, completed }, { threads: 2, active: 0, queued: 0, completed: 6 })
  await using platform = Executors.newFixedThreadPool(1, platformThreads())
  assert.equal(platform.stats().abandoned, 0)
})

test("[AB5] after shutdownNow a pool terminates without the tasks that do not stop", async () => {
  await using pools = abandoning()
  using clock = new FakeClock()
  const pool = pools.adopt(new HookedPool({ corePoolSize: 3, maximumPoolSize: 3, threadFactory: pools.factory }))
  const gate = pools.gate()
  const future = pool.submit(gate.body)
  const cancelled = pool.submit(gate.body)
  pool.execute(gate.body)
  await gate.entered(3)
  cancelled.cancel()
  pool.shutdownNow()
  clock.advance(99)
  await turns()
  assert.equal(pool.isTerminated, false)
  clock.advance(1)
  assert.equal(pool.isTerminated, true)
  assert.equal(await pool.awaitTermination(), true)
  const error = await rejectionOf(future)
  assert.ok(error instanceof ThreadDeathError)
  assert.equal(
    error.message,
    `The task on thread "${pools.threads[0]?.name}" was abandoned: it did not stop within 100 ms`,
  )
  assert.equal(cancelled.isCancelled, true)
  const uncaught = pools.takeUncaughtWithThreads()
  assert.deepEqual(
    uncaught.map(({ thread }) => thread),
    [pools.threads[2]],
  )
  assert.ok(uncaught[0]?.error instanceof ThreadDeathError)
  assert.deepEqual(
    pool.calls.filter(({ hook }) => hook === "afterExecute").map((call) => call.error),
    [undefined, undefined, uncaught[0].error],
  )
  assert.equal(pool.names.at(-1), "terminated")
  assert.deepEqual([pool.completedTaskCount, pool.activeCount, pool.stats().abandoned], [3, 0, 3])
  gate.fail(new Error("late"))
  await eventually(() => pool.stats().abandoned === 0)
  assert.deepEqual(pool.completedTaskCount, 3)
})

test("[AB5] a task that had not begun when the pool was stopped is abandoned as well", async () => {
  await using pools = abandoning()
  using clock = new FakeClock()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  pool.shutdownNow()
  await gate.entered()
  assert.equal(pool.isTerminated, false)
  clock.advance(100)
  assert.equal(pool.isTerminated, true)
  assert.equal(pools.takeUncaught().length, 1)
})

test("[AB6] cancel(false) and interrupt() are no reason to abandon a task", async () => {
  await using pools = abandoning()
  using clock = new FakeClock()
  const pool = pools.fixed(2)
  const gate = pools.gate()
  const first = pool.submit(gate.body)
  const second = pool.submit(gate.body)
  await gate.entered(2)
  first.cancel()
  for (const thread of gate.threads) thread.interrupt()
  clock.advance(1000)
  assert.deepEqual([pool.activeCount, pool.stats().abandoned], [2, 0])
  gate.open("in time")
  assert.equal(await second, "in time")
})

test("[AB6] the cancellation of a future that a task runs itself is not that of the task", async () => {
  await using pools = abandoning()
  using clock = new FakeClock()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const inner = new FutureTask(gate.body)
  const outer = pool.submit(async () => {
    await inner.run()
  })
  await gate.entered()
  inner.cancel(true)
  clock.advance(1000)
  assert.deepEqual([pool.activeCount, pool.stats().abandoned, outer.state], [1, 0, "running"])
  gate.open()
  await outer
  assert.equal(outer.state, "success")
})

test("[AB6] the time counts from the interrupt of the task itself", async () => {
  await using pools = abandoning()
  using clock = new FakeClock()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const inner = new FutureTask(gate.body)
  const last = new FutureTask(gate.body)
  const outer = pool.submit(() => Promise.all([inner.run(), last.run()]))
  await gate.entered(2)
  inner.cancel(true)
  clock.advance(50)
  outer.cancel(true)
  clock.advance(50)
  last.cancel(true)
  assert.equal(pool.stats().abandoned, 0)
  clock.advance(49)
  assert.equal(pool.stats().abandoned, 0)
  clock.advance(1)
  assert.equal(pool.stats().abandoned, 1)
})

test("[AB8] an executor with a thread for each task ends without a task that does not stop", async () => {
  using clock = new FakeClock()
  const uncaught: unknown[] = []
  const factory = virtualThreads({ abandonAfter: 100, uncaughtException: (_, error) => uncaught.push(error) })
  const executor = Executors.newThreadPerTaskExecutor(factory)
  const gate = new Gate()
  const future = executor.submit(gate.body)
  await gate.entered()
  future.cancel(true)
  clock.advance(100)
  assert.equal(executor.threadCount, 0)
  const other = executor.submit(gate.body)
  executor.execute(gate.body)
  await gate.entered(3)
  executor.shutdownNow()
  clock.advance(99)
  assert.deepEqual([executor.threadCount, executor.isTerminated], [2, false])
  clock.advance(1)
  assert.deepEqual([executor.threadCount, executor.isTerminated], [0, true])
  assert.ok((await rejectionOf(other)) instanceof ThreadDeathError)
  assert.equal(uncaught.length, 1)
  assert.ok(uncaught[0] instanceof ThreadDeathError)
  gate.fail(new Error("late"))
  await eventually(() => gate.threads.every((thread) => !thread.isAlive))
  assert.deepEqual([uncaught.length, future.isCancelled], [1, true])
})

test("[AB8] tasks of invokeAny and of a completion service are abandoned", async () => {
  await using pools = abandoning()
  using clock = new FakeClock()
  const pool = pools.fixed(2)
  const gate = pools.gate()
  const winner = pools.gate()
  const any = pool.invokeAny([gate.body, winner.body])
  await gate.entered()
  await winner.entered()
  winner.open("first")
  assert.equal(await any, "first")
  clock.advance(100)
  assert.deepEqual([pool.activeCount, pool.stats().abandoned], [0, 1])
  const service = new ExecutorCompletionService<unknown>(pool)
  const future = service.submit(gate.body)
  await gate.entered(2)
  future.cancel(true)
  clock.advance(100)
  assert.deepEqual([pool.activeCount, pool.stats().abandoned], [0, 2])
  assert.equal((await service.take()).future, future)
})

test("[AB8] an attempt that does not stop gives its place to the next attempt", async () => {
  await using pools = abandoning()
  using clock = new FakeClock()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const future = pool.with({ retry: { attempts: 2, delay: 0, attemptTimeout: 50 } }).submit(gate.body)
  await gate.entered()
  clock.advance(50)
  await turns()
  clock.advance(100)
  await turns()
  clock.advance(1)
  await gate.entered(2)
  clock.advance(50)
  assert.ok((await rejectionOf(future)) instanceof TimeoutError)
})

test("[AB9] the thread of an abandoned task is alive, interrupted, and keeps its lock until the task ends", async () => {
  await using pools = abandoning()
  using clock = new FakeClock()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const lock = new ReentrantLock()
  let seen: boolean | undefined
  const future = pool.submit(async () => {
    await lock.lock()
    try {
      await gate.body()
      seen = Thread.interrupted()
    } finally {
      lock.unlock()
    }
  })
  await gate.entered()
  future.cancel(true)
  clock.advance(100)
  assert.equal(await pool.submit(() => lock.tryLock()), false)
  assert.deepEqual([pools.threads[0]?.isAlive, lock.isLocked], [true, true])
  gate.open()
  await eventually(() => !lock.isLocked)
  await eventually(() => pools.threads[0]?.isAlive === false)
  assert.equal(seen, true)
})

test("[AB10] a hook or a factory that throws does not hurt the pool", async () => {
  const pools = abandoning()
  using clock = new FakeClock()
  const gate = new Gate()
  let fails = false
  const pool = new HookedPool({
    corePoolSize: 1,
    maximumPoolSize: 1,
    threadFactory: {
      isVirtual: true,
      newThread(target) {
        if (fails) throw new Error("no thread")
        return pools.factory.newThread(target)
      },
    },
  })
  pool.after = () => {
    throw new Error("hook")
  }
  const future = pool.submit(gate.body)
  await gate.entered()
  future.cancel(true)
  fails = true
  clock.advance(100)
  assert.deepEqual(pools.takeUncaught().map(String), ["Error: hook", "Error: no thread"])
  assert.deepEqual([pool.poolSize, pool.activeCount, pool.completedTaskCount], [0, 0, 1])
  fails = false
  pool.after = undefined
  assert.equal(await pool.submit(() => 1), 1)
  gate.open()
  await eventually(() => pool.stats().abandoned === 0)
  pool.shutdown()
  assert.equal(await pool.awaitTermination(), true)
  await pools[Symbol.asyncDispose]()
})

test("[AB11] an abandonAfter that is no duration is refused", () => {
  for (const wrong of ["1", null, {}]) {
    assert.ok(thrownBy(() => virtualThreads({ abandonAfter: wrong as never })) instanceof TypeError)
  }
  for (const wrong of [-1, NaN])
    assert.ok(thrownBy(() => virtualThreads({ abandonAfter: wrong })) instanceof RangeError)
})
