/** Cancelling, in every phase. Ids such as [SC26] refer to docs/spec/schedule.md. */
import { CancellationError, InterruptedError, type ScheduledFuture, Thread } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { Diary, pass, Schedules } from "./support.ts"

test("[SC26] a task that is cancelled before its time never runs", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const diary = new Diary(clock)
  const once = pool.schedule(diary.run, 5)
  const series = pool.scheduleAtFixedRate(diary.run, 5, 5)
  await turns()
  assert.deepEqual([once.cancel(), series.cancel(true)], [true, true])
  assert.deepEqual([once.isCancelled, series.isCancelled], [true, true])
  assert.ok((await rejectionOf(once)) instanceof CancellationError)
  assert.ok((await rejectionOf(series.get(10))) instanceof CancellationError)
  await pass(clock, 20)
  assert.deepEqual(diary.times, [])
})

test("[SC26] cancelled once is cancelled: a second time gives false", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const future = pool.schedule(() => undefined, 1000)
  assert.deepEqual([future.cancel(true), future.cancel(false), future.cancel(true)], [true, false, false])
})

test("[SC27] a cancelled task stays in the queue until its time, and then passes through like one that ran", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const future = pool.schedule(() => undefined, 10)
  await turns()
  future.cancel()
  await pass(clock, 9)
  assert.deepEqual([pool.queue.size, pool.taskCount, pool.completedTaskCount], [1, 1, 0])
  assert.equal(pool.queue.contains(future), true)
  await pass(clock, 1)
  assert.deepEqual([pool.queue.size, pool.taskCount, pool.completedTaskCount], [0, 1, 1])
})

test("[SC28] with removeOnCancel a cancelled task leaves the queue at once, as if it had never been there", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  pool.removeOnCancel = true
  const futures = [3, 1, 2].map((delay) => pool.schedule(() => undefined, delay))
  const series = pool.scheduleWithFixedDelay(() => undefined, 4, 4)
  for (const future of [...futures, series]) future.cancel()
  assert.deepEqual([pool.queue.size, pool.taskCount], [0, 0])
  await pass(clock, 10)
  assert.deepEqual([pool.taskCount, pool.completedTaskCount], [0, 0])
})

test("[SC28] removeOnCancel applies to what is cancelled while it is set", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const [a, b, c] = [1, 2, 3].map((n) => pool.schedule(() => undefined, 1000 * n))
  a?.cancel()
  pool.removeOnCancel = true
  assert.equal(pool.queue.size, 3)
  b?.cancel()
  assert.deepEqual(pool.queue.toArray(), [a, c])
  pool.removeOnCancel = false
  c?.cancel()
  assert.deepEqual(pool.queue.toArray(), [a, c])
})

test("[SC29] cancelling a series between two runs: there are no more, and it leaves the queue or stays in it", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  for (const removes of [false, true]) {
    const pool = pools.open()
    pool.removeOnCancel = removes
    const diary = new Diary(clock)
    const series = pool.scheduleAtFixedRate(diary.run, 0, 10)
    await turns()
    await pass(clock, 15)
    assert.equal(series.cancel(), true)
    assert.equal(pool.queue.size, removes ? 0 : 1)
    await pass(clock, 30)
    assert.deepEqual(diary.times, [0, 10])
    assert.equal(pool.queue.size, 0)
  }
})

test("[SC30] cancel(false) lets a run go on, undisturbed, and it was the last", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(2)
  const gate = pools.gate()
  const futures = [pool.schedule(gate.interruptible, 1), pool.scheduleAtFixedRate(gate.interruptible, 1, 1)]
  await pass(clock, 2)
  assert.equal(gate.inside, 2)
  for (const future of futures) assert.equal(future.cancel(false), true)
  for (const future of futures) assert.ok((await rejectionOf(future)) instanceof CancellationError)
  assert.deepEqual([gate.inside, pool.activeCount], [2, 2])
  gate.open()
  await pass(clock, 10)
  assert.deepEqual([gate.entries, pool.activeCount, pool.queue.size], [2, 0, 0])
})

test("[SC30] cancel(true) interrupts a run, and it was the last", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const heard: unknown[] = []
  const task = async (): Promise<void> => {
    const { signal } = Thread.currentThread()
    try {
      await Thread.sleep(1000)
    } catch (error) {
      heard.push(error instanceof InterruptedError, signal.aborted)
    }
  }
  const series = pool.scheduleWithFixedDelay(task, 1, 1)
  await pass(clock, 2)
  assert.equal(series.cancel(true), true)
  await pass(clock, 10)
  assert.deepEqual([heard, series.isCancelled, pool.queue.size, pool.activeCount], [[true, true], true, 0, 0])
})

test("[SC30] the error of a run that was cancelled is nobody's", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  const series = pool.scheduleAtFixedRate(gate.body, 1, 1)
  await pass(clock, 2)
  series.cancel()
  gate.fail(new Error("too late"))
  await pass(clock, 5)
  assert.equal(series.state, "cancelled")
  assert.equal(pools.threads.length, 1)
})

test("[SC31] a series may cancel itself: the run goes on to its end and is the last", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  for (const removes of [false, true]) {
    pool.removeOnCancel = removes
    const ends: number[] = []
    let runs = 0
    const series: ScheduledFuture<void> = pool.scheduleAtFixedRate(
      () => {
        const run = ++runs
        if (run === 3) assert.equal(series.cancel(), true)
        ends.push(run)
      },
      0,
      1,
    )
    await turns()
    await pass(clock, 10)
    assert.deepEqual([ends, series.isCancelled, pool.queue.size], [[1, 2, 3], true, 0])
  }
})

test("[SC31] a task may cancel others that are due with it", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  for (const removes of [false, true]) {
    const pool = pools.open()
    pool.removeOnCancel = removes
    const ran: number[] = []
    const futures: ScheduledFuture<void>[] = []
    for (let i = 0; i < 6; i++) {
      const task = (): void => {
        ran.push(i)
        futures[i + 1]?.cancel()
      }
      futures.push(pool.schedule(task, 5))
    }
    await pass(clock, 6)
    assert.deepEqual(ran, [0, 2, 4])
    assert.deepEqual(
      futures.map(({ state }) => state),
      ["success", "cancelled", "success", "cancelled", "success", "cancelled"],
    )
  }
})

test("[SC26] a task that has run cannot be cancelled", async () => {
  await using pools = new Schedules()
  const future = pools.open().schedule(() => "value", 0)
  await future
  assert.deepEqual([future.cancel(true), future.isCancelled, await future], [false, false, "value"])
})

test("[SC32] a wait for a scheduled task can be given up without effect on it", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const future = pool.schedule(() => "value", 10)
  assert.equal(String(await rejectionOf(future.get(0))), "TimeoutError: The task did not complete in time")
  const waiting = rejectionOf(future.get(5))
  await pass(clock, 5)
  assert.equal(String(await waiting), "TimeoutError: The task did not complete in time")
  await pass(clock, 5)
  assert.equal(await future, "value")
})
