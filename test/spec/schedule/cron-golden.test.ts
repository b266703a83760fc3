/**
 * When expressions come true. Ids such as [CR1] refer to docs/spec/cron.md.
 *
 * The expected times were found by hand, from a calendar and from the rules of the zones:
 *
 *     Europe/Berlin        UTC+1, in summer +2; changes at 01:00 UTC on the last Sunday of March and of October
 *     America/New_York     UTC−5, in summer −4; changes at 02:00 local time on the second Sunday of March and the first of November
 *     Australia/Lord_Howe  UTC+10:30, in summer +11; changes at 02:00 local time on the first Sunday of October and of April
 *     Asia/Kolkata         UTC+5:30
 *     Pacific/Apia         went from UTC−10 to +14 at the end of 29 December 2011: there was no 30th
 */
import assert from "node:assert/strict"
import test from "node:test"
import { runProgram } from "../../support/child.ts"
import { HOUR, MINUTE, runsOf, utc } from "./cron-support.ts"

interface Golden {
  readonly what: string
  readonly expression: string
  readonly from: string
  readonly runs: readonly string[]
}

/** All in UTC. 1 January 2026 is a Thursday. */
const FIELDS: readonly Golden[] = [
  {
    what: "five fields, strictly after the beginning",
    expression: "0 12 * * *",
    from: "2026-01-01T12:00:00Z",
    runs: ["2026-01-02 12:00", "2026-01-03 12:00"],
  },
  {
    what: "a beginning within the second before",
    expression: "0 12 * * *",
    from: "2026-01-01T11:59:59.999Z",
    runs: ["2026-01-01 12:00", "2026-01-02 12:00"],
  },
  {
    what: "six fields: seconds in front",
    expression: "15,45 59 23 * * *",
    from: "2026-12-31T23:59:15Z",
    runs: ["2026-12-31 23:59:45", "2027-01-01 23:59:15", "2027-01-01 23:59:45"],
  },
  {
    what: "seven fields: years behind",
    expression: "0 0 0 1 1 * 2028,2031",
    from: "2026-06-01T00:00:00Z",
    runs: ["2028-01-01 00:00", "2031-01-01 00:00"],
  },
  {
    what: "steps, ranges and lists",
    expression: "*/25 8-9,22 * * *",
    from: "2026-01-01T00:00:00Z",
    runs: [
      ...["2026-01-01 08:00", "2026-01-01 08:25", "2026-01-01 08:50"],
      ...["2026-01-01 09:00", "2026-01-01 09:25", "2026-01-01 09:50"],
      ...["2026-01-01 22:00", "2026-01-01 22:25", "2026-01-01 22:50", "2026-01-02 08:00"],
    ],
  },
  {
    what: "a range with steps",
    expression: "0 10-20/4 * * *",
    from: "2026-01-01T00:00:00Z",
    runs: ["2026-01-01 10:00", "2026-01-01 14:00", "2026-01-01 18:00", "2026-01-02 10:00"],
  },
  {
    what: "names",
    expression: "0 9 * FEB MON-WED",
    from: "2026-01-01T00:00:00Z",
    runs: ["2026-02-02 09:00", "2026-02-03 09:00", "2026-02-04 09:00", "2026-02-09 09:00"],
  },
  {
    what: "Sunday as 0",
    expression: "0 0 ? * 0",
    from: "2026-01-01T00:00:00Z",
    runs: ["2026-01-04 00:00", "2026-01-11 00:00"],
  },
  {
    what: "Sunday as 7",
    expression: "0 0 * * 7",
    from: "2026-01-01T00:00:00Z",
    runs: ["2026-01-04 00:00", "2026-01-11 00:00"],
  },
  ...["@yearly", "@annually"].map((expression) => ({
    what: expression,
    expression,
    from: "2026-01-01T00:00:00Z",
    runs: ["2027-01-01 00:00", "2028-01-01 00:00"],
  })),
  {
    what: "@monthly",
    expression: "@monthly",
    from: "2026-01-01T00:00:00Z",
    runs: ["2026-02-01 00:00", "2026-03-01 00:00"],
  },
  {
    what: "@weekly",
    expression: "@weekly",
    from: "2026-01-01T00:00:00Z",
    runs: ["2026-01-04 00:00", "2026-01-11 00:00"],
  },
  ...["@daily", "@midnight"].map((expression) => ({
    what: expression,
    expression,
    from: "2026-02-28T00:00:00Z",
    runs: ["2026-03-01 00:00", "2026-03-02 00:00"],
  })),
  {
    what: "@hourly",
    expression: "@hourly",
    from: "2026-01-01T22:30:00Z",
    runs: ["2026-01-01 23:00", "2026-01-02 00:00"],
  },
]

