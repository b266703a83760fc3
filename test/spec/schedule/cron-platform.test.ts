/** Series by the calendar on platform threads. Ids such as [CR33] refer to docs/spec/cron.md. */
import {
  CancellationError,
  Executors,
  platformThreads,
  RejectedExecutionError,
  ScheduledThreadPoolExecutor,
  TaskNotPortableError,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"

test("[CR33] runs are tasks of worker threads, with their arguments, until the series is cancelled", async () => {
  const pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1 })
  try {
    const runs = new Int32Array(new SharedArrayBuffer(8))
    const series = pool.scheduleCron(
      async (memory: Int32Array) => {
        const { isMainThread: isMain } = await import("node:worker_threads")
        memory[1] = isMain ? 1 : 2
        memory[0] = (memory[0] ?? 0) + 1
      },
      "* * * * * *",
      {},
      runs,
    )
    assert.deepEqual([series.isPeriodic, series.nextRunAt !== undefined, pool.queue.size], [true, true, 1])
    await eventually(() => (runs[0] ?? 0) >= 2)
    assert.equal(runs[1], 2)
    pool.removeOnCancel = true
    await eventually(() => pool.queue.size === 1)
    series.cancel()
    assert.deepEqual([series.state, pool.queue.size], ["cancelled", 0])
  } finally {
    await pool.close()
  }
})

test("[CR33] an error ends the series, and what is not portable is refused", async () => {
  const pool = Executors.newSingleThreadScheduledExecutor()
  try {
    const series = pool.scheduleCron(() => {
      throw new RangeError("own")
    }, "* * * * * *")
    const outer = { value: 1 } // a plain number may be put in its place by the runtime
    const error = await rejectionOf(pool.scheduleCron(() => outer.value, "* * * * * *"))
    assert.ok(error instanceof TaskNotPortableError)
    assert.match(String(await rejectionOf(series)), /^RangeError: own/)
    assert.match(String(thrownBy(() => pool.scheduleCron(() => undefined, "x"))), /^RangeError: Expected `expression`/)
  } finally {
    await pool.close()
  }
})

test("[CR29] a worker thread whose wall clock was set back puts the run off", async () => {
  const preload = [new URL("cron-set-back.js", import.meta.url)]
  const pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: platformThreads({ preload }) })
  try {
    const runs = new Int32Array(new SharedArrayBuffer(8))
    const series = pool.scheduleCron(
      (memory: Int32Array) => {
        memory[0] = (memory[0] ?? 0) + 1
        memory[1] = Number((globalThis as { setBack?: boolean }).setBack)
      },
      "* * * * * *",
      {},
      runs,
    )
    pool.removeOnCancel = true
    await eventually(() => (runs[0] ?? 0) > 0)
    assert.equal(series.state, "running")
    series.cancel()
    // It was taken once more than it was run; then the clock was right.
    await eventually(() => pool.activeCount === 0 && pool.completedTaskCount === (runs[0] ?? 0) + 1)
    assert.equal(runs[1], 0)
  } finally {
    pool.shutdownNow()
    await pool.awaitTermination()
  }
})

test("[CR26] shutdownNow gives back one run of a series on platform threads, and cancels it with the reason", async () => {
  const pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1 })
  const series = pool.scheduleCron(() => undefined, "0 0 29 2 *")
  assert.equal(pool.shutdownNow().length, 1)
  const error = await rejectionOf(series)
  assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
  assert.equal(await pool.awaitTermination(), true)
})

test("[CR25] at shutdown a series on platform threads is cancelled, or has one more run", async () => {
  const pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1 })
  const first = pool.scheduleCron(() => undefined, "* * * * * *")
  pool.shutdown()
  assert.equal(first.isCancelled, true)
  assert.equal(await pool.awaitTermination(), true)
  const other = new ScheduledThreadPoolExecutor({ corePoolSize: 1 })
  const runs = new Int32Array(new SharedArrayBuffer(4))
  other.continueExistingPeriodicTasksAfterShutdown = true
  const held = new Int32Array(new SharedArrayBuffer(4))
  other.execute((word: Int32Array) => void Atomics.wait(word, 0, 0), held) // no run before the shutdown, even if a second is over by then
  const second = other.scheduleCron(
    (memory: Int32Array) => {
      memory[0] = (memory[0] ?? 0) + 1
    },
    "* * * * * *",
    {},
    runs,
  )
  other.shutdown()
  Atomics.store(held, 0, 1)
  Atomics.notify(held, 0)
  assert.equal(await other.awaitTermination(), true)
  await eventually(() => second.isDone)
  assert.deepEqual([second.state, runs[0]], ["cancelled", 1])
})
