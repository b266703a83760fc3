/** A clock that moves when it is told to. Ids such as [MK6] refer to docs/spec/testing.md. */
import { IllegalStateError, InterruptedError } from "corepool"
import { ManualClock } from "corepool/testing"
import assert from "node:assert/strict"
import test from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import { rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { wrong } from "../schedule/support.ts"
import { Timed } from "./support.ts"

test("[MK6] time stands still, and what is due at once runs all the same", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  assert.equal(timed.clock.now, 0)
  pool.schedule(timed.note, 1, "later")
  assert.equal(await pool.submit(() => "now"), "now")
  pool.execute(() => timed.note("executed"))
  await turns(30)
  assert.deepEqual(timed.take(), ["executed@0"])
})

test("[MK7] advance runs what becomes due, the very end included, and nothing else", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  for (const delay of [0.5, 10, 10.5]) pool.schedule(timed.note, delay, `after ${delay}`)
  await timed.clock.advance(10)
  assert.deepEqual([timed.take(), timed.clock.now], [["after 0.5@0.5", "after 10@10"], 10])
  await timed.clock.advance(0.25)
  assert.deepEqual([timed.take(), timed.clock.now], [[], 10.25])
  await timed.clock.advance(0.25)
  assert.deepEqual(timed.take(), ["after 10.5@10.5"])
})

test("[MK7] advance(0) runs what is due now", async () => {
  await using timed = new Timed()
  const future = timed.open().schedule(async () => await turn("done"), -5)
  await timed.clock.advance(0)
  assert.deepEqual([future.resultNow(), timed.clock.now], ["done", 0])
})

test("[MK8] tasks run in the order of their times, each at its own moment", async () => {
  await using timed = new Timed({ startAt: 1_000_000 })
  const pool = timed.open()
  const dates: number[] = []
  for (const delay of [30, 10, 20, 10, 5]) {
    pool.schedule(() => {
      timed.note(`${delay}`)
      dates.push(timed.clock.date.getTime())
    }, delay)
  }
  pool.scheduleAtFixedRate(timed.note, 0, 10, "rate")
  pool.scheduleWithFixedDelay(timed.note, 5, 10, "delay")
  await timed.clock.advance(30)
  assert.deepEqual(timed.take(), [
    ...["rate@0", "5@5", "delay@5", "10@10", "10@10", "rate@10", "delay@15"],
    ...["20@20", "rate@20", "delay@25", "30@30", "rate@30"],
  ])
  assert.deepEqual(dates, [1_000_005, 1_000_010, 1_000_010, 1_000_020, 1_000_030])
})

for (const threads of [1, 20]) {
  test(`[MK8] of tasks that are due at the same time the first scheduled is first (threads: ${threads})`, async () => {
    await using timed = new Timed()
    const pool = timed.open(threads)
    const names = Array.from({ length: 20 }, (_, i) => `${i}`)
    for (const name of names) pool.schedule(timed.note, 7, name)
    await timed.clock.advance(7)
    assert.deepEqual(
      timed.take(),
      names.map((name) => `${name}@7`),
    )
  })
}

test("[MK9] time does not move on before asynchronous tasks have done what needs no time", async () => {
  await using timed = new Timed()
  const pool = timed.open(2)
  const slow = async (name: string): Promise<void> => {
    for (let i = 0; i < 1000; i++) await Promise.resolve()
    for (let i = 0; i < 5; i++) await turn()
    timed.note(name)
  }
  // Fifty of them due at once on two threads are far more turns than a clock waits for in which nothing happens.
  for (let i = 0; i < 50; i++) pool.schedule(slow, 10, "a")
  pool.schedule(slow, 11, "b")
  await timed.clock.advance(11)
  assert.deepEqual(timed.take(), [...Array.from({ length: 50 }, () => "a@10"), "b@11"])
})

test("[MK9] what follows upon a task, outside of the pool, is over as well", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  void pool
    .schedule(() => undefined, 5)
    .then(async () => {
      await turn()
      timed.note("then")
    })
  await timed.clock.advance(20)
  assert.deepEqual(timed.take(), ["then@5"])
})

test("[MK9] a thread that is busy with computing holds the clock", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  // Each takes longer than a thread's turn of the event loop.
  const compute = (): void => {
    const end = performance.now() + 10
    while (performance.now() < end);
    timed.note("computed")
  }
  for (let i = 0; i < 5; i++) pool.schedule(compute, 1)
  pool.schedule(timed.note, 2, "next")
  await timed.clock.advance(2)
  assert.deepEqual(timed.take(), [...Array.from({ length: 5 }, () => "computed@1"), "next@2"])
})

test("[MK10] what is scheduled while time moves runs in the same move if it is due by the end", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  pool.schedule(() => {
    pool.schedule(timed.note, 5, "inner")
    pool.schedule(timed.note, 0, "at once")
    pool.schedule(timed.note, 20, "too late")
  }, 10)
  await timed.clock.advance(20)
  assert.deepEqual(timed.take(), ["at once@10", "inner@15"])
})

