/** Series by the calendar. Ids such as [CR15] refer to docs/spec/cron.md. */
import {
  AbortPolicy,
  CancellationError,
  DiscardPolicy,
  Executors,
  InterruptedError,
  RejectedExecutionError,
  type Runnable,
  ScheduledThreadPoolExecutor,
  Thread,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { Timed } from "../testing/support.ts"
import { DAY, HOUR, MINUTE } from "./cron-support.ts"
import { wrong } from "./support.ts"

/** A Thursday; times in these tests are milliseconds from here. */
const startAt = new Date("2026-01-01T00:00:00Z")
const UTC = { timezone: "UTC" }

test("[CR15] the first run is at the first time after the call, with the arguments, as every run", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  pool.scheduleCron(timed.note, "* * * * *", UTC, "run")
  await timed.clock.advance(0)
  assert.deepEqual(timed.take(), [])
  await timed.clock.advance(3 * MINUTE)
  assert.deepEqual(timed.take(), ["run@60000", "run@120000", "run@180000"])
})

test("[CR15] options may be left out", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  const dates: number[] = []
  pool.scheduleCron(() => dates.push(timed.clock.date.getTime() % MINUTE), "30 * * * * *")
  pool.scheduleCron((name: string) => timed.note(name), "* * * * *", undefined, "named")
  await timed.clock.advance(MINUTE)
  assert.deepEqual([dates, timed.take()], [[30_000], ["named@60000"]])
})

test("[CR16] runs do not overlap, and what is missed is left out", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open(3)
  let inside = 0
  pool.scheduleCron(
    async () => {
      timed.note(`begin ${++inside}`)
      await timed.clock.sleep(2.5 * MINUTE)
      inside--
    },
    "* * * * *",
    UTC,
  )
  await timed.clock.advance(8 * MINUTE)
  // Each lasts until half a minute past; the times meanwhile are gone.
  assert.deepEqual(timed.take(), ["begin 1@60000", "begin 1@240000", "begin 1@420000"])
})

test("[CR16] a run that ends at the very time of the next leaves that out", async () => {
  await using timed = new Timed({ startAt })
  timed.open().scheduleCron(
    async () => {
      timed.note("begin")
      await timed.clock.sleep(MINUTE)
    },
    "* * * * *",
    UTC,
  )
  await timed.clock.advance(5 * MINUTE)
  assert.deepEqual(timed.take(), ["begin@60000", "begin@180000", "begin@300000"])
})

test("[CR17] a run that is late, since no thread was there, runs once", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open(1)
  pool.scheduleCron(timed.note, "* * * * *", UTC, "run")
  pool.schedule(() => timed.clock.sleep(3.5 * MINUTE), MINUTE / 2)
  await timed.clock.advance(5 * MINUTE)
  assert.deepEqual(timed.take(), ["run@240000", "run@300000"])
})

for (const how of ["thrown", "rejected"]) {
  test(`[CR18] the first error ends the series (${how})`, async () => {
    await using timed = new Timed({ startAt })
    const own = new Error("own")
    let runs = 0
    const run = (): unknown => {
      if (++runs < 2) return undefined
      if (how === "rejected") return Promise.reject(own)
      throw own
    }
    const series = timed.open().scheduleCron(run, "* * * * *", UTC)
    await timed.clock.advance(MINUTE)
    assert.deepEqual([runs, series.state], [1, "running"])
    await timed.clock.advance(5 * MINUTE)
    assert.deepEqual([runs, series.state, series.exceptionNow()], [2, "failed", own])
    assert.equal(await rejectionOf(series), own)
    assert.equal(timed.clock.pending, 0)
  })
}

test("[CR19] a series whose expression cannot come true any more is over, and succeeds", async () => {
  await using timed = new Timed({ startAt: new Date("2026-12-31T23:59:58Z") })
  const series = timed.open().scheduleCron(timed.note, "59 59 23 31 12 * 2026", UTC, "last")
  assert.equal(series.isDone, false)
  await timed.clock.advance(1000)
  assert.deepEqual([timed.take(), series.state], [["last@1000"], "success"])
  await series
})

test("[CR20] of what is due at the same time the older is first, in every run", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  pool.schedule(timed.note, 3 * MINUTE, "before")
  pool.scheduleCron(timed.note, "* * * * *", UTC, "cron")
  pool.scheduleAtFixedRate(timed.note, MINUTE, MINUTE, "rate")
  await timed.clock.advance(3 * MINUTE)
  assert.deepEqual(timed.take(), [
    ...["cron@60000", "rate@60000", "cron@120000", "rate@120000", "before@180000", "cron@180000", "rate@180000"],
  ])
})

