/** What the tests of series by the calendar share. */
import { Timed } from "../testing/support.ts"

/** Longer than that is not waited for. */
const FAR = 7 * 86_400_000

/** The first times after `from` at which a task with this expression really runs, in UTC. */
export async function runsOf(expression: string, timezone: string, from: string, count: number): Promise<string[]> {
  const dates: string[] = []
  let startAt = Date.parse(from)
  while (dates.length < count) {
    await using timed = new Timed({ startAt })
    const run = (): void => void dates.push(timed.clock.date.toISOString())
    const series = timed.open().scheduleCron(run, expression, { timezone })
    while (dates.length < count && series.delay <= FAR) await timed.clock.runNext()
    // Time is made of hours, and years of many: goes on with a new series shortly before the time that this one has found.
    startAt = (series.nextRunAt?.getTime() ?? 0) - HOUR
  }
  return dates
}

/** `2026-03-29 01:00` or `2026-03-29 01:00:30` as a run reports it. */
export function utc(...times: string[]): string[] {
  return times.map((time) => new Date(`${time.replace(" ", "T")}Z`).toISOString())
}

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
