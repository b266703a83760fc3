/** An executor and the clock it follows. Ids such as [MK1] refer to docs/spec/testing.md. */
import {
  type Clock,
  platformThreads,
  ScheduledThreadPoolExecutor,
  Thread,
  TimeoutError,
  UnsupportedOperationError,
  virtualThreads,
} from "corepool"
import { ManualClock } from "corepool/testing"
import assert from "node:assert/strict"
import test from "node:test"
import { runProgram } from "../../support/child.ts"
import { CountedTimers } from "../../support/counted-timers.ts"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import { wrong } from "../schedule/support.ts"
import { Timed } from "./support.ts"

test("[MK1] times of a schedule are those of the clock, and no timer ticks for them", async () => {
  using timers = new CountedTimers()
  await using timed = new Timed({ startAt: 5000 })
  const pool = timed.open(2)
  const once = pool.schedule(() => timed.clock.now, 100)
  const rate = pool.scheduleAtFixedRate(timed.note, 10, 50, "rate")
  const delay = pool.scheduleWithFixedDelay(timed.note, 20, 50, "delay")
  await timed.clock.advance(30)
  assert.deepEqual([once.delay, rate.delay, delay.delay], [70, 30, 40])
  assert.deepEqual(
    [once, rate, delay].map(({ nextRunAt }) => nextRunAt?.getTime()),
    [5100, 5060, 5070],
  )
  assert.equal(timers.ticking, 0)
  await timed.clock.advance(70)
  assert.equal(once.resultNow(), 100)
})

test("[MK1] any object with the three methods is a clock", async () => {
  await using timed = new Timed()
  const asked: number[] = []
  const clock: Clock = {
    time: () => 1000,
    wallTime: () => 2000,
    timer(time) {
      asked.push(time)
      return { cancel: () => undefined }
    },
  }
  const pool = timed.open(1, { clock })
  const future = pool.schedule(() => undefined, 50)
  await eventually(() => asked.length > 0)
  assert.deepEqual([asked, future.delay, future.nextRunAt?.getTime()], [[1050], 50, 2050])
})

test("[MK2] limits of waits, sleeps and keep-alive go by real time", async () => {
  await using timed = new Timed()
  const pool = timed.open(0)
  const future = pool.schedule(() => undefined, 10)
  assert.ok((await rejectionOf(future.get(1))) instanceof TimeoutError)
  await Thread.sleep(1)
  const limited = pool.with({ timeout: 1 }).submit(() => Thread.sleep(1_000_000))
  assert.ok((await rejectionOf(limited)) instanceof TimeoutError)
  future.cancel()
  pool.purge()
  await eventually(() => pool.poolSize === 0)
  assert.equal(timed.clock.now, 0)
})

test("[MK3] what is no clock is refused", () => {
  for (const clock of [null, 5, {}, Date, { time: () => 0, wallTime: () => 0 }]) {
    const error = thrownBy(
      () => new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads(), clock: wrong(clock) }),
    )
    assert.match(String(error), /^TypeError: Expected `clock` to be a Clock, such as a ManualClock, got /)
  }
})

test("[MK3] a pool of platform threads can have no clock of its own", () => {
  const options = { corePoolSize: 1, threadFactory: platformThreads(), clock: new ManualClock() }
  const error = thrownBy(() => new ScheduledThreadPoolExecutor(options))
  assert.ok(error instanceof UnsupportedOperationError)
  assert.match(error.message, /Platform threads wait by the system's clock.*`threadFactory: virtualThreads\(\)`/)
})

test("[MK4] a program that has nothing but a manual clock to wait for ends", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { ScheduledThreadPoolExecutor, virtualThreads } from "corepool"
    import { ManualClock } from "corepool/testing"
    const clock = new ManualClock()
    const pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads(), clock })
    pool.scheduleAtFixedRate(() => console.log("run"), 10, 10)
    void clock.sleep(100)
    await clock.advance(20)
    console.log("end")
  `)
  assert.deepEqual([code, stdout, stderr], [0, "run\nrun\nend\n", ""])
})

test("[MK5] several executors follow one clock, and time stops for each", async () => {
  await using timed = new Timed()
  const [a, b] = [timed.open(), timed.open(2)]
  a.scheduleAtFixedRate(timed.note, 10, 10, "a")
  b.scheduleAtFixedRate(timed.note, 5, 10, "b")
  a.schedule(() => b.schedule(timed.note, 3, "of both"), 12)
  await timed.clock.advance(30)
  assert.deepEqual(timed.take(), ["b@5", "a@10", "b@15", "of both@15", "a@20", "b@25", "a@30"])
})
