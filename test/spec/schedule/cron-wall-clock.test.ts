/** Series by the calendar, and what happens to the wall clock. Ids such as [CR29] refer to docs/spec/cron.md. */
import type { ScheduledFuture } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { runProgram } from "../../support/child.ts"
import { CountedTimers } from "../../support/counted-timers.ts"
import { eventually, turns } from "../../support/harness.ts"
import { Timed } from "../testing/support.ts"
import { DAY, HOUR, MINUTE } from "./cron-support.ts"
import { Schedules } from "./support.ts"

/** Writes down at which time of day it runs. */
class Watched extends Timed {
  readonly times: string[] = []
  readonly series: ScheduledFuture<void>

  constructor(expression: string) {
    super({ startAt: new Date("2026-01-01T00:00:00Z") })
    const note = (): void => void this.times.push(this.time)
    this.series = this.open().scheduleCron(note, expression, { timezone: "UTC" })
  }

  /** The day of the month and the time of day. */
  get time(): string {
    return this.clock.date.toISOString().slice(8, 16)
  }

  get next(): string | undefined {
    return this.series.nextRunAt?.toISOString().slice(8, 16)
  }

  /** Sets the wall clock by so much. */
  set(ms: number): void {
    this.clock.setWallTime(this.clock.date.getTime() + ms)
  }
}

test("[CR29] a wall clock that is set back shortly before a run puts it off", async () => {
  await using watched = new Watched("0 12 * * *")
  await watched.clock.advance(12 * HOUR - MINUTE)
  watched.set(-10 * MINUTE)
  await watched.clock.advance(10 * MINUTE)
  assert.deepEqual([watched.times, watched.time, watched.next], [[], "01T11:59", "01T12:00"])
  await watched.clock.advance(MINUTE)
  assert.deepEqual(watched.times, ["01T12:00"])
  await watched.clock.advance(DAY)
  assert.deepEqual(watched.times, ["01T12:00", "02T12:00"])
})

test("[CR29] again and again, and by less than a second", async () => {
  await using watched = new Watched("* * * * *")
  for (let i = 0; i < 5; i++) {
    await watched.clock.advance(MINUTE - 500 * i)
    assert.deepEqual(watched.times.length, 1)
    watched.times.length = 0
    await watched.clock.advance(MINUTE - 1)
    watched.set(-499)
    await watched.clock.advance(1)
    assert.deepEqual([watched.times, watched.clock.date.getTime() % MINUTE], [[], MINUTE - 499])
    await watched.clock.advance(499)
    assert.equal(watched.times.length, 1)
    watched.times.length = 0
    await watched.clock.advance(500 * (i + 1))
  }
})

test("[CR30] a wall clock that is set forward is noticed within the hour, and what it leapt over runs once", async () => {
  await using watched = new Watched("0 12 * * *")
  await watched.clock.advance(90 * MINUTE)
  watched.set(3 * DAY)
  await watched.clock.advance(29 * MINUTE)
  assert.deepEqual([watched.times, watched.time], [[], "04T01:59"])
  await watched.clock.advance(MINUTE)
  assert.deepEqual([watched.times, watched.next], [["04T02:00"], "04T12:00"])
  await watched.clock.advance(DAY)
  assert.deepEqual(watched.times, ["04T02:00", "04T12:00"])
})

test("[CR30] one that is set forward to before the run lets it be in time", async () => {
  await using watched = new Watched("0 12 * * *")
  watched.set(9 * HOUR)
  await watched.clock.advance(DAY)
  assert.deepEqual(watched.times, ["01T12:00"])
  assert.equal(watched.next, "02T12:00")
})

test("[CR30] one that is set forward within the last hour makes the run late", async () => {
  await using watched = new Watched("30 0 * * *")
  watched.set(20 * MINUTE)
  await watched.clock.advance(DAY + 10 * MINUTE)
  assert.deepEqual(watched.times, ["01T00:50", "02T00:30"])
})

test("[CR30] one that is set back long before the run puts it off at once, and finds what has come into reach again", async () => {
  await using watched = new Watched("0 0 1,15 * *")
  assert.equal(watched.next, "15T00:00")
  await watched.clock.advance(20 * MINUTE)
  watched.set(-12 * HOUR)
  await watched.clock.advance(HOUR)
  // It is 31 December again, and the first is to come.
  assert.equal(watched.next, "01T00:00")
  await watched.clock.advance(12 * HOUR)
  assert.deepEqual(watched.times, ["01T00:00"])
})