for (const { what, expression, from, runs } of FIELDS) {
  test(`[CR1] ${what}: ${expression}`, async () => {
    assert.deepEqual(await runsOf(expression, "UTC", from, runs.length), utc(...runs))
  })
}

const DAYS: readonly Golden[] = [
  {
    what: "the last day of the month",
    expression: "0 0 L * *",
    from: "2028-01-15T00:00:00Z",
    runs: ["2028-01-31 00:00", "2028-02-29 00:00", "2028-03-31 00:00", "2028-04-30 00:00"],
  },
  {
    what: "the weekday nearest to the 15th: a Sunday, a Wednesday, a Saturday",
    expression: "0 0 15W 2,4,8 *",
    from: "2026-02-01T00:00:00Z",
    runs: ["2026-02-16 00:00", "2026-04-15 00:00", "2026-08-14 00:00"],
  },
  {
    what: "the weekday nearest to a Saturday the 1st lies in the same month",
    expression: "0 0 1W 8 *",
    from: "2026-02-01T00:00:00Z",
    runs: ["2026-08-03 00:00"],
  },
  {
    what: "the last weekday: before a Saturday, before a Saturday, a Tuesday",
    expression: "0 0 LW * *",
    from: "2026-01-15T00:00:00Z",
    runs: ["2026-01-30 00:00", "2026-02-27 00:00", "2026-03-31 00:00"],
  },
  {
    what: "the second Friday",
    expression: "0 0 * * FRI#2",
    from: "2026-01-01T00:00:00Z",
    runs: ["2026-01-09 00:00", "2026-02-13 00:00", "2026-03-13 00:00"],
  },
  {
    what: "the last Friday",
    expression: "0 0 * * 5#L",
    from: "2026-01-01T00:00:00Z",
    runs: ["2026-01-30 00:00", "2026-02-27 00:00", "2026-03-27 00:00"],
  },
  {
    what: "the fifth Monday, which few months have",
    expression: "0 0 * * MON#5",
    from: "2026-01-01T00:00:00Z",
    runs: ["2026-03-30 00:00", "2026-06-29 00:00", "2026-08-31 00:00"],
  },
]

for (const { what, expression, from, runs } of DAYS) {
  test(`[CR2] ${what}: ${expression}`, async () => {
    assert.deepEqual(await runsOf(expression, "UTC", from, runs.length), utc(...runs))
  })
}

test("[CR3] a day of the month and one of the week: either is enough, unless both are asked for", async () => {
  const from = "2026-04-08T00:00:00Z"
  assert.deepEqual(
    await runsOf("0 0 13 * 5", "UTC", from, 4),
    utc("2026-04-10 00:00", "2026-04-13 00:00", "2026-04-17 00:00", "2026-04-24 00:00"),
  )
  // The Fridays the 13th.
  assert.deepEqual(
    await runsOf("0 0 13 * +5", "UTC", "2026-01-01T00:00:00Z", 4),
    utc("2026-02-13 00:00", "2026-03-13 00:00", "2026-11-13 00:00", "2027-08-13 00:00"),
  )
})

test("[CR4] 29 February", async () => {
  assert.deepEqual(
    await runsOf("0 6 29 2 *", "UTC", "2026-01-01T00:00:00Z", 3),
    utc("2028-02-29 06:00", "2032-02-29 06:00", "2036-02-29 06:00"),
  )
  // 2100 is no leap year.
  assert.deepEqual(
    await runsOf("0 6 29 2 *", "UTC", "2096-01-01T00:00:00Z", 2),
    utc("2096-02-29 06:00", "2104-02-29 06:00"),
  )
})

interface Zoned extends Golden {
  readonly timezone: string
}

