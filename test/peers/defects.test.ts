/** Defects of other pools, as things that must not happen here. Ids such as [PD4] refer to docs/spec/peers.md. */
import {
  ArrayBlockingQueue,
  CancellationError,
  type Future,
  InterruptedError,
  PriorityBlockingQueue,
  RejectedExecutionError,
  type Runnable,
  SynchronousQueue,
  Thread,
  TimeoutError,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import { eventually, rejectionOf, thrownBy, turns } from "../support/harness.ts"
import { Pools } from "../support/pools.ts"

for (const [threads, tasks] of [
  [1, 5],
  [2, 10],
  [2, 20],
  [4, 40],
] as const) {
  test(`[PD1] close() with ${threads} threads and ${tasks} tasks loses none`, async () => {
    await using pools = new Pools()
    const pool = pools.fixed(threads)
    const futures = Array.from({ length: tasks }, (_, i) =>
      pool.submit(async () => {
        for (let left = i % 4; left > 0; left--) await turn()
        return i
      }),
    )
    await pool.close()
    assert.deepEqual(
      futures.map((future) => future.resultNow()),
      futures.map((_, i) => i),
    )
  })
}

test("[PD2] the capacity of the queue holds for tasks with a signal as for others", async () => {
  await using pools = new Pools()
  const { signal } = new AbortController()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new ArrayBlockingQueue(2) })
  const gate = pools.gate()
  const refused: number[] = []
  for (let i = 0; i < 20; i++) {
    try {
      pool.with({ signal }).submit(gate.body)
    } catch (error) {
      assert.ok(error instanceof RejectedExecutionError)
      refused.push(i)
    }
  }
  assert.equal(refused.length, 17)
  assert.equal(pool.queue.size, 2)
})

test("[PD3] without room a second task is refused, and not run", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new SynchronousQueue() })
  const gate = pools.gate()
  const first = pool.submit(gate.body)
  let ran = false
  assert.ok(thrownBy(() => pool.submit(() => (ran = true))) instanceof RejectedExecutionError)
  gate.open()
  await first
  await pool.close()
  assert.equal(ran, false)
})

test("[PD4] one thread, eight tasks: they begin and end in order", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const events: string[] = []
  const futures = Array.from({ length: 8 }, (_, i) =>
    pool.submit(async () => {
      events.push(`begin ${i}`)
      for (let left = 8 - i; left > 0; left--) await turn()
      events.push(`end ${i}`)
    }),
  )
  await Promise.all(futures)
  assert.deepEqual(
    events,
    futures.flatMap((_, i) => [`begin ${i}`, `end ${i}`]),
  )
})

test("[PD5] tasks with a signal run first come, first served, among those without", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const { signal } = new AbortController()
  const order: number[] = []
  const abortable = pool.with({ signal })
  const futures = Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? abortable : pool).submit(() => order.push(i)))
  await Promise.all(futures)
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7])
})

test("[PD5] a signal does not lead past a priority queue", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new PriorityBlockingQueue<Runnable>() })
  const { signal } = new AbortController()
  const gate = pools.gate()
  pool.with({ priority: 0 }).execute(gate.body)
  const order: number[] = []
  const futures = [2, 9, 4, 7].map((priority) => {
    const view = pool.with(priority > 5 ? { priority } : { priority, signal })
    return view.submit(() => order.push(priority))
  })
  gate.open()
  await Promise.all(futures)
  assert.deepEqual(order, [9, 7, 4, 2])
})

test("[PD6] after the end tasks are refused and no thread is made", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  await pool.submit(() => undefined)
  await pool.close()
  const made = pools.threads.length
  for (const give of [
    () => pool.execute(() => assert.fail("ran")),
    () => pool.submit(() => assert.fail("ran")),
    () => pool.with({ timeout: 5 }).submit(() => assert.fail("ran")),
  ]) {
    assert.ok(thrownBy(give) instanceof RejectedExecutionError)
  }
  assert.ok((await rejectionOf(pool.invokeAll([() => assert.fail("ran")]))) instanceof RejectedExecutionError)
  assert.equal(pool.prestartAllCoreThreads(), 0)
  assert.equal(pools.threads.length, made)
})

test("[PD7] functions, symbols, proxies and empty things are results like any other", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const circle: { self?: unknown } = {}
  circle.self = circle
  for (const value of [() => 1, Symbol("s"), 4n, circle, new Proxy({}, {}), null, undefined, new WeakMap(), NaN]) {
    const future = pool.submit((): unknown => value)
    assert.equal(await future, value)
    assert.equal(future.resultNow(), value)
    assert.equal(await pool.submit(async (): Promise<unknown> => value), value)
  }
})

test("[PD10] a task that computes in slices sees that it was cancelled and stops", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  let steps = 0
  const future = pool.submit(async () => {
    while (!Thread.interrupted()) {
      steps++
      await turn()
    }
    return "stopped by itself"
  })
  await eventually(() => steps > 3)
  future.cancel(true)
  assert.equal(future.state, "cancelled", "told at once")
  await eventually(() => pool.activeCount === 0)
  const last = steps
  await turns()
  assert.equal(steps, last)
  assert.ok((await rejectionOf(future)) instanceof CancellationError)
})

test("[PD10] aborting a signal stops a task that waits, also for something that is not corepool's", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  const controller = new AbortController()
  const view = pool.with({ signal: controller.signal })
  const ends: unknown[] = []
  const futures = [
    view.submit(async () => ends.push(await rejectionOf(Thread.sleep(1_000_000)))),
    view.submit(async () => {
      const { signal } = Thread.currentThread()
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
      ends.push(signal.reason)
    }),
  ]
  await eventually(() => pool.activeCount === 2)
  await turns()
  controller.abort(new Error("no longer wanted"))
  for (const future of futures) {
    const error = await rejectionOf(future)
    assert.ok(error instanceof CancellationError)
    assert.equal(String(error.cause), "Error: no longer wanted")
  }
  await eventually(() => ends.length === 2)
  assert.ok(ends.every((end) => end instanceof InterruptedError))
})

