/** Tasks that run once. Ids such as [SC4] refer to docs/spec/schedule.md. */
import { FutureTask, type ScheduledFuture } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { Diary, pass, Schedules } from "./support.ts"

test("[SC4] a task runs once, when its delay has passed, with its arguments, and its future gets the value", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const diary = new Diary(clock)
  const add = (a: number, b: number): number => {
    diary.run()
    return a + b
  }
  const future = pools.open().schedule(add, 20, 40, 2)
  await pass(clock, 19)
  assert.deepEqual([diary.times, future.isDone], [[], false])
  await pass(clock, 1)
  assert.deepEqual(diary.times, [20])
  assert.equal(await future, 42)
  await pass(clock, 100)
  assert.deepEqual(diary.times, [20])
})

test("[SC4] in real time too a task does not start before its delay has passed", async () => {
  await using pools = new Schedules()
  const pool = pools.open(2)
  const delays = [0.25, 1, 1.5, 3, 7.75]
  const early = await Promise.all(
    delays.map((delay) => {
      const due = performance.now() + delay
      return pool.schedule(() => performance.now() < due, delay)
    }),
  )
  assert.deepEqual(
    early,
    delays.map(() => false),
  )
})

test("[SC4] what the task throws, or its promise rejects with, is what its future fails with", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const own = new Error("own")
  assert.equal(await rejectionOf(pool.schedule(() => Promise.reject(own), 1)), own)
  const throwing: ScheduledFuture<void> = pool.schedule(() => {
    throw own
  }, 1)
  assert.equal(await rejectionOf(throwing), own)
  assert.equal(pools.threads.length, 1, "no thread ended")
})

test("[SC4] a task that is asynchronous is over, and its thread free, when its promise is settled", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  const first = pool.schedule(gate.body, 1)
  const second = pool.schedule(() => "second", 2)
  await pass(clock, 5)
  assert.deepEqual([gate.inside, first.isDone, second.isDone, pool.activeCount], [1, false, false, 1])
  gate.open("first")
  assert.deepEqual([await first, await second], ["first", "second"])
})

test("[SC5] submit is schedule with no delay: the future is a scheduled one", async () => {
  await using pools = new Schedules()
  const future = pools.open().submit((a: number, b: number) => a * b, 6, 7)
  assert.ok(future.delay <= 0)
  assert.equal(future.isPeriodic, false)
  assert.equal(await future, 42)
})

test("[SC5] execute is schedule with no delay, for functions, objects with run and futures", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const seen: unknown[] = []
  const task = new FutureTask(() => "future")
  pool.execute((...args: number[]) => seen.push(args), 1, 2)
  pool.execute({ run: async () => seen.push("object") })
  pool.execute(task)
  assert.deepEqual([pool.queue.size, seen], [3, []])
  assert.equal(await task, "future")
  assert.deepEqual(seen, [[1, 2], "object"])
})

test("[SC5] what an executed command throws is in a future that nobody has: no thread ends, nobody is told", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  pool.execute(() => {
    throw new Error("swallowed")
  })
  pool.execute(() => Promise.reject(new Error("swallowed")))
  assert.equal(await pool.submit(() => "after"), "after")
  assert.equal(pools.threads.length, 1)
  assert.deepEqual(pools.takeUncaught(), [])
})

test("[SC6] no delay, and less than none, is due at once, in the order of the calls", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const order: number[] = []
  const delays = [0, -1, -Infinity, -0, -(2 ** 40)]
  const futures = delays.map((delay, i) => pool.schedule(() => order.push(i), delay))
  assert.deepEqual(order, [], "nothing runs inside the call")
  assert.ok(futures.every((future) => future.delay <= 0))
  await Promise.all(futures)
  assert.deepEqual(order, [0, 1, 2, 3, 4])
})

