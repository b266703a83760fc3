/** Tasks that run again and again. Ids such as [SC12] refer to docs/spec/schedule.md. */
import { InterruptedError, type ScheduledFuture, Thread } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { Diary, isPending, pass, Schedules } from "./support.ts"

test("[SC11] the arguments reach every run of a series", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const seen: string[] = []
  const note = (a: string, b: number): void => void seen.push(`${a}${b}`)
  pool.scheduleAtFixedRate(note, 0, 10, "rate", 1)
  pool.scheduleWithFixedDelay(note, 5, 10, "delay", 2)
  await pass(clock, 16)
  assert.deepEqual(seen, ["rate1", "delay2", "rate1", "delay2"])
})

test("[SC12] at a fixed rate runs are due a period apart, however long each takes", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const diary = new Diary(clock)
  const task = async (): Promise<void> => {
    diary.run()
    await Thread.sleep(7)
  }
  pools.open().scheduleAtFixedRate(task, 5, 10)
  await pass(clock, 50)
  assert.deepEqual(diary.times, [5, 15, 25, 35, 45])
})

test("[SC12] a first run that is due at once, or was before now, is due now", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  for (const initial of [0, -3]) {
    const diary = new Diary(clock)
    const series = pool.scheduleAtFixedRate(diary.run, initial, 10)
    assert.deepEqual(diary.times, [], "nothing runs inside the call")
    await turns()
    await pass(clock, 20)
    series.cancel()
    assert.deepEqual(diary.times, [0, 10, 20])
  }
})

test("[SC12] late timers do not make a series drift", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const due: number[] = []
  const series: ScheduledFuture<void> = pools.open().scheduleAtFixedRate(
    () => {
      due.push(clock.now + series.delay - 1000)
    },
    0,
    4,
  )
  await turns()
  for (let i = 0; i < 20; i++) {
    clock.advance(4.75)
    await turns()
  }
  assert.deepEqual(
    due,
    Array.from({ length: due.length }, (_, i) => 4 * i),
  )
  assert.equal(due.length, 1 + Math.floor((20 * 4.75) / 4))
})

test("[SC13] runs that came too late are made up for at once, one after the other, and none is left out", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(2)
  const diary = new Diary(clock)
  let runs = 0
  const task = async (): Promise<void> => {
    diary.run()
    if (++runs === 1) await Thread.sleep(35)
  }
  pool.scheduleAtFixedRate(task, 0, 10)
  await turns()
  await pass(clock, 60)
  assert.deepEqual(diary.times, [0, 35, 35, 35, 40, 50, 60])
})

test("[SC13] after the event loop was held up too", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const diary = new Diary(clock)
  pools.open().scheduleAtFixedRate(diary.run, 10, 10)
  await turns()
  clock.advance(45)
  await turns()
  await pass(clock, 10)
  assert.deepEqual(diary.times, [45, 45, 45, 45, 50])
})

test("[SC14] with a fixed delay a run is due that long after the end of the one before", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const diary = new Diary(clock)
  const durations = [30, 0, 5, 0]
  const task = async (): Promise<void> => {
    diary.run()
    await Thread.sleep(durations.shift() ?? 0)
  }
  pool.scheduleWithFixedDelay(task, 5, 20)
  await pass(clock, 125)
  // A sleep of nothing takes until the next millisecond.
  assert.deepEqual(diary.times, [5, 55, 76, 101, 122])
})

test("[SC14] a fixed delay catches up with nothing", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const diary = new Diary(clock)
  pools.open().scheduleWithFixedDelay(diary.run, 10, 10)
  await turns()
  clock.advance(45)
  await turns()
  await pass(clock, 25)
  assert.deepEqual(diary.times, [45, 55, 65])
})

test("[SC15] a series never overlaps itself, even if threads are idle and runs are due", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(4)
  const gate = pools.gate()
  for (let i = 0; i < 3; i++) pool.submit(() => undefined)
  const series = pool.scheduleAtFixedRate(gate.body, 0, 1)
  await turns()
  assert.equal(pool.poolSize, 4)
  await pass(clock, 20)
  assert.deepEqual([gate.entries, pool.activeCount, pool.queue.size], [1, 1, 0])
  series.cancel()
})

test("[SC15] a run is over when its promise is, and only then the next is waited for", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  const rate = pool.scheduleAtFixedRate(gate.body, 1, 1)
  await pass(clock, 5)
  assert.deepEqual([gate.entries, pool.queue.contains(rate)], [1, false])
  gate.open()
  await turns()
  assert.deepEqual([gate.entries, pool.queue.contains(rate)], [5, true])
})

