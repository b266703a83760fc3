/** The end of a scheduled pool. Ids such as [SC46] refer to docs/spec/schedule.md. */
import {
  AbortPolicy,
  CallerRunsPolicy,
  CancellationError,
  DiscardOldestPolicy,
  DiscardPolicy,
  ExecutorCompletionService,
  FutureTask,
  type Future,
  RejectedExecutionError,
  type Runnable,
  type ScheduledThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { FakeClock } from "../foundation/fake-clock.ts"
import { Diary, isPending, pass, Schedules } from "./support.ts"

test("[SC46] after shutdown delayed tasks still run, in their time, and series are cancelled at once", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const diary = new Diary(clock)
  const once = pool.schedule(diary.run, 10, "once")
  const rate = pool.scheduleAtFixedRate(diary.run, 5, 5, "rate")
  const delay = pool.scheduleWithFixedDelay(diary.run, 5, 5, "delay")
  await turns()
  pool.shutdown()
  assert.deepEqual([once.isDone, rate.isCancelled, delay.isCancelled, pool.queue.size], [false, true, true, 1])
  assert.deepEqual([pool.isShutdown, pool.isTerminating, pool.isTerminated], [true, true, false])
  const end = pool.awaitTermination()
  await pass(clock, 10)
  assert.equal(await end, true)
  assert.deepEqual(diary.entries, ["once@10"])
})

test("[SC46] a run of a series that is under way at shutdown goes on, and then the series is cancelled", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  const series = pool.scheduleAtFixedRate(gate.interruptible, 1, 1)
  await pass(clock, 2)
  pool.shutdown()
  assert.deepEqual([gate.inside, series.isDone, pool.isTerminated], [1, false, false])
  gate.open()
  await turns()
  assert.deepEqual([gate.passed, series.isCancelled, pool.isTerminated], [1, true, true])
})

test("[SC47] delayed tasks can be given up at shutdown, but what is due by then still runs", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  pool.executeExistingDelayedTasksAfterShutdown = false
  const gate = pools.gate()
  pool.execute(gate.body)
  const due = pool.schedule(() => "due", 3)
  const later = pool.schedule(() => "later", 10)
  await pass(clock, 5)
  pool.shutdown()
  assert.deepEqual([due.isDone, later.isCancelled, pool.queue.toArray()], [false, true, [due]])
  gate.open()
  assert.equal(await due, "due")
  await turns()
  assert.equal(pool.isTerminated, true)
})

test("[SC48] series can go on after shutdown; the pool ends with the last of them", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  pool.continueExistingPeriodicTasksAfterShutdown = true
  pool.executeExistingDelayedTasksAfterShutdown = false
  const diary = new Diary(clock)
  const once = pool.schedule(diary.run, 15)
  const cancelled = pool.scheduleAtFixedRate(diary.run, 10, 10, "a")
  let runs = 0
  const failing = pool.scheduleWithFixedDelay(
    () => {
      diary.run("b")
      if (++runs === 3) throw new Error("own")
    },
    5,
    10,
  )
  await turns()
  pool.shutdown()
  assert.equal(once.isCancelled, true)
  await pass(clock, 22)
  pool.removeOnCancel = true
  cancelled.cancel()
  assert.deepEqual([pool.isTerminated, failing.isDone], [false, false])
  await pass(clock, 5)
  assert.deepEqual(diary.entries, ["b@5", "a@10", "b@15", "a@20", "b@25"])
  assert.deepEqual([failing.state, pool.isTerminated], ["failed", true])
})

test("[SC49] a policy that is given up after shutdown applies at once, and may end the pool", async () => {
  await using pools = new Schedules()
  const pool = pools.open(2)
  pool.continueExistingPeriodicTasksAfterShutdown = true
  const once = pool.schedule(() => undefined, 1000)
  const series = pool.scheduleAtFixedRate(() => undefined, 1000, 1000)
  await turns()
  pool.shutdown()
  assert.equal(pool.queue.size, 2)
  pool.continueExistingPeriodicTasksAfterShutdown = false
  assert.deepEqual([series.isCancelled, once.isCancelled, pool.queue.size], [true, false, 1])
  pool.executeExistingDelayedTasksAfterShutdown = false
  assert.deepEqual([once.isCancelled, pool.queue.size], [true, 0])
  await turns()
  assert.equal(pool.isTerminated, true)
})

test("[SC49] a policy that is given up before shutdown has no effect until then, and none that is adopted after", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const once = pool.schedule(() => undefined, 1000)
  const series = pool.scheduleAtFixedRate(() => undefined, 1000, 1000)
  pool.executeExistingDelayedTasksAfterShutdown = false
  pool.continueExistingPeriodicTasksAfterShutdown = true
  pool.continueExistingPeriodicTasksAfterShutdown = false
  assert.deepEqual([once.isDone, series.isDone, pool.queue.size], [false, false, 2])
  pool.shutdown()
  pool.executeExistingDelayedTasksAfterShutdown = true
  pool.continueExistingPeriodicTasksAfterShutdown = true
  assert.deepEqual([once.isCancelled, series.isCancelled, pool.queue.size], [true, true, 0])
})

test("[SC49] a policy that is given up during the last run of a series makes it the last", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  pool.continueExistingPeriodicTasksAfterShutdown = true
  const gate = pools.gate()
  const series = pool.scheduleAtFixedRate(gate.body, 1, 1)
  await pass(clock, 2)
  pool.shutdown()
  pool.continueExistingPeriodicTasksAfterShutdown = false
  assert.equal(series.isDone, false)
  gate.open()
  await turns()
  assert.deepEqual([gate.entries, series.isCancelled, pool.isTerminated], [1, true, true])
})

