/** Schedules across machines. Rule ids are those of docs/spec/distributed.md. */
import { CancellationError, IllegalStateError, RejectedExecutionError } from "corepool"
import { ManualClock } from "corepool/testing"
import type { DistributedExecutor } from "corepool/distributed"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { FleetLab } from "./lab.ts"
import * as tasks from "./lab.tasks.ts"

const HOUR = 3_600_000

/** The engine's clock stands still until the test moves it, and is years off that of this machine. */
async function manual(): Promise<{ lab: FleetLab; clock: ManualClock; fleet: DistributedExecutor }> {
  const clock = new ManualClock({ startAt: new Date("2040-01-01T00:00:00Z") })
  const lab = new FleetLab({ clock })
  const fleet = lab.fleet()
  await fleet.stats()
  return { lab, clock, fleet }
}

test("[DS1] a delayed task is one job, due by the engine's clock", async () => {
  const { lab, clock, fleet } = await manual()
  await using _ = lab
  await lab.node()
  const future = fleet.schedule(tasks.mark, HOUR, "x")
  assert.equal(future.isPeriodic, false)
  await future.stored
  assert.deepEqual([future.delay, future.nextRunAt?.toISOString()], [HOUR, "2040-01-01T01:00:00.000Z"])
  await clock.advance(HOUR - 1)
  assert.deepEqual([future.delay, tasks.marks], [1, []])
  await clock.advance(1)
  assert.equal(await future, "x")
  assert.deepEqual([future.nextRunAt, future.delay <= 0], [undefined, true])
  assert.equal(Object.keys(lab.jobs).length, 1)
  for (const delay of [0, -5, -Infinity]) assert.equal(await fleet.schedule(tasks.mark, delay, delay), delay)
})

test("[DS1][DS2] a fixed rate goes from due time to due time", async () => {
  const { lab, clock, fleet } = await manual()
  await using _ = lab
  await lab.node()
  const future = fleet.scheduleAtFixedRate(tasks.mark, 1000, 500, "tick")
  assert.equal(future.isPeriodic, true)
  await future.stored
  const [job] = lab.engine.jobs("q")
  const start = Date.parse("2040-01-01T00:00:00Z")
  assert.deepEqual(job?.data.series, { kind: "rate", period: 500, due: start + 1000, runs: 0, deathsBefore: 0 })
  await clock.advance(999)
  assert.deepEqual(tasks.marks, [])
  await clock.advance(1)
  assert.deepEqual([tasks.marks.length, future.nextRunAt?.getTime(), future.delay], [1, start + 1500, 500])
  await clock.advance(1500)
  assert.equal(tasks.marks.length, 4)
  assert.equal(Object.keys(lab.jobs).length, 1)
  assert.equal(future.state, "running")
})

test("[DS2] a fixed delay goes from end to beginning", async () => {
  const { lab, clock, fleet } = await manual()
  await using _ = lab
  await lab.node()
  const future = fleet.scheduleWithFixedDelay(tasks.mark, 0, 500, "tick")
  await eventually(() => tasks.marks.length === 1)
  await clock.advance(500)
  assert.equal(tasks.marks.length, 2)
  assert.equal(lab.engine.jobs("q")[0]?.data.series?.kind, "delay")
  assert.equal(future.cancel(), true)
  await eventually(() => Object.keys(lab.jobs).length === 0)
})

test("[DS2] a calendar is that of the zone, by default of this machine", async () => {
  const { lab, clock, fleet } = await manual()
  await using _ = lab
  await lab.node()
  const daily = fleet.scheduleCron(tasks.mark, "0 8 * * *", { timezone: "Asia/Tokyo" }, "tokyo")
  await daily.stored
  assert.deepEqual([daily.isPeriodic, daily.nextRunAt?.toISOString()], [true, "2040-01-01T23:00:00.000Z"])
  await clock.advance(23 * HOUR)
  assert.deepEqual([tasks.marks, daily.nextRunAt?.toISOString()], [["tokyo"], "2040-01-02T23:00:00.000Z"])
  const local = fleet.scheduleCron(tasks.tick, "0 8 * * *")
  await local.stored
  assert.equal(lab.engine.jobs("q")[1]?.data.series?.timezone, Intl.DateTimeFormat().resolvedOptions().timeZone)
})

