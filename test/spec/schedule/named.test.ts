/** Schedules with names, on both kinds of threads. Ids such as [SC88] refer to docs/spec/schedule.md. */
import {
  AtomicInteger,
  CancellationError,
  Executors,
  ScheduledThreadPoolExecutor,
  UnsupportedOperationError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import { kinds, OpenSchedule, wrong } from "./support.ts"
import * as tasks from "./tasks.ts"

const HOUR = 3_600_000

for (const kind of kinds) {
  test(`[SC87] a view is a scheduled executor, and gives schedules its name on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    const view = pool.with({ name: "refresh" })
    const once = view.schedule(tasks.same, HOUR, 1)
    const rate = view.scheduleAtFixedRate(tasks.same, HOUR, HOUR, 1)
    const delay = view.with({}).scheduleWithFixedDelay(tasks.same, HOUR, HOUR, 1)
    const cron = view.scheduleCron(tasks.same, "0 0 1 1 *", {}, 1)
    const delegated = Executors.unconfigurableScheduledExecutorService(pool).with({ name: "refresh" })
    const behind = delegated.schedule(tasks.same, HOUR, 1)
    for (const future of [once, rate, delay, cron, behind]) {
      assert.equal(future.name, "refresh")
      assert.match(String(future), /Not completed, task = refresh/)
    }
    assert.equal(pool.schedule(tasks.same, HOUR, 1).name, undefined)
    assert.equal(await view.schedule(tasks.same, 1, "value"), "value")
    assert.equal(await view.submit(tasks.same, "now"), "now")
  })

  test(`[SC87] a signal cancels schedules on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    using gate = new SharedGate()
    const controller = new AbortController()
    const view = pool.with({ signal: controller.signal })
    const series = view.scheduleAtFixedRate(tasks.stay, 0, 1, gate.index)
    await gate.reached()
    const once = view.schedule(tasks.same, HOUR, 1)
    const cron = view.scheduleCron(tasks.same, "0 0 1 1 *", {}, 1)
    const reason = new RangeError("enough")
    controller.abort(reason)
    for (const future of [series, once, cron]) {
      const error = await rejectionOf(future)
      assert.ok(error instanceof CancellationError)
      assert.equal(error.cause, reason)
    }
    const late = [view.schedule(tasks.same, 0, 1), view.scheduleCron(tasks.same, "* * * * * *", {}, 1)]
    for (const future of late) assert.ok((await rejectionOf(future)) instanceof CancellationError)
    await eventually(() => pool.queue.size === 0 && pool.activeCount === 0)
    assert.deepEqual(pool.schedules(), [])
  })

  test(`[SC87] an option that no schedule can have is refused on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    for (const options of [{ timeout: HOUR }, { queueTimeout: HOUR }, { retry: { attempts: 2 } }]) {
      const view = pool.with(options)
      const refusal = (error: Error): boolean =>
        error instanceof UnsupportedOperationError && error.message.includes(Object.keys(options)[0] as string)
      assert.throws(() => view.schedule(tasks.same, 1, 1), refusal)
      assert.throws(() => view.scheduleAtFixedRate(tasks.same, 1, 1, 1), refusal)
      assert.throws(() => view.scheduleWithFixedDelay(tasks.same, 1, 1, 1), refusal)
      assert.throws(() => view.scheduleCron(tasks.same, "* * * * *", {}, 1), refusal)
      assert.equal(await view.submit(tasks.same, 4), 4)
    }
    assert.throws(() => pool.with(wrong({ name: 5 })), TypeError)
    assert.throws(() => pool.with(wrong({ nam: "x" })), /did you mean `name`/)
    assert.throws(() => pool.with({ name: "x" }).schedule(wrong(5), 1), TypeError)
    assert.throws(() => pool.with({ name: "x" }).scheduleAtFixedRate(tasks.same, 0, 0, 1), RangeError)
    assert.throws(() => pool.with({ name: "x" }).scheduleCron(tasks.same, "nonsense", {}, 1), RangeError)
    assert.deepEqual([pool.queue.size, pool.schedules().length], [0, 0])
  })

  test(`[SC88] series and named tasks are listed until they are over on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    using gate = new SharedGate()
    assert.deepEqual(pool.schedules(), [])
    pool.schedule(tasks.same, HOUR, 1)
    const running = pool.with({ name: "running" }).schedule(tasks.stay, 0, gate.index)
    await gate.reached()
    const series = pool.scheduleAtFixedRate(tasks.same, HOUR, HOUR, 1)
    const cron = pool.with({ name: "yearly" }).scheduleCron(tasks.same, "0 0 1 1 *", {}, 1)
    const named = pool.with({ name: "yearly" }).schedule(tasks.same, Infinity, 1)
    assert.deepEqual(pool.schedules(), [running, series, cron, named])
    assert.deepEqual(pool.schedules("yearly"), [cron, named])
    assert.deepEqual(pool.schedules("monthly"), [])
    gate.open()
    await running
    assert.equal(pool.remove(series), true)
    assert.equal(pool.remove(cron), true)
    assert.deepEqual(pool.schedules(), [named])
    assert.throws(() => pool.schedules(wrong(5)), /Expected `name` to be a string, got 5/)
  })

  test(`[SC88] the list stays right through hundreds of short schedules on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    const kept = [0, 1, 2].map((id) => pool.with({ name: `kept ${id}` }).schedule(tasks.same, HOUR, id))
    for (let i = 0; i < 300; i++) pool.with({ name: "short" }).schedule(tasks.same, HOUR, i).cancel()
    const more = Array.from({ length: 40 }, (_, id) => pool.scheduleAtFixedRate(tasks.same, HOUR, HOUR, id))
    assert.deepEqual(pool.schedules(), [...kept, ...more])
  })

  test(`[SC89] all schedules of a name are cancelled on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind, 2)
    using gate = new SharedGate()
    const count = new SharedCount()
    const running = pool.with({ name: "a" }).scheduleWithFixedDelay(tasks.stay, 0, 1, gate.index)
    await gate.reached()
    const cron = pool.with({ name: "a" }).scheduleCron(tasks.same, "0 0 1 1 *", {}, 1)
    const once = pool.with({ name: "a" }).schedule(tasks.same, HOUR, 1)
    const other = pool.with({ name: "" }).scheduleAtFixedRate(tasks.count, 0, 1, count.index)
    assert.deepEqual([pool.cancelSchedules("b"), pool.cancelSchedules("a", true), pool.cancelSchedules("a")], [0, 3, 0])
    for (const future of [running, cron, once]) assert.equal(future.state, "cancelled")
    const before = count.value
    await eventually(() => count.value > before + 2)
    assert.deepEqual([pool.cancelSchedules(""), other.state], [1, "cancelled"])
    assert.throws(() => pool.cancelSchedules(wrong(undefined)), /Expected `name` to be a string/)
  })

  test(`[SC50][SC88] a named schedule that is refused is not listed on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    const controller = new AbortController()
    pool.shutdown()
    const view = pool.with({ name: "late", signal: controller.signal })
    assert.throws(() => view.schedule(tasks.same, HOUR, 1), { name: "RejectedExecutionError" })
    assert.throws(() => view.scheduleAtFixedRate(tasks.same, HOUR, 1, 1), { name: "RejectedExecutionError" })
    controller.abort()
    assert.deepEqual(pool.schedules(), [])
  })
}

test("[SC90] a thread lists and cancels its own schedules, and a view can be sent", async () => {
  await using pool = new OpenSchedule("platform")
  const mine = pool.with({ name: "sent" }).schedule(tasks.same, HOUR, 1)
  const seen = await pool.submit(tasks.scheduleThere, pool.with({ name: "sent" }), pool)
  assert.deepEqual(seen, ["sent", 1, "cancelled"])
  assert.deepEqual([pool.schedules("sent"), mine.state], [[mine], "running"])
})

test("[SC87] a signal that aborts in a run, and a name that is no identifier", async () => {
  await using pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads() })
  const runs = new AtomicInteger(0)
  const controller = new AbortController()
  const series = pool.with({ name: "__proto__", signal: controller.signal }).scheduleAtFixedRate(
    () => {
      if (runs.incrementAndGet() === 3) controller.abort()
    },
    0,
    1,
  )
  assert.deepEqual(pool.schedules("__proto__"), [series])
  assert.ok((await rejectionOf(series)) instanceof CancellationError)
  assert.deepEqual([runs.get(), pool.schedules().length], [3, 0])
})
