/** What scheduleCron refuses. Ids such as [CR9] refer to docs/spec/cron.md. */
import { useCroner } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { thrownBy } from "../../support/harness.ts"
import { Timed } from "../testing/support.ts"
import { wrong } from "./support.ts"

/** What scheduleCron throws, as a string; nothing may be left of the attempt. */
async function refusal(expression: unknown, options?: unknown, task: unknown = () => undefined): Promise<string> {
  await using timed = new Timed({ startAt: new Date("2026-01-01T00:00:00Z") })
  const pool = timed.open()
  const error = thrownBy(() => pool.scheduleCron(wrong(task), wrong(expression), wrong(options)))
  assert.deepEqual([pool.queue.size, pool.poolSize, timed.threads.length], [0, 0, 0])
  return String(error)
}

for (const [expression, reason] of [
  ["", "five, six, or seven space separated parts"],
  ["   ", "five, six, or seven space separated parts"],
  ["* * * *", "five, six, or seven space separated parts"],
  ["* * * * * * * *", "five, six, or seven space separated parts"],
  ["60 * * * *", "minute: 60"],
  ["* 24 * * *", "hour: 24"],
  ["* * 0 * *", "day"],
  ["* * * 13 *", "month"],
  ["* * * * 8", "dayOfWeek: 8"],
  ["-1 * * * *", ""],
  ["20-10 * * * *", "range"],
  ["*/0 * * * *", "stepping"],
  ["x * * * *", "illegal"],
  ["* * * * FRI#6", "nth weekday"],
  ["@reboot", "@reboot is not supported"],
  ["@never", "five, six, or seven"],
] as const) {
  test(`[CR9] no expression: "${expression}"`, async () => {
    const message = await refusal(expression)
    assert.match(message, /^RangeError: Expected `expression` to be a cron expression \(.*\), got "/)
    assert.ok(message.toLowerCase().includes(reason.toLowerCase()), message)
  })
}

test("[CR9] the library's own error is the cause", async () => {
  await using timed = new Timed()
  const error = thrownBy(() => timed.open().scheduleCron(() => undefined, "60 * * * *"))
  assert.ok(error instanceof RangeError && error.cause instanceof Error)
})

test("[CR9] a date is no expression, and what is no string is a TypeError", async () => {
  assert.equal(
    await refusal("2027-01-01T00:00:00"),
    'RangeError: Expected `expression` to be a cron expression, not a date, got "2027-01-01T00:00:00"',
  )
  for (const none of [null, undefined, 5, new Date(), ["* * * * *"]]) {
    assert.match(await refusal(none), /^TypeError: Expected `expression` to be a string, got /)
  }
})

for (const expression of ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 0 1 1 * 2025", "0 0 0 29 2 * 2027"]) {
  test(`[CR10] never, or never again: ${expression}`, async () => {
    assert.equal(
      await refusal(expression, { timezone: "UTC" }),
      `RangeError: Expected \`expression\` to be a cron expression that comes true at some time after 2026-01-01T00:00:00.000Z, got "${expression}"`,
    )
  })
}

test("[CR11] an unknown time zone, and what is none", async () => {
  for (const timezone of ["", "Europe/Atlantis", "berlin time"]) {
    assert.equal(
      await refusal("* * * * *", { timezone }),
      `RangeError: Expected \`timezone\` to be the name of a time zone, such as Europe/Berlin, got "${timezone}"`,
    )
  }
  assert.match(await refusal("* * * * *", { timezone: 2 }), /^TypeError: Expected `timezone` to be a string, got 2$/)
  for (const options of [null, "UTC", 2]) {
    assert.match(await refusal("* * * * *", options), /^TypeError: Expected `options` to be an object, got /)
  }
})

test("[CR12] the task is looked at first, then the expression, then the options", async () => {
  assert.match(await refusal("x", { timezone: "x" }, "no task"), /`task`/)
  assert.match(await refusal("x", { timezone: "x" }), /`expression`/)
  assert.match(await refusal("0 0 30 2 *", { timezone: "x" }), /`timezone`/)
})

test("[CR14] what is not croner cannot be handed over", () => {
  for (const none of [null, undefined, 5, {}, { Cron: {} }]) {
    assert.match(
      String(thrownBy(() => useCroner(wrong(none)))),
      /^TypeError: Expected `module` to be the package croner, with its class Cron, got /,
    )
  }
})