test("[PD11] close() returns when what runs has ended; after shutdownNow() nothing is pending", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const running = pool.submit(gate.body)
  let closed = false
  const closing = pool.close().then(() => (closed = true))
  await turns()
  assert.deepEqual([closed, running.isDone], [false, false])
  gate.open("ended")
  await closing
  assert.equal(running.resultNow(), "ended")

  const other = pools.fixed(1)
  const futures = [1, 2, 3].map(() => other.submit(() => Thread.sleep(1_000_000)))
  await turns()
  other.shutdownNow()
  assert.equal(await other.awaitTermination(), true)
  assert.deepEqual(
    futures.map((future) => future.state),
    ["failed", "cancelled", "cancelled"],
  )
})

test("[PD12] the thread of a cancelled task is at once there for the next", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const cancelled = pool.submit(gate.interruptible)
  const next = pool.submit(() => Thread.currentThread())
  await gate.entered()
  cancelled.cancel(true)
  for (let i = 0; i < 20; i++) await Promise.resolve() // no timer, not even a turn of the loop
  assert.equal(next.resultNow(), gate.threads[0])
  assert.equal(pools.threads.length, 1)
})

test("[PD13] whatever is thrown is what the future rejects with, and the thread goes on", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const circle = new Error("with a circle") as Error & { self?: unknown }
  circle.self = circle
  const withBigInt = Object.assign(new Error("with a BigInt"), { amount: 4n, hook: () => 1 })
  const things: unknown[] = [circle, withBigInt, undefined, null, 4n, Object.create(null)]
  for (const thrown of things) {
    const future = pool.submit(() => {
      throw thrown
    })
    assert.equal(await rejectionOf(future), thrown)
    assert.equal(typeof String(pool), "string")
  }
  assert.equal(pools.threads.length, 1)
})

test("[PD14] an error that nobody catches hangs nothing", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  const gate = pools.gate()
  const beside = pool.submit(gate.body)
  for (let i = 0; i < 10; i++) {
    pool.execute(async () => {
      await turn()
      throw new Error(`uncaught ${i}`)
    })
  }
  const behind = pool.submit(() => "behind them")
  assert.equal(await behind, "behind them")
  gate.open("beside them")
  assert.equal(await beside, "beside them")
  await pool.close()
  await turns()
  assert.equal(pools.takeUncaught().length, 10)
})

test("[PD15] 100 000 outstanding tasks each get their own result", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(3)
  const gate = pools.gate()
  for (let i = 0; i < 3; i++) pool.execute(gate.body)
  const futures = Array.from({ length: 100_000 }, (_, i) => pool.submit(() => i))
  gate.open()
  await pool.close()
  assert.ok(futures.every((future, i) => future.resultNow() === i))
})

test("[PD16] aborting tasks in any order, waiting or running, stalls nothing", async () => {
  await using pools = new Pools()
  for (const order of [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [1, 3, 0, 2],
  ]) {
    const pool = pools.fixed(2)
    const controllers = order.map(() => new AbortController())
    const futures = controllers.map(({ signal }) => pool.with({ signal }).submit(() => Thread.sleep(1_000_000)))
    const last = pool.submit(() => "ran")
    await eventually(() => pool.activeCount === 2)
    for (const i of order) controllers[i]?.abort()
    assert.equal(await last, "ran")
    for (const future of futures) assert.ok((await rejectionOf(future)) instanceof CancellationError)
    await eventually(() => pool.activeCount === 0)
  }
})

test("[PD17] a late cancellation does not reach the next task on the thread", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  for (let delay = 0; delay < 12; delay++) {
    const interrupted: boolean[] = []
    const first = pool.submit(async () => undefined)
    const second = pool.submit(async () => {
      for (let i = 0; i < 6; i++) {
        interrupted.push(Thread.currentThread().isInterrupted)
        await Promise.resolve()
      }
    })
    for (let i = 0; i < delay; i++) await Promise.resolve()
    first.cancel(true) // before it begins, while it runs, as it ends, when it has long been over
    await second
    assert.deepEqual(new Set(interrupted), new Set([false]), `cancelled after ${delay} microtasks`)
    assert.ok(["cancelled", "success"].includes(first.state))
  }
})

test("[PD18] tasks that are thrown out of the queue settle", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  const futures: Future<unknown>[] = Array.from({ length: 5 }, () => pool.submit(() => assert.fail("ran")))
  const all = Promise.allSettled(futures.map((future) => future.get()))
  pool.shutdownNow()
  assert.ok((await all).every((outcome) => outcome.status === "rejected"))
})

test("[PD19] a time limit counts from the start of the task", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  const limited = pool.with({ timeout: 5 })
  const quick = limited.submit(() => "quick")
  const slow = limited.submit(() => Thread.sleep(1_000_000))
  // Far longer in the queue than the limit, if it counted there: another task's limit of the same length passes
  // meanwhile.
  const clock = pools.fixed(1).with({ timeout: 10 })
  assert.ok((await rejectionOf(clock.submit(() => Thread.sleep(1_000_000)))) instanceof TimeoutError)
  assert.deepEqual([quick.isDone, slow.isDone], [false, false])
  gate.open()
  assert.equal(await quick, "quick")
  assert.ok((await rejectionOf(slow)) instanceof TimeoutError)
})