test("[CR21] nextRunAt is the time of the calendar, delay what is left, and toString names the task", async () => {
  await using timed = new Timed({ startAt: new Date("2026-03-28T00:00:00.250Z") })
  const gate = timed.gate()
  const series = timed
    .open()
    .scheduleCron(async function beat() {
      await gate.body()
    }, "30 2 * * *", { timezone: "Europe/Berlin" }) // prettier-ignore
  assert.equal(series.isPeriodic, true)
  assert.match(String(series), /^CronSeries@\d+\[Not completed, task = beat\]$/)
  assert.equal(series.nextRunAt?.toISOString(), "2026-03-28T01:30:00.000Z")
  assert.equal(series.delay, 1.5 * HOUR - 250)
  await timed.clock.advance(series.delay)
  assert.deepEqual([gate.inside, series.nextRunAt, series.delay], [1, undefined, 0])
  gate.open()
  await timed.clock.advance(0)
  assert.equal(series.nextRunAt?.toISOString(), "2026-03-29T01:00:00.000Z")
  assert.equal(series.delay, 23.5 * HOUR)
  series.cancel()
  assert.deepEqual([series.nextRunAt, series.isPeriodic], [undefined, true])
  assert.match(String(series), /^CronSeries@\d+\[Cancelled\]$/)
})

test("[CR22] a series that is cancelled while it waits has no more runs", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  const series = pool.scheduleCron(timed.note, "* * * * *", UTC, "run")
  await timed.clock.advance(MINUTE)
  assert.deepEqual([series.cancel(), series.cancel(), series.state], [true, false, "cancelled"])
  assert.equal(pool.queue.size, 1)
  await timed.clock.advance(5 * MINUTE)
  assert.deepEqual([timed.take(), pool.queue.size], [["run@60000"], 0])
  assert.ok((await rejectionOf(series)) instanceof CancellationError)
})

test("[CR22] with removeOnCancel nothing stays in the queue", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  pool.removeOnCancel = true
  const series = pool.scheduleCron(timed.note, "0 0 1 1 *", UTC, "run")
  assert.equal(pool.queue.size, 1)
  series.cancel()
  await timed.clock.advance(0)
  assert.deepEqual([pool.queue.size, timed.clock.pending, timed.clock.nextTime], [0, 0, undefined])
})

for (const interrupt of [false, true]) {
  test(`[CR22] a run under way is the last, and interrupted as cancel was told: ${interrupt}`, async () => {
    await using timed = new Timed({ startAt })
    const gate = timed.gate()
    let interrupted: boolean | undefined
    const series = timed.open().scheduleCron(
      async () => {
        await gate.body()
        interrupted = Thread.interrupted()
      },
      "* * * * *",
      UTC,
    )
    await timed.clock.advance(MINUTE)
    assert.deepEqual([gate.inside, series.cancel(interrupt), series.isDone], [1, true, true])
    gate.open()
    await timed.clock.advance(5 * MINUTE)
    assert.deepEqual([gate.entries, interrupted], [1, interrupt])
  })
}

test("[CR22] a run may cancel its own series", async () => {
  await using timed = new Timed({ startAt })
  const series = timed.open().scheduleCron(
    () => {
      timed.note("run")
      series.cancel(true)
    },
    "* * * * *",
    UTC,
  )
  await timed.clock.advance(5 * MINUTE)
  assert.deepEqual([timed.take(), series.state], [["run@60000"], "cancelled"])
})

test("[CR22] the error of a run whose series was cancelled is nobody's", async () => {
  await using timed = new Timed({ startAt })
  const series = timed.open().scheduleCron(() => timed.clock.sleep(10), "* * * * *", UTC)
  await timed.clock.advance(MINUTE)
  series.cancel(true)
  await timed.clock.advance(MINUTE)
  assert.equal(series.state, "cancelled")
})

test("[CR23] remove takes the series out of the queue, once; it is nobody's then", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  const series = pool.scheduleCron(timed.note, "0 12 * * *", UTC, "run")
  assert.deepEqual([pool.remove(wrong(series)), pool.remove(wrong(series)), pool.queue.size], [true, false, 0])
  await timed.clock.advance(3 * DAY)
  assert.deepEqual([timed.take(), series.isDone, series.nextRunAt], [[], false, undefined])
  series.cancel()
})

test("[CR23] what becomes of the run in the queue becomes of the series", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  const series = pool.scheduleCron(timed.note, "* * * * *", UTC, "run")
  const run = pool.queue.peek() as unknown as typeof series
  assert.deepEqual([run.delay, run.isPeriodic], [MINUTE, true])
  run.cancel()
  assert.equal(series.state, "cancelled")
})

class Hooked extends ScheduledThreadPoolExecutor {
  before: (task: Runnable) => void = () => undefined

