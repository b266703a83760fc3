/** Tasks and series on both kinds of threads, in real time. Ids such as [SC4] refer to docs/spec/schedule.md. */
import {
  bind,
  CancellationError,
  FutureTask,
  InterruptedError,
  type ScheduledFuture,
  ThreadPoolExecutor,
  TimeoutError,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { CLOCKS_AGREE, SharedCount, SharedGate, SharedLog } from "../../support/shared-words.ts"
import { kinds, OpenSchedule } from "./support.ts"
import * as tasks from "./tasks.ts"

const HOUR = 3_600_000

type Comparable = ScheduledFuture<unknown> & { compareTo(other: unknown): number }

for (const kind of kinds) {
  test(`[SC4][SC9] a task runs once, not early, with its arguments, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind, 2)
    const log = new SharedLog()
    const delays = [12, 0.25, 7.75, 0, 3, 30]
    const due: number[] = []
    const futures = delays.map((delay, i) => {
      due.push(log.now + delay)
      return pool.schedule(tasks.note, delay, log.index, log.base, i)
    })
    assert.deepEqual(
      await Promise.all(futures),
      delays.map((_, i) => i),
    )
    assert.equal(log.length, delays.length)
    for (const [entry, id] of log.ids.entries()) assert.ok((log.times[entry] as number) >= (due[id] as number))
  })

  test(`[SC4][SC5][SC17] errors stay with their futures, and end a series, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    const log = new SharedLog()
    pool.execute(tasks.fail, "nobody's")
    const once = pool.schedule(tasks.fail, 1, "own")
    const series = pool.scheduleAtFixedRate(tasks.noteUntil, 0, 1, log.index, log.base, 1, 3)
    assert.match(String(await rejectionOf(once)), /RangeError: own/)
    assert.match(String(await rejectionOf(series)), /RangeError: run 3/)
    assert.deepEqual([series.state, series.isCancelled, series.cancel(), log.length], ["failed", false, false, 3])
    assert.deepEqual([pool.queue.size, pool.largestPoolSize], [0, 1])
  })

  test(`[SC5] submit and execute schedule with no delay on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    const counter = new SharedCount()
    const future = pool.submit(tasks.same, "value")
    assert.ok(future.delay <= 0 && !future.isPeriodic)
    pool.execute(tasks.count, counter.index)
    const made = new FutureTask(bind(tasks.count, counter.index))
    pool.execute(made)
    assert.deepEqual([await future, await made], ["value", 2])
  })

  test(`[SC7] what is never due, or in years, is in nobody's way on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    const later = [Infinity, Number.MAX_VALUE, 2 ** 40].map((delay) => pool.schedule(tasks.same, delay, 1))
    const series = pool.scheduleAtFixedRate(tasks.same, 0, Infinity, 1)
    assert.deepEqual(await Promise.all([0, 2].map((delay) => pool.schedule(tasks.same, delay, delay))), [0, 2])
    await eventually(() => pool.queue.size === 4)
    assert.deepEqual([later[0]?.delay, series.delay], [Infinity, Infinity])
    assert.ok([...later, series].every(({ isDone }) => !isDone))
  })

  test(`[SC8] tasks are taken in the order in which they are due, then of their age, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    using gate = new SharedGate()
    const log = new SharedLog()
    const first = pool.submit(tasks.stayOn, gate.index)
    await gate.reached()
    const delays = [6, 2, 4, -1, 0, 1, 5, 3]
    const futures = delays.map((delay, id) => pool.schedule(tasks.note, 10 * delay, log.index, log.base, id))
    // If this thread was held up between two calls, the second task is due that much later: its future knows when.
    const inOrder = [3, 4, 5, 1, 7, 2, 6, 0].toSorted((a, b) => (futures[a] as Comparable).compareTo(futures[b]))
    await eventually(() => futures.every(({ delay }) => delay <= 0))
    gate.open()
    await Promise.all([first, ...futures])
    assert.deepEqual(log.ids, inOrder)
  })

  test(`[SC11][SC12] runs at a fixed rate are never before their times on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind, 2)
    const log = new SharedLog()
    const first = log.now + 5
    const series = pool.scheduleAtFixedRate(tasks.note, 5, 4, log.index, log.base, 9)
    await eventually(() => log.length >= 12)
    series.cancel()
    assert.ok(log.ids.every((id) => id === 9))
    for (const [run, time] of log.times.entries()) assert.ok(time >= first + 4 * run)
  })

  test(`[SC13] runs that came too late are made up for on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    using gate = new SharedGate()
    const series = pool.scheduleAtFixedRate(tasks.stayOn, 0, 0.5, gate.index)
    await gate.reached()
    await eventually(() => series.delay < -50)
    assert.equal(gate.arrived, 1)
    const missed = Math.floor(-series.delay / 0.5)
    gate.open()
    await gate.reached(1 + missed)
    series.cancel()
  })

  test(`[SC14] with a fixed delay a run comes that long after the end of the one before on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind, 2)
    const log = new SharedLog()
    const series = pool.scheduleWithFixedDelay(tasks.noteBoth, 0, 5, log.index, log.base, 1, 3)
    await eventually(() => log.length >= 9)
    series.cancel()
    const { ids, times } = log // in this order: the last run may still write
    for (const [i, id] of ids.entries()) {
      assert.equal(id, i % 2 === 0 ? 1 : -1)
      if (id === 1 && i > 0) assert.ok((times[i] as number) + CLOCKS_AGREE / 1000 >= (times[i - 1] as number) + 5)
    }
  })

  test(`[SC15] a series never overlaps itself, though threads are idle, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind, 3)
    const [inside, clashes] = [new SharedCount(), new SharedCount()]
    for (let i = 0; i < 3; i++) pool.schedule(tasks.same, 0, i)
    const series = pool.scheduleAtFixedRate(tasks.alone, 0, 0.01, inside.index, clashes.index)
    await eventually(() => pool.completedTaskCount > 100)
    series.cancel()
    assert.equal(clashes.value, 0)
  })

  test(`[SC18][SC26][SC29] a series ends when it is cancelled, before or between runs, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    const counter = new SharedCount()
    const never = pool.scheduleAtFixedRate(tasks.count, HOUR, 1, counter.index)
    assert.deepEqual([never.cancel(true), never.cancel(), never.isCancelled], [true, false, true])
    const series = pool.scheduleAtFixedRate(tasks.count, 0, 1, counter.index)
    const outcome = rejectionOf(series.get())
    await eventually(() => counter.value >= 3)
    assert.equal(series.cancel(), true)
    assert.ok((await outcome) instanceof CancellationError)
    await eventually(() => pool.activeCount === 0)
    const runs = counter.value
    assert.equal(await pool.schedule(tasks.same, 10, "after"), "after")
    assert.equal(counter.value, runs)
  })

  test(`[SC20][SC30] a run under way goes on if it is cancelled, interrupted or not, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    for (const isInterrupting of [false, true]) {
      using gate = new SharedGate()
      const series = pool.scheduleAtFixedRate(tasks.stay, 0, 1, gate.index)
      await gate.reached()
      assert.equal(series.cancel(isInterrupting), true)
      assert.ok((await rejectionOf(series)) instanceof CancellationError)
      if (!isInterrupting) {
        assert.equal(pool.activeCount, 1)
        gate.open()
      }
      await eventually(() => pool.activeCount === 0)
      assert.equal(await pool.submit(tasks.isInterrupted), false)
      assert.deepEqual([gate.arrived, pool.queue.size], [1, 0])
    }
  })

  test(`[SC17] an interrupt that a run does not catch is an error like any other on ${kind} threads`, async () => {
    const pool = new OpenSchedule(kind)
    using gate = new SharedGate()
    const series = pool.scheduleAtFixedRate(tasks.stay, 0, 1, gate.index)
    await gate.reached()
    pool.shutdownNow()
    assert.ok((await rejectionOf(series)) instanceof InterruptedError)
    assert.equal(await pool.awaitTermination(), true)
  })

  test(`[SC21][SC22][SC23] a future shows when its next run is due on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind, 2)
    using gate = new SharedGate()
    const counter = new SharedCount()
    const once = pool.schedule(tasks.same, HOUR, 1)
    const rate = pool.scheduleAtFixedRate(tasks.count, 0, HOUR, counter.index)
    const delay = pool.scheduleWithFixedDelay(tasks.stayOn, 0, HOUR, gate.index)
    await gate.reached()
    await eventually(() => counter.value === 1 && pool.queue.contains(rate))
    assert.deepEqual([once.isPeriodic, rate.isPeriodic, delay.isPeriodic], [false, true, true])
    for (const future of [once, rate]) {
      assert.ok(future.delay > HOUR / 2 && future.delay <= HOUR)
      const at = future.nextRunAt?.getTime() ?? 0
      assert.ok(at > Date.now() + HOUR / 2 && at <= Date.now() + HOUR + 1)
    }
    assert.ok(delay.delay <= 0)
    assert.equal(delay.nextRunAt, undefined)
    gate.open()
    await eventually(() => delay.delay > HOUR / 2)
    const left = rate.delay
    rate.cancel()
    assert.ok(rate.delay <= left && rate.delay > HOUR / 2, "it is known when the next run would have been")
    assert.equal(rate.nextRunAt, undefined)
  })

  test(`[SC24][SC25] futures are in the order of their runs, and show their tasks, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    const [a, b, c] = [2, 1, Infinity].map((hours) => pool.schedule(tasks.same, hours * HOUR, 1) as Comparable)
    assert.deepEqual([a?.compareTo(a), a?.compareTo(b), b?.compareTo(a), a?.compareTo(c)], [0, 1, -1, -1])
    assert.match(String(a), /\[Not completed, task = same\]$/)
    const series = pool.scheduleAtFixedRate(tasks.same, HOUR, 1, 1)
    assert.match(String(series), /task = same\]$/)
    series.cancel()
    assert.match(String(series), /\[Cancelled\]$/)
  })

  test(`[SC32] a wait for a task can be given up without effect on it on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    using gate = new SharedGate()
    const held = pool.submit(tasks.stayOn, gate.index)
    await gate.reached() // the only thread is not free, however long this one is held up
    const future = pool.schedule(tasks.same, 30, "value")
    assert.ok((await rejectionOf(future.get(0))) instanceof TimeoutError)
    assert.ok((await rejectionOf(future.get(1))) instanceof TimeoutError)
    gate.open()
    assert.deepEqual([await held, await future], ["stayed", "value"])
  })

  test(`[SC1] a scheduled pool is a pool, with a queue of its own, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind, 2)
    assert.ok(pool instanceof ThreadPoolExecutor)
    assert.deepEqual([pool.poolSize, pool.maximumPoolSize, pool.keepAliveTime], [0, 2 ** 31 - 1, 10])
    assert.equal(pool.queue.constructor.name, "DelayedWorkQueue")
  })
}