test("[SC6] also with an idle thread that waits for something later", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  pool.schedule(() => undefined, 1000)
  await turns()
  const now = pool.schedule(() => "now", 0)
  assert.equal(pool.activeCount, 1, "it was handed over at once")
  assert.equal(await now, "now")
  assert.equal(clock.now, 1000, "and no time had to pass")
})

test("[SC7] delays beyond what setTimeout can do", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const week = 7 * 24 * 3600 * 1000
  const future = pool.schedule(() => clock.now, 10 * week)
  await turns()
  for (let weeks = 1; weeks < 10; weeks++) {
    clock.advance(week)
    await turns()
    assert.equal(future.isDone, false)
  }
  clock.advance(week)
  assert.equal(await future, 1000 + 10 * week)
  assert.ok(clock.delays.every((delay) => delay < 2 ** 31))
})

test("[SC7] a delay may be a fraction", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const future = pools.open().schedule(() => "run", 0.5)
  await turns()
  assert.equal(future.isDone, false)
  clock.advance(0.25)
  await turns()
  assert.equal(future.isDone, false)
  clock.advance(1)
  assert.equal(await future, "run")
})

test("[SC7] a task that is never due waits for ever and is in nobody's way, even if it came first", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const nevers = [Infinity, Number.MAX_VALUE, 2 ** 63].map((delay) => pool.schedule(() => "never", delay))
  const series = pool.scheduleWithFixedDelay(() => undefined, 0, Number.MAX_VALUE)
  await turns()
  const due = [0, 1].map((delay) => pool.schedule(() => "due", delay))
  await pass(clock, 1)
  assert.deepEqual(await Promise.all(due), ["due", "due"])
  assert.ok([...nevers, series].every((future) => !future.isDone))
  assert.equal(nevers[0]?.delay, Infinity)
  assert.equal(pool.queue.size, 4)
})

test("[SC8] runs follow the due times, not the order of scheduling", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const diary = new Diary(clock)
  for (const delay of [30, 10, 50, 20, 40, 10]) pool.schedule(diary.run, delay, String(delay))
  await pass(clock, 60)
  assert.deepEqual(diary.entries, ["10@10", "10@10", "20@20", "30@30", "40@40", "50@50"])
})

test("[SC8] of tasks that are due at the same time the one created first is first", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const order: number[] = []
  for (let i = 0; i < 50; i++) pool.schedule(() => order.push(i), 100)
  await pass(clock, 40)
  for (let i = 50; i < 100; i++) pool.schedule(() => order.push(i), 60)
  await pass(clock, 60)
  assert.deepEqual(
    order,
    Array.from({ length: 100 }, (_, i) => i),
  )
})

test("[SC8] what became due while all threads were busy runs in the order of the due times", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  const diary = new Diary(clock)
  pool.execute(gate.body)
  for (const delay of [3, 1, 2]) pool.schedule(diary.run, delay, String(delay))
  await pass(clock, 10)
  gate.open()
  await turns()
  assert.deepEqual(diary.entries, ["1@10", "2@10", "3@10"])
})

test("[SC9] nothing starts early, even if a timer fires early", async () => {
  using clock = new FakeClock({ early: 0.5 })
  await using pools = new Schedules()
  const pool = pools.open()
  const diary = new Diary(clock)
  for (const delay of [5, 20]) pool.schedule(diary.run, delay)
  const series = pool.scheduleAtFixedRate(diary.run, 10, 10)
  await pass(clock, 25)
  series.cancel()
  assert.deepEqual(diary.times, [5, 10, 20, 20])
})

test("[SC9] a sooner task that comes while a later one is waited for is not late", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const diary = new Diary(clock)
  pool.schedule(diary.run, 50, "a")
  await pass(clock, 10)
  pool.schedule(diary.run, 20, "b")
  await pass(clock, 10)
  pool.schedule(diary.run, 5, "c")
  await pass(clock, 40)
  assert.deepEqual(diary.entries, ["c@25", "b@30", "a@50"])
})