test("[DS3] while it runs, the next time is known of a fixed rate alone", async () => {
  const { lab, clock, fleet } = await manual()
  await using _ = lab
  await lab.node("node", 3)
  const rate = fleet.scheduleAtFixedRate(tasks.wait, 1000, 5000, "rate")
  const delay = fleet.scheduleWithFixedDelay(tasks.wait, 1000, 5000, "delay")
  const cron = fleet.scheduleCron(tasks.wait, "* * * * * *", { timezone: "UTC" }, "cron")
  await Promise.all([rate.stored, delay.stored, cron.stored])
  await clock.advance(1000)
  await eventually(() => tasks.marks.length === 3)
  await turns()
  assert.equal(rate.nextRunAt?.toISOString(), "2040-01-01T00:00:06.000Z")
  assert.deepEqual([delay.nextRunAt, cron.nextRunAt], [undefined, undefined])
  for (const { delay: left } of [rate, delay, cron]) assert.ok(left <= 0)
})

test("[DS4] a schedule with an id is one, however many register it", async () => {
  const { lab, clock } = await manual()
  await using _ = lab
  const fleets = [lab.fleet(), lab.fleet(), lab.fleet()]
  const futures = fleets.map((fleet) => fleet.with({ id: "tick" }).scheduleAtFixedRate(tasks.mark, 1000, 1000, "tick"))
  await Promise.all(futures.map(({ stored }) => stored))
  assert.deepEqual(lab.jobs, { tick: "delayed" })
  await lab.node("a")
  await lab.node("b")
  await clock.advance(3000)
  assert.equal(tasks.marks.length, 3)
  const again = fleets[0]?.with({ id: "tick" }).scheduleAtFixedRate(tasks.mark, 1000, 1000, "tick")
  await again?.stored
  assert.equal(again?.nextRunAt?.toISOString(), "2040-01-01T00:00:04.000Z", "it goes on as it was")
  futures[1]?.cancel()
  for (const future of [futures[0], futures[2], again]) {
    assert.ok((await rejectionOf(future as PromiseLike<unknown>)) instanceof CancellationError)
  }
  await eventually(() => Object.keys(lab.jobs).length === 0)
})

test("[DS4] an id of another task, or of other times, is refused", async () => {
  const { lab, fleet } = await manual()
  await using _ = lab
  const view = fleet.with({ id: "x" })
  await view.scheduleAtFixedRate(tasks.tick, 1000, 1000).stored
  const others = [
    view.scheduleAtFixedRate(tasks.tick, 1000, 2000),
    view.scheduleWithFixedDelay(tasks.tick, 1000, 1000),
    view.scheduleCron(tasks.tick, "* * * * *"),
    view.schedule(tasks.tick, 1000, 1),
    view.scheduleAtFixedRate(tasks.mark, 1000, 1000, 1),
  ]
  for (const future of others) {
    const error = await rejectionOf(future)
    assert.ok(error instanceof IllegalStateError)
    assert.match(error.message, /`x` belongs to a job of the task `tick`/)
  }
  assert.deepEqual(lab.jobs, { x: "delayed" })
})

test("[DS5] the first error ends it", async () => {
  const { lab, clock, fleet } = await manual()
  await using _ = lab
  await lab.node()
  const future = fleet.scheduleAtFixedRate(tasks.fail, 1000, 1000, "own")
  await future.stored
  await clock.advance(5000)
  const error = await rejectionOf(future)
  assert.ok(error instanceof RangeError && error.message === "own")
  assert.deepEqual([future.state, lab.jobs[future.id], future.nextRunAt], ["failed", "failed", undefined])
})

test("[DS5] cancel ends it, while it waits and while it runs", async () => {
  const { lab, clock, fleet } = await manual()
  await using _ = lab
  await lab.node()
  const waiting = fleet.scheduleAtFixedRate(tasks.tick, HOUR, HOUR)
  const running = fleet.scheduleAtFixedRate(tasks.wait, 0, 1000, "x")
  await eventually(() => tasks.marks.length === 1)
  assert.deepEqual([waiting.cancel(), running.cancel(false)], [true, true])
  await eventually(() => lab.jobs[waiting.id] === undefined)
  tasks.open()
  await eventually(() => (lab.jobs[running.id] ?? "failed") === "failed")
  await clock.advance(10_000)
  assert.deepEqual(tasks.marks, ["begun x", "passed x"])
  await fleet.close()
})

test("[DS5] a schedule that goes on though it was cancelled, because its run was just ending, is cancelled again", async () => {
  const { lab, clock, fleet } = await manual()
  await using _ = lab
  await lab.node()
  const futures = Array.from({ length: 5 }, (__, n) => fleet.scheduleAtFixedRate(tasks.wait, 0, 1000, n))
  const [first] = futures
  await eventually(() => tasks.marks.length === 2)
  tasks.open()
  for (let turn = 0; turn < futures.length; turn++) {
    futures[turn]?.cancel(turn % 2 === 0)
    await Promise.resolve()
  }
  await eventually(() => fleet.toString().includes("0 outstanding"))
  const count = tasks.marks.length
  await clock.advance(5000)
  assert.equal(tasks.marks.length, count)
  assert.equal(first?.state, "cancelled")
  assert.ok(Object.values(lab.jobs).every((state) => state === "failed"))
})