for (const executeDelayed of [true, false]) {
  for (const continuePeriodic of [true, false]) {
    for (const removeOnCancel of [true, false]) {
      test(`[SC46][SC47][SC48][SC51] executeDelayed ${executeDelayed}, continuePeriodic ${continuePeriodic}, removeOnCancel ${removeOnCancel}: what becomes of every kind of task at shutdown`, async () => {
        using clock = new FakeClock()
        await using pools = new Schedules()
        const pool = pools.open(3)
        pool.executeExistingDelayedTasksAfterShutdown = executeDelayed
        pool.continueExistingPeriodicTasksAfterShutdown = continuePeriodic
        pool.removeOnCancel = removeOnCancel
        const gate = pools.gate()
        const blockers = [1, 2, 3].map(() => pool.submit(gate.body))
        await gate.entered(3)
        const series = (): (() => void) => {
          let runs = 0
          return () => {
            if (++runs === 4) throw new Error("after four runs")
          }
        }
        const due = [pool.schedule(() => "due", 1), pool.schedule(() => "due", 2)]
        await pass(clock, 5)
        const delayed = [pool.schedule(() => "delayed", 10), pool.schedule(() => "delayed", 20)]
        const periodic = [pool.scheduleAtFixedRate(series(), 10, 10), pool.scheduleWithFixedDelay(series(), 10, 10)]
        const cancelled = [pool.schedule(() => "never", 10), pool.scheduleAtFixedRate(() => "never", 10, 10)]
        for (const future of cancelled) future.cancel()
        assert.equal(pool.queue.size, removeOnCancel ? 6 : 8)

        pool.shutdown()
        const kept = [...due, ...(executeDelayed ? delayed : []), ...(continuePeriodic ? periodic : [])]
        assert.deepEqual(new Set(pool.queue), new Set(kept))
        assert.ok(delayed.every((future) => future.isCancelled !== executeDelayed))
        assert.ok(periodic.every((future) => future.isCancelled !== continuePeriodic))
        assert.ok(thrownBy(() => pool.schedule(() => undefined, 0)) instanceof RejectedExecutionError)

        gate.open("blocked")
        assert.deepEqual(await Promise.all([...blockers, ...due]), ["blocked", "blocked", "blocked", "due", "due"])
        await pass(clock, 50)
        assert.ok(delayed.every(({ state }) => state === (executeDelayed ? "success" : "cancelled")))
        assert.ok(periodic.every(({ state }) => state === (continuePeriodic ? "failed" : "cancelled")))
        assert.equal(pool.isTerminated, true)
        const runs = 3 + 2 + (executeDelayed ? 2 : 0) + (continuePeriodic ? 8 : 0)
        assert.deepEqual([pool.completedTaskCount, pool.taskCount], [runs, runs])
      })
    }
  }
}

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
    (pool: ScheduledThreadPoolExecutor, task: Future<unknown>) => pool.remove(task as never),
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

test("[SC55] a future that was given to execute shares the fate of its place in the queue", async () => {
  await using pools = new Schedules()
  const gate = pools.gate()
  const stopped = pools.open()
  stopped.execute(gate.body)
  await gate.entered()
  const view = stopped.with({ name: "view" })
  const all = stopped.invokeAll([() => 1, () => 2])
  const any = stopped.invokeAny([() => 1])
  const completions = new ExecutorCompletionService<number>(stopped)
  completions.submit(() => 1)
  const futures = [view.submit(() => 1), view.submit(() => 2)]
  await turns()
  assert.equal(stopped.shutdownNow().length, 6)
  assert.deepEqual(
    (await all).map(({ state }) => state),
    ["cancelled", "cancelled"],
  )
  assert.ok((await rejectionOf(any)) instanceof CancellationError)
  assert.equal((await completions.take()).status, "rejected")
  for (const future of futures) {
    const error = await rejectionOf(future)
    assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
  }
})

test("[SC55] dropped by a policy, it is cancelled; refused, it is the caller's", async () => {
  await using pools = new Schedules()
  const dropping = pools.open(1, { handler: DiscardPolicy })
  dropping.shutdown()
  const dropped = new FutureTask(() => undefined)
  dropping.execute(dropped)
  assert.equal(dropped.isCancelled, true)
  const refusing = pools.open()
  refusing.shutdown()
  const refused = new FutureTask(() => undefined)
  assert.ok(thrownBy(() => refusing.execute(refused)) instanceof RejectedExecutionError)
  assert.equal(await isPending(refused), true)
})

test("[SC55] given twice, it runs once, and its second turn does it no harm", async () => {
  await using pools = new Schedules()
  const pool = pools.open(2)
  const gate = pools.gate()
  const task = new FutureTask(gate.body)
  pool.execute(task)
  pool.execute(task)
  await turns()
  assert.deepEqual([gate.entries, task.isDone, pool.completedTaskCount], [1, false, 1])
  gate.open("value")
  assert.equal(await task, "value")
})

test("[SC55] a limit that ends it while it waits takes it out of the queue", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  const controller = new AbortController()
  const future = pool.with({ signal: controller.signal }).submit(() => undefined)
  assert.equal(pool.queue.size, 1)
  controller.abort()
  assert.deepEqual([future.isCancelled, pool.queue.size], [true, 0])
})

test("[SC55] the done() hook of one such future, if it throws, does not harm the others", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  class Loud extends FutureTask<void> {
    protected override done(): void {
      throw new Error("of done()")
    }
  }
  const tasks = [new Loud(() => undefined), new FutureTask(() => undefined)]
  for (const task of tasks) pool.execute(task)
  tasks[1]?.cancel()
  const later = pool.schedule(() => undefined, 1000)
  pool.executeExistingDelayedTasksAfterShutdown = false
  pool.shutdown()
  assert.deepEqual([later.isCancelled, pool.queue.size], [true, 1])
})
