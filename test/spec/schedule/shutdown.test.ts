/** The end of a scheduled pool. Ids such as [SC50] refer to docs/spec/schedule.md. */
import {
  AbortPolicy,
  CallerRunsPolicy,
  CancellationError,
  DiscardOldestPolicy,
  DiscardPolicy,
  FutureTask,
  type Future,
  RejectedExecutionError,
  type Runnable,
  type ScheduledThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { pass, Schedules } from "./support.ts"

test("[SC50] what is scheduled after shutdown goes to the handler, once, whichever way it comes", async () => {
  await using pools = new Schedules()
  for (const end of ["shutdown", "shutdownNow"] as const) {
    const refused: Runnable[] = []
    const pool = pools.open(1, { handler: (task) => void refused.push(task) })
    pool[end]()
    const futures = [
      pool.schedule(() => undefined, 5),
      pool.scheduleAtFixedRate(() => undefined, 5, 5),
      pool.scheduleWithFixedDelay(() => undefined, 5, 5),
      pool.submit(() => undefined),
    ]
    assert.deepEqual(refused, futures)
    pool.execute(() => undefined)
    assert.equal(refused.length, 5)
    assert.ok(
      futures.every((future) => !future.isDone),
      "what becomes of them is for the handler to say",
    )
    assert.deepEqual([pool.queue.size, pool.taskCount], [0, 0])
  }
})

test("[SC50] by default it is refused with a RejectedExecutionError that names the task and has it inside", async () => {
  await using pools = new Schedules()
  const pool = pools.open(1, { name: "clock", handler: AbortPolicy })
  pool.shutdown()
  const error = thrownBy(() => pool.schedule(function sample() {}, 5))
  assert.ok(error instanceof RejectedExecutionError)
  assert.match(error.message, /^Task .*task = sample\] rejected from clock\[Terminated, /)
  assert.equal((error.task as Future<void>).isDone, false)
})

test("[SC50] the policies that drop a task cancel its future", async () => {
  await using pools = new Schedules()
  for (const handler of [DiscardPolicy, DiscardOldestPolicy, CallerRunsPolicy]) {
    const pool = pools.open(1, { handler })
    pool.shutdown()
    let runs = 0
    const futures = [pool.schedule(() => runs++, 5), pool.scheduleAtFixedRate(() => runs++, 5, 5)]
    for (const future of futures) {
      const error = await rejectionOf(future)
      assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
    }
    assert.equal(runs, 0)
  }
})

test("[SC51] what is cancelled leaves the queue at shutdown, and does not hold up the end", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const futures = [1000, 2000].map((delay) => pool.schedule(() => undefined, delay))
  await turns()
  for (const future of futures) future.cancel()
  assert.equal(pool.queue.size, 2)
  pool.shutdown()
  assert.equal(pool.queue.size, 0)
  await turns()
  assert.equal(pool.isTerminated, true)
})

test("[SC51] what is cancelled after shutdown stays until its time, and with removeOnCancel ends the pool", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  for (const removes of [false, true]) {
    const pool = pools.open()
    pool.removeOnCancel = removes
    const future = pool.schedule(() => undefined, 10)
    await turns()
    pool.shutdown()
    future.cancel()
    await turns()
    assert.deepEqual([pool.queue.size, pool.isTerminated], removes ? [0, true] : [1, false])
    await pass(clock, 10)
    assert.equal(pool.isTerminated, true)
  }
})

test("[SC51] removing or purging the last task that waits ends a pool that is shut down", async () => {
  await using pools = new Schedules()
  const ways = [
    (pool: ScheduledThreadPoolExecutor, task: Future<unknown>) => pool.remove(task),
    (pool: ScheduledThreadPoolExecutor, task: Future<unknown>) => {
      task.cancel()
      pool.purge()
    },
  ]
  for (const way of ways) {
    const pool = pools.open()
    const future = pool.schedule(() => undefined, 1000)
    await turns()
    pool.shutdown()
    way(pool, future)
    await turns()
    assert.equal(pool.isTerminated, true)
  }
})

test("[SC52] shutdownNow interrupts what runs and returns what waits, in the order of the due times, as work that can be done elsewhere", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const other = pools.fixed(1)
  const gate = pools.gate()
  const done: string[] = []
  const running = pool.schedule(gate.interruptible, 0)
  const series = pool.scheduleAtFixedRate(() => done.push("series"), 20, 20)
  const late = pool.schedule(() => done.push("late"), 30)
  const due = pool.schedule(() => done.push("due"), 1)
  const enclosed = new FutureTask(() => done.push("enclosed"))
  pool.execute(enclosed)
  pool.execute(() => done.push("executed"))
  await pass(clock, 5)
  const work = pool.shutdownNow()
  assert.deepEqual([work.length, pool.queue.size], [5, 0])
  for (const future of [series, late, due, enclosed]) {
    const error = await rejectionOf(future)
    assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
  }
  assert.equal(String(await rejectionOf(running)), "InterruptedError: The thread was interrupted while waiting")
  await turns()
  assert.deepEqual([pool.isTerminated, pool.completedTaskCount], [true, 1])
  for (const task of work) other.execute(task)
  await turns()
  assert.deepEqual(done, ["enclosed", "executed", "due", "series", "late"])
  assert.deepEqual(pool.shutdownNow(), [])
})

test("[SC52] what was cancelled before comes back as it is, and does nothing", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  let runs = 0
  const future = pool.schedule(() => runs++, 1000)
  future.cancel()
  const work = pool.shutdownNow()
  assert.deepEqual(work, [future])
  pools.fixed(1).execute(work[0] as Runnable)
  await turns()
  assert.equal(runs, 0)
})

test("[SC52] a series that runs when the pool is stopped has run for the last time", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(2)
  const gate = pools.gate()
  const stubborn = pool.scheduleAtFixedRate(gate.body, 1, 1)
  const polite = pool.scheduleAtFixedRate(gate.interruptible, 1, 1)
  await pass(clock, 2)
  assert.deepEqual(pool.shutdownNow(), [])
  await turns()
  assert.deepEqual([polite.state, stubborn.state, pool.isTerminated], ["failed", "running", false])
  gate.open()
  await turns()
  assert.deepEqual([stubborn.state, pool.isTerminated], ["cancelled", true])
})

test("[SC53] a task that a thread has taken but not begun when the pool is stopped is cancelled and does not run", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  await pool.submit(() => undefined)
  let runs = 0
  const futures = [pool.schedule(() => runs++, 0), pool.scheduleAtFixedRate(() => runs++, 0, 1)]
  assert.equal(pool.activeCount, 1, "the first is in hand")
  pool.shutdownNow()
  await turns()
  assert.deepEqual([runs, futures.map(({ state }) => state), pool.isTerminated], [0, ["cancelled", "cancelled"], true])
})

test("[SC54] close waits for delayed tasks, and await using closes", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const future = pool.schedule(() => "run", 10)
  let closed = false
  const closing = pool.close().then(() => (closed = true))
  await pass(clock, 9)
  assert.equal(closed, false)
  await pass(clock, 1)
  await closing
  assert.equal(await future, "run")
  const second = pools.open()
  {
    await using inner = second
    inner.scheduleAtFixedRate(() => undefined, 0, 1)
  }
  assert.equal(second.isTerminated, true)
})