test("[MK10] also if it is scheduled beside the tasks", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  const moving = timed.clock.advance(20)
  pool.schedule(timed.note, 5, "beside")
  await timed.clock.sleep(7)
  pool.schedule(timed.note, 5, "later")
  await moving
  assert.deepEqual(timed.take(), ["beside@5", "later@12"])
})

test("[MK11] advanceTo moves to a time of the clock or to a time of day", async () => {
  await using timed = new Timed({ startAt: new Date("2026-01-01T00:00:00Z") })
  const pool = timed.open()
  pool.scheduleAtFixedRate(timed.note, 400, 400, "run")
  await timed.clock.advanceTo(500)
  assert.deepEqual([timed.take(), timed.clock.now], [["run@400"], 500])
  await timed.clock.advanceTo(new Date("2026-01-01T00:00:01Z"))
  assert.deepEqual([timed.take(), timed.clock.now], [["run@800"], 1000])
  await timed.clock.advanceTo(1000)
  assert.equal(timed.clock.now, 1000)
})

test("[MK12] runNext moves to the next moment for which anybody waits, and runs what is due then", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  for (const [delay, name] of [
    [20, "c"],
    [5, "a"],
    [5, "b"],
  ] as const) {
    pool.schedule(timed.note, delay, name)
  }
  assert.deepEqual([await timed.clock.runNext(), timed.take(), timed.clock.now], [true, ["a@5", "b@5"], 5])
  assert.deepEqual([await timed.clock.runNext(), timed.take(), timed.clock.now], [true, ["c@20"], 20])
  assert.deepEqual([await timed.clock.runNext(), timed.take(), timed.clock.now], [false, [], 20])
})

test("[MK12] what is cancelled, or never due, is nothing to move for", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  pool.schedule(timed.note, 5, "cancelled").cancel()
  pool.schedule(timed.note, Infinity, "never")
  assert.deepEqual([await timed.clock.runNext(), timed.clock.now, timed.take()], [false, 0, []])
  pool.schedule(timed.note, 9, "behind")
  assert.deepEqual([await timed.clock.runNext(), timed.clock.now, timed.take()], [true, 5, []])
  assert.deepEqual([await timed.clock.runNext(), timed.clock.now, timed.take()], [true, 9, ["behind@9"]])
})

test("[MK13] a task that sleeps by the clock keeps its thread, and a series waits for it", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  pool.scheduleWithFixedDelay(
    async (name: string) => {
      timed.note(name)
      await timed.clock.sleep(3)
      timed.note("end")
    },
    1,
    10,
    "run",
  )
  pool.schedule(timed.note, 2, "behind")
  await timed.clock.advance(15)
  assert.deepEqual(timed.take(), ["run@1", "end@4", "behind@4", "run@14"])
})

test("[MK13] sleepers wake in the order of their times, and at the same time in that of their coming", async () => {
  const clock = new ManualClock()
  const woken: string[] = []
  const sleep = async (ms: number, name: string): Promise<void> => {
    await clock.sleep(ms)
    woken.push(`${name}@${clock.now}`)
  }
  void sleep(3, "c")
  void sleep(1, "a")
  void sleep(3, "d")
  void sleep(2.5, "b")
  void sleep(Infinity, "never")
  void sleep(0, "at once")
  await clock.advance(3)
  assert.deepEqual(woken, ["at once@0", "a@1", "b@2.5", "c@3", "d@3"])
})

test("[MK13] an interrupt, or an abort, ends a sleep, and nothing is left of it", async () => {
  await using timed = new Timed()
  const { clock } = timed
  const pool = timed.open()
  const future = pool.schedule(() => rejectionOf(clock.sleep(10)), 1)
  await clock.advance(5)
  timed.threads[0]?.interrupt()
  assert.ok((await future) instanceof InterruptedError)
  const reason = new Error("own")
  const control = new AbortController()
  const sleeping = rejectionOf(clock.sleep(10, control))
  control.abort(reason)
  assert.equal(await sleeping, reason)
  assert.deepEqual([clock.pending, clock.nextTime], [0, undefined])
})

test("[MK13] fractions are kept to the last bit", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  const expected: string[] = []
  let time = 0.1
  pool.scheduleAtFixedRate(timed.note, 0.1, 0.7, "run")
  for (; time <= 100; time += 0.7) expected.push(`run@${time}`)
  await timed.clock.advance(100)
  assert.deepEqual(timed.take(), expected)
})

test("[MK14] pending counts who waits for a time, and nextTime is that of the first", async () => {
  await using timed = new Timed()
  const { clock } = timed
  assert.deepEqual([clock.pending, clock.nextTime], [0, undefined])
  const pool = timed.open()
  for (const delay of [7, 8, 9]) pool.schedule(timed.note, delay, "run")
  const other = timed.open()
  const future = other.schedule(timed.note, 5, "other")
  void clock.sleep(6)
  await clock.advance(0)
  assert.deepEqual([clock.pending, clock.nextTime], [3, 5])
  future.cancel()
  await clock.advance(0)
  assert.deepEqual([clock.pending, clock.nextTime], [2, 6])
  await clock.advance(9)
  assert.deepEqual([clock.pending, clock.nextTime], [0, undefined])
})