test("[DS6] shutdown cancels periodic tasks and lets delayed ones run", async () => {
  const { lab, clock, fleet } = await manual()
  await using _ = lab
  await lab.node()
  const rate = fleet.scheduleAtFixedRate(tasks.mark, 1000, 1000, "rate")
  const once = fleet.schedule(tasks.mark, 5000, "once")
  await Promise.all([rate.stored, once.stored])
  fleet.shutdown()
  assert.deepEqual([rate.state, once.state], ["cancelled", "running"])
  await eventually(() => lab.jobs[rate.id] === undefined)
  assert.equal(fleet.isTerminated, false)
  await clock.advance(5000)
  assert.equal(await fleet.awaitTermination(), true)
  assert.deepEqual([once.resultNow(), tasks.marks], ["once", ["once"]])
})

test("[DS7] a schedule with an id goes on without its executor", async () => {
  const { lab, clock, fleet } = await manual()
  await using _ = lab
  const rate = fleet.with({ id: "rate" }).scheduleAtFixedRate(tasks.mark, 1000, 1000, "rate")
  const once = fleet.with({ id: "once" }).schedule(tasks.mark, 1000, "once")
  await fleet.close()
  for (const future of [rate, once]) {
    const error = await rejectionOf(future)
    assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
    assert.match(error.cause.message, /the schedule .* goes on/)
    await future.stored
  }
  assert.deepEqual(lab.jobs, { rate: "delayed", once: "delayed" })
  await lab.node()
  await clock.advance(2000)
  assert.deepEqual(tasks.marks, ["rate", "once", "rate"])
  const other = lab.fleet()
  await other.with({ id: "rate" }).scheduleAtFixedRate(tasks.mark, 1000, 1000, "rate").stored
  await other.shutdownNow()
  assert.equal(lab.jobs["rate"], "delayed")
  const last = lab.fleet().future("rate")
  await last.stored
  assert.deepEqual([last.isPeriodic, last.nextRunAt?.toISOString()], [true, "2040-01-01T00:00:03.000Z"])
  assert.equal(last.cancel(), true)
  await eventually(() => lab.jobs["rate"] === undefined)
})

test("[DS8] never is never", async () => {
  const { lab, fleet } = await manual()
  await using _ = lab
  const future = fleet.schedule(tasks.mark, Infinity, 1)
  const rate = fleet.scheduleAtFixedRate(tasks.tick, Infinity, 1)
  await turns()
  assert.deepEqual(
    [lab.engine.adds, future.delay, future.nextRunAt, rate.nextRunAt],
    [0, Infinity, undefined, undefined],
  )
  await fleet.close()
  assert.deepEqual([future.state, rate.state], ["cancelled", "cancelled"])
  const other = lab.fleet()
  other.schedule(tasks.mark, Infinity, 1)
  assert.equal((await other.shutdownNow()).length, 1)
})

test("[DS9] what is no time is refused at once", async () => {
  const { lab, fleet } = await manual()
  await using _ = lab
  const wrong: (() => unknown)[] = [
    () => fleet.schedule(tasks.tick, NaN, 1),
    () => fleet.scheduleAtFixedRate(tasks.tick, 0, 0),
    () => fleet.scheduleAtFixedRate(tasks.tick, 0, -1),
    () => fleet.scheduleWithFixedDelay(tasks.tick, 0, NaN),
    () => fleet.scheduleCron(tasks.tick, "61 * * * *"),
    () => fleet.scheduleCron(tasks.tick, "0 0 30 2 *"),
    () => fleet.scheduleCron(tasks.tick, "* * * * *", { timezone: "Nowhere" }),
  ]
  for (const call of wrong) assert.throws(call, RangeError)
  const alsoWrong: (() => unknown)[] = [
    () => fleet.schedule(tasks.tick, "5" as never, 1),
    () => fleet.schedule(5 as never, 1),
    () => fleet.scheduleAtFixedRate(tasks.tick, 0, "5" as never),
    () => fleet.scheduleCron(tasks.tick, "* * * * *", { timeZone: "UTC" } as never),
  ]
  for (const call of alsoWrong) assert.throws(call, TypeError)
  await turns()
  assert.equal(lab.engine.adds, 0)
})
