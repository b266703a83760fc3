/** What the policies make of tasks after shutdown. Ids such as [SC46] refer to docs/spec/schedule.md. */
import { RejectedExecutionError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { thrownBy, turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { Diary, pass, Schedules } from "./support.ts"

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