test("[MK15] what cannot be moved to is refused, and nothing has moved", async () => {
  const clock = new ManualClock()
  await clock.advance(10)
  for (const ms of [-1, NaN, Infinity]) {
    assert.match(String(await rejectionOf(clock.advance(ms))), /^RangeError: Expected `ms` to be a finite number/)
  }
  assert.match(String(await rejectionOf(clock.advance(wrong("1")))), /^TypeError: Expected `ms` to be a finite number/)
  for (const past of [9, new Date(Date.UTC(1999, 0))]) {
    assert.match(String(await rejectionOf(clock.advanceTo(past))), /^RangeError: Expected `moment` to be no earlier/)
  }
  for (const none of [NaN, Infinity, new Date(NaN)]) {
    assert.ok((await rejectionOf(clock.advanceTo(none))) instanceof RangeError)
    assert.ok(thrownBy(() => clock.setWallTime(none)) instanceof RangeError)
    assert.ok(thrownBy(() => new ManualClock({ startAt: none })) instanceof RangeError)
  }
  for (const none of ["10", null, {}]) {
    assert.match(String(await rejectionOf(clock.advanceTo(wrong(none)))), /^TypeError: Expected `moment` to be a Date/)
    assert.ok(thrownBy(() => clock.setWallTime(wrong(none))) instanceof TypeError)
    assert.ok(thrownBy(() => new ManualClock({ startAt: wrong(none) })) instanceof TypeError)
  }
  assert.ok(thrownBy(() => new ManualClock(wrong(5))) instanceof TypeError)
  for (const ms of [-1, NaN]) assert.ok((await rejectionOf(clock.sleep(ms))) instanceof RangeError)
  assert.equal(clock.now, 10)
})

test("[MK16] a clock is not moved while it is moved, and goes on all the same", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  const inside = pool.schedule(() => rejectionOf(timed.clock.advance(1)), 5)
  const moving = timed.clock.advance(10)
  const beside = await rejectionOf(timed.clock.runNext())
  await moving
  for (const error of [inside.resultNow(), beside]) {
    assert.ok(error instanceof IllegalStateError)
    assert.match(error.message, /being moved\. Await each call before the next.*clock\.sleep\(\)/)
  }
  assert.equal(timed.clock.now, 10)
  await timed.clock.advance(1)
})

test("[MK17] what goes on and on without time passing is an error, not a hang", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  let goesOn = true
  const again = async (): Promise<void> => {
    await turn()
    if (goesOn) pool.schedule(again, 0)
  }
  pool.schedule(again, 5)
  const error = await rejectionOf(timed.clock.advance(10))
  assert.ok(error instanceof IllegalStateError)
  assert.match(error.message, /go on and on at 5 ms, .* schedule itself without a delay\?/)
  goesOn = false
  await turns()
})

test("[MK17] so it is with a sleeper that never sleeps", async () => {
  const clock = new ManualClock()
  let naps = 0
  const nap = async (): Promise<void> => {
    await clock.sleep(0)
    if (++naps < 300) await nap()
  }
  const sleeping = nap()
  assert.ok((await rejectionOf(clock.advance(1))) instanceof IllegalStateError)
  assert.equal(clock.now, 0)
  await clock.advance(1)
  await sleeping
})

test("[MK18] a test's own timers in the place of the runtime's do not stop the clock", async () => {
  await using timed = new Timed()
  const pool = timed.open()
  const real = globalThis.setImmediate
  pool.schedule(timed.note, 5, "run")
  try {
    globalThis.setImmediate = wrong(() => undefined)
    await timed.clock.advance(5)
  } finally {
    globalThis.setImmediate = real
  }
  assert.deepEqual(timed.take(), ["run@5"])
})

test("[MK19] the time of day begins where it was told to, and moves along", async () => {
  const startAt = new Date("2026-03-29T00:59:59.500Z")
  for (const clock of [new ManualClock({ startAt }), new ManualClock({ startAt: startAt.getTime() })]) {
    assert.deepEqual(clock.date, startAt)
    await clock.advance(500)
    assert.equal(clock.date.toISOString(), "2026-03-29T01:00:00.000Z")
  }
  assert.equal(new ManualClock().date.toISOString(), "2000-01-01T00:00:00.000Z")
})

test("[MK20] setting the time of day changes nothing else", async () => {
  await using timed = new Timed()
  const future = timed.open().schedule(timed.note, 1000, "run")
  await timed.clock.advance(400)
  timed.clock.setWallTime(new Date("2030-01-01T00:00:00Z"))
  assert.deepEqual([timed.clock.now, timed.clock.date.getUTCFullYear(), future.delay], [400, 2030, 600])
  assert.equal(future.nextRunAt?.toISOString(), "2030-01-01T00:00:00.600Z")
  await timed.clock.advance(1000)
  assert.deepEqual(timed.take(), ["run@1000"])
})
