import { afterRun, deathsOf } from "#src/distributed/node/series-run.js"
import type { ClaimedJob, JobEnd } from "#src/distributed/job/engine.js"
import type { SeriesData } from "#src/distributed/job/job-data.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { claimedJob } from "../../support/claimed-job.ts"
import { eventually, turns } from "../../support/harness.ts"
import { Calls, Driver, NodeGate } from "./node-driver.ts"

function series(data: Partial<SeriesData>): SeriesData {
  return { kind: "rate", period: 100, due: 1000, runs: 0, deathsBefore: 0, ...data }
}

function jobOf(data: SeriesData, deaths = 0): ClaimedJob {
  return claimedJob({ id: "s", name: "tick", data: { v: 1, args: "", from: "test", series: data }, deaths })
}

function next(data: SeriesData, now: number, deaths = 0): JobEnd {
  return afterRun(jobOf(data, deaths), data, now, "out")
}

function dueAfter(data: Partial<SeriesData>, now: number): number | undefined {
  const end = next(series(data), now)
  return end.kind === "again" ? end.dueAt : undefined
}

test("[ND36] at a fixed rate the next run is due a period after the last one was, be it late", () => {
  assert.equal(dueAfter({}, 1010), 1100)
  assert.equal(dueAfter({}, 5000), 1100)
})

test("[ND37] with a fixed delay the next run is due that long after the end", () => {
  assert.equal(dueAfter({ kind: "delay" }, 1010), 1110)
  assert.equal(dueAfter({ kind: "delay" }, 5000), 5100)
})

test("[ND38] by the calendar the next run is due at its first time after now and after the last run", () => {
  const at = (text: string): number => Date.parse(text)
  const daily = { kind: "cron", cron: "0 3 * * *", timezone: "Europe/Berlin" } as const
  const due = at("2026-01-10T02:00:00Z")
  assert.equal(dueAfter({ ...daily, due }, due + 5), at("2026-01-11T02:00:00Z"))
  assert.equal(dueAfter({ ...daily, due }, at("2026-07-01T12:00:00Z")), at("2026-07-02T01:00:00Z"))
  // The clock of the node that ran it was behind.
  assert.equal(dueAfter({ ...daily, due }, due - 5), at("2026-01-11T02:00:00Z"))
})

test("[ND38] a calendar without further times ends the schedule", () => {
  const once = series({
    kind: "cron",
    cron: "0 0 0 1 1 * 2027",
    timezone: "UTC",
    due: Date.parse("2027-01-01T00:00:00Z"),
  })
  assert.deepEqual(next(once, once.due + 1), { kind: "completed", outcome: "out" })
})

test("[ND40] of a schedule, the deaths in its current run count", () => {
  const end = next(series({ deathsBefore: 2 }), 1000, 3)
  assert.ok(end.kind === "again")
  assert.deepEqual(end.data.series, series({ due: 1100, runs: 1, deathsBefore: 3 }))
  assert.equal(deathsOf(jobOf(series({ deathsBefore: 3 }), 4)), 1)
  const job = jobOf(series({}), 1)
  const after = afterRun({ ...job, data: { ...job.data, lastRun: 0 } }, series({}), 1000, "out")
  assert.ok(after.kind === "again" && !("lastRun" in after.data)) // the next run has its own last one
})

test("[ND36][ND39] late runs are made up for, one after the other, and a failure ends the schedule", async () => {
  await using driver = await Driver.open()
  const due = driver.engine.now() - 10_000
  let runs = 0
  let inside = 0
  let most = 0
  const tick = async (): Promise<void> => {
    most = Math.max(most, ++inside)
    await turns(1)
    inside--
    if (++runs === 4) throw new RangeError("enough")
  }
  await driver.start({ tasks: { tick } })
  const job = await driver.add("tick", [], { data: { series: series({ due, period: 1 }) } })
  const end = await job.end
  assert.ok(end.kind === "failed" && end.error instanceof RangeError)
  assert.equal(runs, 4)
  assert.equal(most, 1)
  assert.deepEqual(job.delays, [due + 1, due + 2, due + 3])
})

test("[ND40] a schedule may cost a node in each of its runs", async () => {
  await using driver = await Driver.open()
  using gate = new NodeGate()
  const first = await driver.start()
  const job = await driver.add("pass", [gate.index], {
    data: { series: series({ due: 0, period: 1, deathsBefore: 0 }) },
  })
  await gate.reached(1)
  driver.engine.kill(first.id)
  const second = await driver.start()
  await gate.reached(2)
  gate.open()
  await eventually(() => job.delays.length > 3)
  assert.equal(job.stored()?.data.series?.deathsBefore, 1)
  await job.cancel()
  await job.end
  await second.close()
})

test("[ND29] a cancel message between two runs removes the schedule", async () => {
  await using driver = await Driver.open()
  await driver.start()
  const calls = new Calls()
  const due = driver.engine.now()
  const job = await driver.add("count", [calls.index], { data: { series: series({ due, period: 3_600_000 }) } })
  await eventually(() => job.delays.length === 1)
  // As of a handle that has found the job running, a moment ago.
  await driver.publish({ kind: "cancel", id: job.id, interrupt: true })
  assert.deepEqual(await job.end, { kind: "removed" })
  assert.equal(calls.value, 1)
})

test("[ND24] a schedule whose run is cancelled ends", async () => {
  await using driver = await Driver.open()
  await driver.start()
  const gate = new NodeGate()
  const job = await driver.add("awaitInterrupt", [gate.index], { data: { series: series({ due: 0 }) } })
  await gate.reached()
  await job.cancel()
  const end = await job.end
  assert.ok(end.kind === "failed" && end.failure === "cancelled")
})