test("[SC15] several series share a thread, each in its rhythm", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const diary = new Diary(clock)
  pool.scheduleAtFixedRate(diary.run, 0, 10, "a")
  pool.scheduleAtFixedRate(diary.run, 5, 10, "b")
  pool.scheduleWithFixedDelay(diary.run, 7, 10, "c")
  await turns()
  await pass(clock, 18)
  assert.deepEqual(diary.entries, ["a@0", "b@5", "c@7", "a@10", "b@15", "c@17"])
})

test("[SC16] a series keeps its place by age: on a tie it comes before what was created later", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const diary = new Diary(clock)
  pool.scheduleAtFixedRate(diary.run, 10, 10, "old")
  pool.schedule(diary.run, 20, "young")
  await pass(clock, 20)
  assert.deepEqual(diary.entries, ["old@10", "old@20", "young@20"])
})

test("[SC17] an error ends the series; the future fails with it, nobody else is told, no thread ends", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const errors: unknown[] = [new Error("own"), undefined, 0, null, { any: "thing" }]
  for (const own of errors) {
    for (const isAsync of [false, true]) {
      let runs = 0
      const task = (): void => {
        if (++runs === 3) throw own
      }
      const series = pool.scheduleAtFixedRate(isAsync ? async () => task() : task, 0, 1)
      await turns()
      await pass(clock, 10)
      assert.deepEqual([runs, series.isDone, series.isCancelled, series.state], [3, true, false, "failed"])
      assert.equal(await rejectionOf(series.get()), own)
      assert.equal(series.cancel(), false)
      assert.equal(pool.queue.size, 0)
    }
  }
  assert.equal(pools.threads.length, 1)
})

test("[SC17] the first run may be the last", async () => {
  await using pools = new Schedules()
  const own = new Error("own")
  const series = pools.open().scheduleWithFixedDelay(
    () => {
      throw own
    },
    0,
    1,
  )
  assert.equal(await rejectionOf(series), own)
})

test("[SC18] a series has no result: get waits until it is cancelled, fails or ends with the pool", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const series = pool.scheduleAtFixedRate(() => "value", 0, 1)
  const outcome = rejectionOf(series.get())
  await pass(clock, 10)
  assert.equal(await isPending(series), true)
  series.cancel()
  assert.equal(String(await outcome), "CancellationError: Task was cancelled")
})

test("[SC19] a series whose next run is never due has run once and waits for ever", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const diary = new Diary(clock)
  const series = [pool.scheduleAtFixedRate(diary.run, 0, Infinity), pool.scheduleWithFixedDelay(diary.run, 0, Infinity)]
  await turns()
  await pass(clock, 10)
  assert.deepEqual(diary.times, [0, 0])
  assert.deepEqual(
    series.map(({ delay }) => delay),
    [Infinity, Infinity],
  )
  assert.equal(pool.queue.size, 2)
})

test("[SC19] a period too small to keep makes a series run without a pause, and the event loop goes on turning", async () => {
  await using pools = new Schedules()
  let runs = 0
  const series = pools.open().scheduleAtFixedRate(() => runs++, 0, 1e-12)
  let fired = false
  setTimeout(() => (fired = true), 1)
  await eventually(() => fired && runs > 100)
  series.cancel()
})

test("[SC20] a run may use the pool: schedule more, wait for another task, shut down", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(2)
  const seen: unknown[] = []
  const series: ScheduledFuture<void> = pool.scheduleAtFixedRate(
    async () => {
      seen.push(await pool.submit(() => "inner"))
      pool.schedule(() => seen.push("later"), 5)
      pool.shutdown()
    },
    0,
    1,
  )
  await turns()
  await pass(clock, 10)
  assert.deepEqual(seen, ["inner", "later"])
  assert.deepEqual([series.isCancelled, pool.isTerminated], [true, true])
})

test("[SC20] each run begins with a clear interrupt flag and a signal of its own", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const signals: AbortSignal[] = []
  const flags: boolean[] = []
  const series = pool.scheduleAtFixedRate(
    () => {
      flags.push(Thread.currentThread().isInterrupted)
      signals.push(Thread.currentThread().signal)
      Thread.currentThread().interrupt()
    },
    0,
    10,
  )
  await turns()
  await pass(clock, 20)
  series.cancel()
  assert.deepEqual(flags, [false, false, false])
  assert.equal(new Set(signals).size, 3)
})

test("[SC17] an interrupt that a run does not catch is an error like any other", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  const series = pool.scheduleAtFixedRate(gate.interruptible, 1, 1)
  await pass(clock, 2)
  gate.threads[0]?.interrupt()
  assert.ok((await rejectionOf(series)) instanceof InterruptedError)
  assert.equal(series.isCancelled, false)
})