test("[CR31] what has run is not run again if the wall clock goes back a little", async () => {
  await using watched = new Watched("0,30 * * * *")
  await watched.clock.advance(61 * MINUTE)
  watched.set(-45 * MINUTE)
  watched.times.length = 0
  await watched.clock.advance(3 * HOUR)
  // Neither 00:30 nor 01:00 a second time.
  assert.deepEqual(watched.times, ["01T01:30", "01T02:00", "01T02:30", "01T03:00"])
})

test("[CR31] also if it goes back during a run", async () => {
  await using watched = new Watched("0,30 * * * *")
  const series = watched.open().scheduleCron(
    async () => {
      watched.note("begin")
      await watched.clock.sleep(10)
      if (watched.clock.now < HOUR) watched.set(-HOUR)
    },
    "0,30 * * * *",
    { timezone: "UTC" },
  )
  await watched.clock.advance(30 * MINUTE + 10)
  assert.equal(series.nextRunAt?.toISOString(), "2026-01-01T01:00:00.000Z")
})

test("[CR31] a wall clock that goes back by more was wrong before", async () => {
  await using watched = new Watched("0 12 * * *")
  watched.set(400 * DAY)
  await watched.clock.advance(DAY)
  watched.times.length = 0
  watched.set(-400 * DAY)
  await watched.clock.advance(DAY)
  assert.equal(watched.times.length, 1)
  assert.equal(watched.series.nextRunAt?.toISOString(), "2026-01-03T12:00:00.000Z")
})

test("[CR31] after shutdown a run that is planned anew keeps the executor from ending", async () => {
  await using watched = new Watched("0 12 * * *")
  const pool = watched.open()
  pool.continueExistingPeriodicTasksAfterShutdown = true
  pool.scheduleCron(watched.note, "0 12 * * *", { timezone: "UTC" }, "run")
  pool.shutdown()
  watched.set(-HOUR)
  await watched.clock.advance(13 * HOUR)
  assert.deepEqual([watched.take(), pool.isTerminated], [["run@46800000"], false])
})

test("[CR32] as long as the clocks agree the same run waits, whatever is looked at", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  const series = pool.scheduleCron(timed.note, "0 0 1 * *", { timezone: "UTC" }, "run")
  const run = pool.queue.peek()
  await timed.clock.advance(5 * DAY + 7)
  assert.equal(pool.queue.peek(), run)
  await timed.clock.advance(30 * DAY)
  assert.deepEqual([timed.take().length, pool.completedTaskCount], [1, 1])
  series.cancel()
})

test("[CR32] a distant run has one timer more than that of the executor, and a cancelled series none", async () => {
  using timers = new CountedTimers()
  await using pools = new Schedules()
  const pool = pools.open()
  pool.removeOnCancel = true
  const far = pool.scheduleCron(() => undefined, "0 0 29 2 *")
  const farther = pool.schedule(() => undefined, 1e12)
  await turns()
  assert.equal(timers.ticking, 2)
  far.cancel()
  await turns()
  assert.equal(timers.ticking, 1)
  farther.cancel()
  await turns()
  assert.equal(timers.ticking, 0)
})

test("[CR28] a program lives for the next run, and not for a series that is cancelled", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { ScheduledThreadPoolExecutor, virtualThreads } from "corepool"
    const open = () => new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads() })
    open().scheduleCron(() => console.log("never"), "0 0 29 2 *").cancel()
    const series = open().scheduleCron(() => {
      console.log("run")
      series.cancel()
    }, "* * * * * *")
  `)
  assert.deepEqual([code, stdout, stderr], [0, "run\n", ""])
})

test("[CR34] by the real clock no run is early", async () => {
  await using pools = new Schedules()
  const early: number[] = []
  let due = Infinity
  let runs = 0
  const series = pools.open().scheduleCron(() => {
    if (Date.now() < due) early.push(due - Date.now())
    runs++
    queueMicrotask(() => void turns(1).then(() => (due = series.nextRunAt?.getTime() ?? Infinity)))
  }, "* * * * * *")
  due = series.nextRunAt?.getTime() ?? Infinity
  await eventually(() => runs >= 2)
  series.cancel()
  assert.deepEqual(early, [])
})