  protected override beforeExecute(_thread: Thread, task: Runnable): void {
    this.before(task)
  }
}

test("[CR23] hooks are called with the run; if beforeExecute throws, the series fails with that", async () => {
  await using timed = new Timed({ startAt })
  const { clock, factory: threadFactory } = timed
  const pool = timed.adopt(new Hooked({ corePoolSize: 1, threadFactory, clock }))
  const seen: unknown[] = []
  pool.before = (task) => seen.push(task)
  const series = pool.scheduleCron(timed.note, "* * * * *", UTC, "run")
  const [first] = pool.queue.toArray()
  await clock.advance(MINUTE)
  assert.deepEqual([seen.length, seen[0] === first], [1, true])
  const own = new Error("own")
  pool.before = () => {
    throw own
  }
  await clock.advance(MINUTE)
  assert.deepEqual([timed.take(), series.state, series.exceptionNow()], [["run@60000"], "failed", own])
  assert.deepEqual(timed.takeUncaught(), [own])
})

test("[CR24] a wrapper passes it on", async () => {
  await using timed = new Timed({ startAt })
  const wrapper = Executors.unconfigurableScheduledExecutorService(timed.open())
  const series = wrapper.scheduleCron(timed.note, "* * * * *", UTC, "run")
  await timed.clock.advance(2 * MINUTE)
  assert.deepEqual(timed.take(), ["run@60000", "run@120000"])
  series.cancel()
})

test("[CR25] at shutdown a series that waits is cancelled, and the executor ends", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  const series = pool.scheduleCron(timed.note, "0 0 1 1 *", UTC, "run")
  pool.shutdown()
  assert.equal(series.isCancelled, true)
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(timed.clock.pending, 0)
})

test("[CR25] at shutdown a series that runs is cancelled after the run", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  const gate = timed.gate()
  const series = pool.scheduleCron(gate.body, "* * * * *", UTC)
  await timed.clock.advance(MINUTE)
  pool.shutdown()
  await turns()
  assert.deepEqual([series.isDone, pool.isTerminated], [false, false])
  gate.open()
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(series.isCancelled, true)
})

test("[CR25] it goes on after shutdown if series do, and the executor ends with it", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  pool.continueExistingPeriodicTasksAfterShutdown = true
  pool.executeExistingDelayedTasksAfterShutdown = false
  const waits = pool.scheduleCron(timed.note, "* * * * *", UTC, "run")
  const ends = pool.scheduleCron(timed.note, "0 1,2 0 1 1 * 2026", UTC, "twice")
  pool.shutdown()
  await timed.clock.advance(3 * MINUTE)
  assert.deepEqual(timed.take(), ["run@60000", "twice@60000", "run@120000", "twice@120000", "run@180000"])
  assert.deepEqual([waits.state, ends.state, pool.isTerminated], ["running", "success", false])
  pool.continueExistingPeriodicTasksAfterShutdown = false
  assert.equal(waits.isCancelled, true)
  assert.equal(await pool.awaitTermination(), true)
})

test("[CR26] shutdownNow gives back one run, and cancels the series with the reason", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  const series = pool.scheduleCron(timed.note, "* * * * *", UTC, "run")
  await timed.clock.advance(MINUTE)
  const unrun = pool.shutdownNow()
  assert.deepEqual([unrun.length, series.isCancelled], [1, true])
  const error = await rejectionOf(series)
  assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
  const other = timed.open()
  for (const task of unrun) other.execute(task)
  await timed.clock.advance(5 * MINUTE)
  assert.deepEqual(timed.take(), ["run@60000", "run@60000"])
})

test("[CR26] shutdownNow interrupts the run under way, and the series ends with what that makes of it", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  const series = pool.scheduleCron(() => timed.clock.sleep(DAY), "* * * * *", UTC)
  await timed.clock.advance(MINUTE)
  assert.deepEqual(pool.shutdownNow(), [])
  assert.ok((await rejectionOf(series)) instanceof InterruptedError)
  assert.equal(await pool.awaitTermination(), true)
})

test("[CR27] after shutdown the handler decides", async () => {
  await using timed = new Timed({ startAt })
  const pool = timed.open()
  pool.shutdown()
  assert.equal(pool.handler, AbortPolicy)
  const error = thrownBy(() => pool.scheduleCron(timed.note, "* * * * *", UTC, "run"))
  assert.ok(error instanceof RejectedExecutionError)
  pool.handler = DiscardPolicy
  assert.equal(pool.scheduleCron(timed.note, "* * * * *", UTC, "run").isCancelled, true)
  await timed.clock.advance(DAY)
  assert.deepEqual(timed.take(), [])
})
