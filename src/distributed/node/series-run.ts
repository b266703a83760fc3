/**
 * Schedules, as a node sees them: one job that runs again and again. After each run the node computes when the next one
 * is due and gives the job back until then. So two runs never overlap, and the whole state of the schedule is in its
 * job.
 */
import { CronCalendar } from "../../schedule/cron-calendar.ts"
import type { ClaimedJob, JobEnd } from "../job/engine.ts"
import type { SeriesData } from "../job/job-data.ts"

/** How many nodes have died with the job; for a schedule, with its current run. */
export function deathsOf({ deaths, data: { series } }: ClaimedJob): number {
  return series === undefined ? deaths : deaths - series.deathsBefore
}

/**
 * The end of a job of a schedule whose run has succeeded, at `now` by the engine's clock. If the calendar has no
 * further time, the job completes with `outcome`. Throws if the calendar cannot be read.
 */
export function afterRun(job: ClaimedJob, series: SeriesData, now: number, outcome: string): JobEnd {
  const due = nextDue(series, now)
  if (due === undefined) return { kind: "completed", outcome }
  const next: SeriesData = { ...series, due, runs: series.runs + 1, deathsBefore: job.deaths }
  const { lastRun: _, ...data } = job.data
  return { kind: "again", dueAt: due, data: { ...data, series: next } }
}

function nextDue({ kind, due, period = 0, cron = "", timezone }: SeriesData, now: number): number | undefined {
  switch (kind) {
    // The time may have passed: late runs are made up for, one after the other, as in Java.
    case "rate":
      return due + period
    case "delay":
      return now + period
    // A run may have begun a little early by this machine's clock, and must not run again for the same time. Missed
    // runs are not made up for.
    case "cron":
      return new CronCalendar(cron, timezone === undefined ? {} : { timezone }).next(Math.max(now, due))
  }
}
