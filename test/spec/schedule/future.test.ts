/** What a scheduled future shows of its times. Ids such as [SC21] refer to docs/spec/schedule.md. */
import type { ScheduledFuture } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { pass, Schedules } from "./support.ts"

test("[SC21] delay counts down to the due time and goes on below zero, also while the task runs and when it is done", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  const future = pool.schedule(gate.body, 10)
  assert.equal(future.delay, 10)
  await pass(clock, 4)
  assert.equal(future.delay, 6)
  await pass(clock, 8)
  assert.deepEqual([gate.inside, future.delay], [1, -2])
  gate.open()
  await future
  await pass(clock, 3)
  assert.equal(future.delay, -5)
})

test("[SC21] of a series it is that of the next run", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const inside: number[] = []
  const series: ScheduledFuture<void> = pool.scheduleAtFixedRate(() => void inside.push(series.delay), 5, 10)
  assert.equal(series.delay, 5)
  await pass(clock, 8)
  assert.deepEqual([series.delay, inside], [7, [0]])
})

test("[SC21] a task that is late has a delay below zero while it waits", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  pool.execute(pools.gate().body)
  const future = pool.schedule(() => undefined, 3)
  await pass(clock, 10)
  assert.deepEqual([future.isDone, future.delay], [false, -7])
})

test("[SC22] isPeriodic is true for a series, whatever becomes of it, and for nothing else", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const once = [pool.schedule(() => undefined, 1000), pool.submit(() => undefined)]
  const series = [
    pool.scheduleAtFixedRate(() => undefined, 0, 1000),
    pool.scheduleWithFixedDelay(() => Promise.reject(new Error("own")), 0, 1000),
  ]
  const show = (): boolean[][] => [once.map((future) => future.isPeriodic), series.map((future) => future.isPeriodic)]
  assert.deepEqual(show(), [
    [false, false],
    [true, true],
  ])
  await turns()
  for (const future of [...once, ...series]) future.cancel()
  assert.deepEqual(show(), [
    [false, false],
    [true, true],
  ])
})

/** How far off the next run is by the wall clock, to within what the test itself takes. */
function distance(future: ScheduledFuture<unknown>): number | undefined {
  const at = future.nextRunAt
  if (at === undefined) return undefined
  const exact = at.getTime() - Date.now()
  return Math.round(exact / 10_000) * 10_000
}

test("[SC23] nextRunAt is when a task that waits is due by the wall clock", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const once = pool.schedule(() => undefined, 50_000)
  const series = pool.scheduleAtFixedRate(() => undefined, 20_000, 100_000)
  assert.ok(once.nextRunAt instanceof Date)
  assert.deepEqual([distance(once), distance(series)], [50_000, 20_000])
  await turns()
  clock.advance(20_000)
  await turns()
  assert.deepEqual([distance(once), distance(series)], [30_000, 100_000])
})

test("[SC23] it is undefined if there will be no further run", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(2)
  const gate = pools.gate()
  const running = pool.schedule(gate.body, 0)
  const cancelled = pool.schedule(() => undefined, 10)
  const cancelledSeries = pool.scheduleAtFixedRate(() => undefined, 10, 10)
  const failed = pool.scheduleAtFixedRate(() => Promise.reject(new Error("own")), 0, 10)
  const removed = pool.schedule(() => undefined, 10)
  const never = pool.schedule(() => undefined, Infinity)
  const beyondDates = pool.schedule(() => undefined, 1e17)
  await turns()
  cancelled.cancel()
  cancelledSeries.cancel()
  pool.remove(removed)
  const all = [running, cancelled, cancelledSeries, failed, removed, never, beyondDates]
  assert.deepEqual(
    all.map(({ nextRunAt }) => nextRunAt),
    all.map(() => undefined),
  )
  gate.open()
  await running
  await pass(clock, 20)
  assert.equal(running.nextRunAt, undefined)
})

test("[SC23] while a series runs its next run is known at a fixed rate and not known with a fixed delay", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(2)
  const gate = pools.gate()
  const rate = pool.scheduleAtFixedRate(gate.body, 10_000, 50_000)
  const delay = pool.scheduleWithFixedDelay(gate.body, 10_000, 50_000)
  await turns()
  clock.advance(20_000)
  await turns()
  assert.equal(gate.inside, 2)
  assert.deepEqual([distance(rate), distance(delay)], [40_000, undefined])
  gate.open()
  await turns()
  assert.deepEqual([distance(rate), distance(delay)], [40_000, 50_000])
})

test("[SC24] compareTo is the order of the runs, and zero only for the future itself", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  type Comparable = ScheduledFuture<unknown> & { compareTo(other: ScheduledFuture<unknown>): number }
  const futures = [10, 20, 10, Infinity, Infinity].map((delay) => pool.schedule(() => undefined, delay) as Comparable)
  const [a, b, c, d, e] = futures as [Comparable, Comparable, Comparable, Comparable, Comparable]
  const signs = (first: Comparable) => futures.map((other) => Math.sign(first.compareTo(other)))
  assert.deepEqual(signs(a), [0, -1, -1, -1, -1])
  assert.deepEqual(signs(b), [1, 0, 1, -1, -1])
  assert.deepEqual(signs(c), [1, -1, 0, -1, -1])
  assert.deepEqual(signs(d), [1, 1, 1, 0, -1])
  assert.deepEqual(signs(e), [1, 1, 1, 1, 0])
  assert.ok(clock.now > 0)
})

test("[SC25] a scheduled future shows its task by name until it is done", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const future = pool.schedule(
    function sample(n: number) {
      return n
    },
    1,
    5,
  )
  assert.match(String(future), /\[Not completed, task = sample\]$/)
  await future
  assert.match(String(future), /\[Completed normally\]$/)
  const series = pool.scheduleAtFixedRate(function beat() {}, 0, 1)
  await turns()
  assert.match(String(series), /\[Not completed, task = beat\]$/)
  series.cancel()
  assert.match(String(series), /\[Cancelled\]$/)
})
