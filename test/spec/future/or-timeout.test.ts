/** Time limits that are set after submission. Ids such as [FT62] refer to docs/spec/future.md. */
import {
  CountDownLatch,
  Executors,
  fork,
  ForkJoinPool,
  FutureTask,
  platformThreads,
  ScheduledThreadPoolExecutor,
  Thread,
  type ThreadFactory,
  TimeoutError,
  UnsupportedOperationError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import * as tasks from "./or-timeout-tasks.ts"

const kinds: Record<string, () => ThreadFactory> = {
  virtual: () => virtualThreads(),
  platform: () => platformThreads(),
}

for (const [kind, factory] of Object.entries(kinds)) {
  test(`[FT62] a running task fails with TimeoutError and is interrupted, on ${kind} threads`, async () => {
    await using pool = Executors.newFixedThreadPool(1, factory())
    const latch = new CountDownLatch(2)
    const future = pool.submit(tasks.sleepLong, latch)
    await eventually(() => latch.count === 1)
    assert.equal(future.orTimeout(5), future)
    const error = await rejectionOf(future)
    assert.ok(error instanceof TimeoutError)
    assert.match(error.message, /did not end within 5 ms/)
    assert.deepEqual([future.state, future.isCancelled], ["failed", false])
    await latch.await()
    assert.equal(await pool.submit(() => "on"), "on")
  })

  test(`[FT62] a task that waits in the queue never runs, on ${kind} threads`, async () => {
    await using pool = Executors.newFixedThreadPool(1, factory())
    const gate = new CountDownLatch(1)
    const runs = new CountDownLatch(1)
    const first = pool.submit(tasks.pass, gate)
    const second = pool.submit(tasks.open, runs).orTimeout(1)
    assert.ok((await rejectionOf(second)) instanceof TimeoutError)
    gate.countDown()
    await first
    assert.equal(await pool.submit(() => 1), 1)
    assert.equal(runs.count, 1)
  })

  test(`[FT62] a task that is done in time is not touched, on ${kind} threads`, async () => {
    await using pool = Executors.newFixedThreadPool(1, factory())
    assert.equal(await pool.submit(() => 5).orTimeout(3_600_000), 5)
    const done = pool.submit(() => 6)
    await done
    assert.equal(await done.orTimeout(1).orTimeout(Infinity), 6)
    const gate = new CountDownLatch(1)
    const first = pool.submit(tasks.pass, gate)
    const cancelled = pool.submit(() => 7)
    assert.equal(cancelled.cancel(), true)
    assert.equal(cancelled.orTimeout(1).state, "cancelled")
    gate.countDown()
    await first
  })

  test(`[FT62] the first of several limits counts, beside those of with(), on ${kind} threads`, async () => {
    await using pool = Executors.newFixedThreadPool(1, factory())
    const future = pool.submit(tasks.sleepLong).orTimeout(3_600_000).orTimeout(2).orTimeout(3_600_000)
    assert.match(String(await rejectionOf(future)), /within 2 ms/)
    const limited = pool.with({ timeout: 3 }).submit(tasks.sleepLong).orTimeout(3_600_000)
    assert.match(String(await rejectionOf(limited)), /within 3 ms/)
    const controller = new AbortController()
    const signalled = pool.with({ signal: controller.signal }).submit(tasks.sleepLong).orTimeout(3_600_000)
    controller.abort(new RangeError("enough"))
    assert.equal(((await rejectionOf(signalled)) as Error).name, "CancellationError")
    const retried = pool.with({ retry: { attempts: 3, delay: 3_600_000 } }).submit(() => {
      throw new RangeError("again")
    })
    assert.match(String(await rejectionOf(retried.orTimeout(20))), /within 20 ms/)
  })

  test(`[FT62] the limit of a series ends it, on ${kind} threads`, async () => {
    await using pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: factory() })
    const series = [
      pool.scheduleAtFixedRate(() => 1, 0, 1),
      pool.scheduleWithFixedDelay(() => 1, 3_600_000, 1),
      pool.scheduleCron(() => 1, "0 0 1 1 *"),
      pool.schedule(() => 1, 3_600_000),
    ]
    for (const future of series) assert.ok((await rejectionOf(future.orTimeout(3))) instanceof TimeoutError)
    pool.removeOnCancel = true
    await eventually(() => pool.schedules().length === 0)
    pool.shutdownNow()
  })
}

test("[FT62] wrong limits are refused, and a forked task has none", async () => {
  const task = new FutureTask(() => 1)
  for (const wrong of ["5", null, undefined]) assert.throws(() => task.orTimeout(wrong as never), TypeError)
  for (const wrong of [0, -1, NaN]) assert.throws(() => task.orTimeout(wrong), RangeError)
  await using pool = new ForkJoinPool({ parallelism: 1 })
  const name = await pool.invoke(() => "x")
  assert.equal(name, "x")
  assert.throws(() => fork(() => 1).orTimeout(5), UnsupportedOperationError)
})

test("[FT62] a done() that throws is reported, and the future is settled", async () => {
  class Loud extends FutureTask<unknown> {
    protected override done(): void {
      throw new RangeError("done")
    }
  }
  const reported: unknown[] = []
  const uncaughtException = (_thread: Thread, error: unknown): void => void reported.push(error)
  await using pool = Executors.newFixedThreadPool(1, virtualThreads({ uncaughtException }))
  const task = new Loud(() => 1)
  await pool.submit(() => void task.orTimeout(1))
  assert.ok((await rejectionOf(task)) instanceof TimeoutError)
  await eventually(() => reported.length === 1)
  assert.match(String(reported[0]), /RangeError: done/)
})

test("[FT62] a limit inside of a task: the outer task is not interrupted", async () => {
  await using pool = Executors.newVirtualThreadPerTaskExecutor()
  const outer = pool.submit(async () => {
    const inner = pool.submit(() => Thread.sleep(3_600_000)).orTimeout(1)
    return ((await rejectionOf(inner)) as Error).name
  })
  assert.equal(await outer, "TimeoutError")
})
