/** A pool that is paused: its queue, its threads and its schedules. Ids such as [PZ14] refer to docs/spec/pause.md. */
import {
  CancellationError,
  CallerRunsPolicy,
  Executors,
  IllegalStateError,
  SynchronousQueue,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { HookedPool } from "../../support/hooked-pool.ts"
import { Pools } from "../../support/pools.ts"
import { Timed } from "../testing/support.ts"

test("[PZ14] what is submitted to a paused pool is in its queue, and no thread is made for it", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(4)
  pool.pause()
  const futures = [1, 2, 3].map((n) => pool.submit(() => n))
  await turns()
  assert.deepEqual([pool.queue.size, pool.activeCount, pool.completedTaskCount], [3, 0, 0])
  assert.ok(pool.poolSize <= 1)
  pool.resume()
  assert.deepEqual(await Promise.all(futures), [1, 2, 3])
  assert.ok(pool.poolSize >= 3, "one for each task, as without the pause")
})

test("[PZ14] idle threads take nothing while the pool is paused, and may time out", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 0, maximumPoolSize: 2, keepAliveTime: 1 })
  await pool.submit(() => undefined)
  pool.pause()
  await eventually(() => pool.poolSize === 0)
  const future = pool.submit(() => "ran")
  await turns()
  assert.deepEqual([pool.queue.size, pool.activeCount], [1, 0])
  pool.resume()
  assert.equal(await future, "ran")
})

test("[PZ14] a task can be removed from the queue of a paused pool", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  pool.pause()
  const ran: string[] = []
  const first = pool.submit(() => ran.push("first"))
  const second = pool.submit(() => ran.push("second"))
  assert.equal(pool.remove(first), true)
  pool.resume()
  await second
  assert.deepEqual(ran, ["second"])
})

test("[PZ15] without room in the queue a task gets a thread, which waits with it; beyond the maximum it is refused", async () => {
  await using pools = new Pools()
  const refused: unknown[] = []
  const pool = pools.create({
    corePoolSize: 0,
    maximumPoolSize: 2,
    workQueue: new SynchronousQueue(),
    handler: (task) => void refused.push(task),
  })
  pool.pause()
  const futures = [1, 2, 3].map((n) => pool.submit(() => n))
  await turns()
  assert.deepEqual([pool.poolSize, pool.activeCount, refused.length], [2, 2, 1])
  pool.resume()
  assert.deepEqual(await Promise.all(futures.slice(0, 2)), [1, 2])
})

test("[PZ15] the caller that runs a refused task is not paused", async () => {
  await using pools = new Pools()
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new SynchronousQueue(),
    handler: CallerRunsPolicy,
  })
  pool.pause()
  const held = pool.submit(() => "held")
  assert.equal(await pool.submit(() => "by the caller"), "by the caller")
  assert.equal(held.isDone, false)
})

test("[PZ7] a task that never begins is not shown to the hooks, and is counted", async () => {
  const pool = new HookedPool({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: virtualThreads() })
  const future = pool.submit(() => "ran")
  pool.pause()
  await turns()
  assert.deepEqual(pool.shutdownNow(), [])
  const error = await rejectionOf(future)
  assert.ok(error instanceof CancellationError)
  assert.equal((error.cause as Error).name, "RejectedExecutionError")
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(pool.completedTaskCount, 1)
})

test("[PZ10] a task that leaves the queue, by hand or because the pool stops, may be the last", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  pool.pause()
  const future = pool.submit(() => undefined)
  const quiet = pool.awaitQuiescence()
  pool.remove(future)
  assert.equal(await quiet, true)
  const other = pool.submit(() => undefined)
  const again = pool.awaitQuiescence()
  other.cancel()
  pool.purge()
  assert.equal(await again, true)
  pool.submit(() => undefined)
  const atTheEnd = pool.awaitQuiescence()
  pool.shutdownNow()
  assert.equal(await atTheEnd, true)
})

test("[PZ10] a thread that dies of its command makes the pool quiescent, too", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  pool.execute(() => {
    throw new Error("it dies")
  })
  assert.equal(await pool.awaitQuiescence(), true)
  assert.equal(pools.takeUncaught().length, 1)
})

test("[PZ16] awaitQuiescence in a task of the same pool is an error", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  const perTask = Executors.newVirtualThreadPerTaskExecutor()
  for (const executor of [pool, perTask]) {
    const error = await executor.submit(() => rejectionOf(executor.awaitQuiescence()))
    assert.ok(error instanceof IllegalStateError)
  }
  await perTask.close()
})

test("[PZ17] schedules go on after a pause: what was due is late, and no run is lost at a fixed rate", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  pool.schedule(timed.note, 10, "once")
  pool.scheduleAtFixedRate(timed.note, 20, 20, "rate")
  await timed.clock.advance(5)
  pool.pause()
  await timed.clock.advance(65)
  assert.deepEqual(timed.take(), [])
  pool.resume()
  await timed.clock.advance(0)
  assert.deepEqual(timed.take(), ["once@70", "rate@70", "rate@70", "rate@70"])
  await timed.clock.advance(10)
  assert.deepEqual(timed.take(), ["rate@80"])
})

test("[PZ17] with a fixed delay the next run is one delay after the late one", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  pool.scheduleWithFixedDelay(timed.note, 20, 20, "delay")
  pool.pause()
  await timed.clock.advance(65)
  pool.resume()
  await timed.clock.advance(0)
  assert.deepEqual(timed.take(), ["delay@65"])
  await timed.clock.advance(20)
  assert.deepEqual(timed.take(), ["delay@85"])
})

test("[PZ17] by the calendar one late run stands for all that were due", async () => {
  await using timed = new Timed({ startAt: new Date("2026-01-01T00:00:30Z") })
  const pool = timed.open()
  pool.scheduleCron(timed.note, "* * * * *", { timezone: "UTC" }, "cron")
  pool.pause()
  await timed.clock.advance(5 * 60_000)
  pool.resume()
  await timed.clock.advance(0)
  assert.deepEqual(timed.take(), ["cron@300000"])
  await timed.clock.advance(30_000)
  assert.deepEqual(timed.take(), ["cron@330000"])
})

test("[PZ17] tasks that are not due yet are queued: a scheduled pool is quiescent when there are none", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  const future = pool.schedule(timed.note, 10, "once")
  assert.equal(await pool.awaitQuiescence(0), false)
  const quiet = pool.awaitQuiescence()
  await timed.clock.advance(10)
  assert.equal(await quiet, true)
  assert.equal(future.isDone, true)
})

test("[PZ1] a ThreadPoolExecutor that was paused before its first task", async () => {
  const pool = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1 })
  pool.pause()
  assert.equal(pool.isPaused, true)
  await pool.close()
  assert.equal(pool.isTerminated, true)
})
