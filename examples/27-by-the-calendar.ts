/**
 * Cron, and a clock for tests.
 *
 * Times are those of a time zone, with its summer time: what is left out by the change is kept at once, what comes twice
 * is kept once. The clock stands still until it is told to move, so a year takes no time, and the outcome is always the same.
 */
import { ScheduledThreadPoolExecutor, virtualThreads } from "corepool"
import { ManualClock } from "corepool/testing"

const DAY = 24 * 3_600_000

const clock = new ManualClock({ startAt: new Date("2026-03-27T12:00:00Z") })
await using pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads(), clock })

// At half past two in the night. On 29 March there is no such time in Berlin: at 02:00 clocks are set to 03:00.
const backup = pool.scheduleCron(() => console.log(`backup at ${clock.date.toISOString()}`), "30 2 * * *", {
  timezone: "Europe/Berlin",
})
console.log(`the first will be at ${backup.nextRunAt?.toISOString()}`)
await clock.advance(3 * DAY)
backup.cancel()

// A run that takes longer than the time to the next: what is missed is left out.
let runs = 0
const slow = pool.scheduleCron(async () => {
  runs++
  await clock.sleep(150_000) // two minutes and a half
}, "* * * * *")
await clock.advance(30 * 60_000)
console.log(`${runs} runs in half an hour`)
slow.cancel()

// The last Friday of a month, and a year in a moment.
const fridays: string[] = []
const party = pool.scheduleCron(() => void fridays.push(clock.date.toISOString().slice(5, 10)), "0 16 * * FRI#L", {
  timezone: "UTC",
})
await clock.advance(180 * DAY)
console.log(fridays.join(" "))
party.cancel()

// Output:
// the first will be at 2026-03-28T01:30:00.000Z
// backup at 2026-03-28T01:30:00.000Z
// backup at 2026-03-29T01:00:00.000Z
// backup at 2026-03-30T00:30:00.000Z
// 10 runs in half an hour
// 04-24 05-29 06-26 07-31 08-28 09-25