const ORDINARY: readonly Zoned[] = [
  {
    what: "half hours",
    timezone: "Asia/Kolkata",
    expression: "0 9 * * *",
    from: "2026-01-01T00:00:00Z",
    runs: ["2026-01-01 03:30", "2026-01-02 03:30"],
  },
  {
    what: "the day is that of the zone",
    timezone: "America/New_York",
    expression: "0 22 31 12 *",
    from: "2026-06-01T00:00:00Z",
    runs: ["2027-01-01 03:00"],
  },
  {
    what: "midnight moves with summer time",
    timezone: "America/New_York",
    expression: "0 0 * * *",
    from: "2026-03-07T12:00:00Z",
    runs: ["2026-03-08 05:00", "2026-03-09 04:00", "2026-03-10 04:00"],
  },
]

for (const { what, expression, timezone, from, runs } of ORDINARY) {
  test(`[CR5] ${what}: ${expression} in ${timezone}`, async () => {
    assert.deepEqual(await runsOf(expression, timezone, from, runs.length), utc(...runs))
  })
}

test("[CR5] without a time zone it is that of the system", async () => {
  const { code, stdout, stderr } = await runProgram(`
    process.env.TZ = "America/New_York"
    const { ScheduledThreadPoolExecutor, virtualThreads } = await import("corepool")
    const { ManualClock } = await import("corepool/testing")
    const clock = new ManualClock({ startAt: new Date("2026-03-07T12:00:00Z") })
    const pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads(), clock })
    pool.scheduleCron(() => console.log(clock.date.toISOString()), "30 2 * * *")
    await clock.advance(3 * 24 * 3_600_000)
  `)
  assert.deepEqual([code, stderr], [0, ""])
  assert.deepEqual(stdout.trim().split("\n"), utc("2026-03-08 07:00", "2026-03-09 06:30", "2026-03-10 06:30"))
})

const GAPS: readonly Zoned[] = [
  {
    what: "02:30 on the night on which 02:00 is followed by 03:00",
    timezone: "Europe/Berlin",
    expression: "30 2 * * *",
    from: "2026-03-28T00:00:00Z",
    runs: ["2026-03-28 01:30", "2026-03-29 01:00", "2026-03-30 00:30"],
  },
  {
    what: "with seconds",
    timezone: "Europe/Berlin",
    expression: "59 59 2 * * *",
    from: "2026-03-28T12:00:00Z",
    runs: ["2026-03-29 01:00", "2026-03-30 00:59:59"],
  },
  {
    what: "the first moment after the gap is an ordinary one",
    timezone: "Europe/Berlin",
    expression: "0 3 * * *",
    from: "2026-03-28T12:00:00Z",
    runs: ["2026-03-29 01:00", "2026-03-30 01:00"],
  },
  {
    what: "02:30 in New York",
    timezone: "America/New_York",
    expression: "30 2 * * *",
    from: "2026-03-07T12:00:00Z",
    runs: ["2026-03-08 07:00", "2026-03-09 06:30"],
  },
  {
    what: "02:15 where half an hour is left out, from 02:00 to 02:30",
    timezone: "Australia/Lord_Howe",
    expression: "15 2 * * *",
    from: "2026-10-02T00:00:00Z",
    runs: ["2026-10-02 15:45", "2026-10-03 15:30", "2026-10-04 15:15"],
  },
  {
    what: "02:45 there exists",
    timezone: "Australia/Lord_Howe",
    expression: "45 2 * * *",
    from: "2026-10-02T18:00:00Z",
    runs: ["2026-10-03 15:45", "2026-10-04 15:45"],
  },
  {
    what: "a day that is left out",
    timezone: "Pacific/Apia",
    expression: "0 12 * * *",
    from: "2011-12-29T00:00:00Z",
    runs: ["2011-12-29 22:00", "2011-12-30 22:00", "2011-12-31 22:00"],
  },
]

for (const { what, expression, timezone, from, runs } of GAPS) {
  test(`[CR6] ${what}: ${expression} in ${timezone}`, async () => {
    assert.deepEqual(await runsOf(expression, timezone, from, runs.length), utc(...runs))
  })
}

const FOLDS: readonly Zoned[] = [
  {
    what: "02:30 on the night on which it comes twice",
    timezone: "Europe/Berlin",
    expression: "30 2 * * *",
    from: "2026-10-24T00:00:00Z",
    runs: ["2026-10-24 00:30", "2026-10-25 00:30", "2026-10-26 01:30"],
  },
  {
    what: "planned between the two",
    timezone: "Europe/Berlin",
    expression: "30 2 * * *",
    from: "2026-10-25T00:45:00Z",
    runs: ["2026-10-26 01:30"],
  },
  {
    what: "01:30 in New York",
    timezone: "America/New_York",
    expression: "30 1 * * *",
    from: "2026-10-31T12:00:00Z",
    runs: ["2026-11-01 05:30", "2026-11-02 06:30"],
  },
  {
    what: "01:45 where half an hour comes twice, from 01:30 to 02:00",
    timezone: "Australia/Lord_Howe",
    expression: "45 1 * * *",
    from: "2026-04-03T00:00:00Z",
    runs: ["2026-04-03 14:45", "2026-04-04 14:45", "2026-04-05 15:15"],
  },
  {
    what: "01:15 there comes once",
    timezone: "Australia/Lord_Howe",
    expression: "15 1 * * *",
    from: "2026-04-04T00:00:00Z",
    runs: ["2026-04-04 14:15", "2026-04-05 14:45"],
  },
]

for (const { what, expression, timezone, from, runs } of FOLDS) {
  test(`[CR7] ${what}: ${expression} in ${timezone}`, async () => {
    assert.deepEqual(await runsOf(expression, timezone, from, runs.length), utc(...runs))
  })
}

const WHENEVER: readonly Zoned[] = [
  {
    what: "half hours of an hour that is left out",
    timezone: "Europe/Berlin",
    expression: "*/30 2 * * *",
    from: "2026-03-28T12:00:00Z",
    runs: ["2026-03-30 00:00", "2026-03-30 00:30"],
  },
  {
    what: "half hours of an hour that comes twice",
    timezone: "Europe/Berlin",
    expression: "*/30 2 * * *",
    from: "2026-10-24T12:00:00Z",
    runs: ["2026-10-25 00:00", "2026-10-25 00:30", "2026-10-25 01:00", "2026-10-25 01:30", "2026-10-26 01:00"],
  },
  {
    what: "every hour, over the gap",
    timezone: "America/New_York",
    expression: "0 * * * *",
    from: "2026-03-08T05:30:00Z",
    runs: ["2026-03-08 06:00", "2026-03-08 07:00", "2026-03-08 08:00"],
  },
  {
    what: "every hour, in both passes",
    timezone: "America/New_York",
    expression: "0 * * * *",
    from: "2026-11-01T03:30:00Z",
    runs: ["2026-11-01 04:00", "2026-11-01 05:00", "2026-11-01 06:00", "2026-11-01 07:00"],
  },
  {
    what: "quarters of an hour of which half comes twice",
    timezone: "Australia/Lord_Howe",
    expression: "*/15 1 * * *",
    from: "2026-04-04T12:00:00Z",
    runs: [
      ...["2026-04-04 14:00", "2026-04-04 14:15", "2026-04-04 14:30", "2026-04-04 14:45"],
      ...["2026-04-04 15:00", "2026-04-04 15:15", "2026-04-05 14:30"],
    ],
  },
]

for (const { what, expression, timezone, from, runs } of WHENEVER) {
  test(`[CR8] ${what}: ${expression} in ${timezone}`, async () => {
    assert.deepEqual(await runsOf(expression, timezone, from, runs.length), utc(...runs))
  })
}

/** Two hours around each change of the clock in 2026. */
const CHANGES = {
  "Europe/Berlin": ["2026-03-29T00:00:00Z", "2026-10-25T00:00:00Z"],
  "America/New_York": ["2026-03-08T06:00:00Z", "2026-11-01T05:00:00Z"],
  "Australia/Lord_Howe": ["2026-10-03T14:30:00Z", "2026-04-04T14:00:00Z"],
  UTC: ["2026-03-29T00:00:00Z"],
}

for (const [timezone, changes] of Object.entries(CHANGES)) {
  for (const from of changes) {
    test(`[CR8] every minute around ${from} in ${timezone}: no break, no repetition`, async () => {
      const count = (2 * HOUR) / MINUTE
      const expected = Array.from({ length: count }, (_, i) =>
        new Date(Date.parse(from) + (i + 1) * MINUTE).toISOString(),
      )
      assert.deepEqual(await runsOf("* * * * *", timezone, from, count), expected)
    })
  }
}
