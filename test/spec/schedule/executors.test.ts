/** The factories and the wrapper. Ids such as [SC60] refer to docs/spec/schedule.md. */
import {
  Executors,
  RejectedExecutionError,
  type ScheduledExecutorService,
  ScheduledThreadPoolExecutor,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { Diary, pass, Schedules, wrong } from "./support.ts"

test("[SC60] newScheduledThreadPool gives a scheduled pool of that core size", async () => {
  await using pools = new Schedules()
  for (const core of [0, 3]) {
    const pool = pools.adopt(Executors.newScheduledThreadPool(core, pools.factory))
    assert.ok(pool instanceof ScheduledThreadPoolExecutor)
    assert.deepEqual([pool.corePoolSize, pool.threadFactory], [core, pools.factory])
    assert.equal(await pool.schedule(() => "run", 1), "run")
  }
})

test("[SC60] it refuses a size below zero and what is no factory", () => {
  assert.ok(thrownBy(() => Executors.newScheduledThreadPool(-1)) instanceof RangeError)
  assert.ok(thrownBy(() => Executors.newScheduledThreadPool(wrong("1"))) instanceof TypeError)
  assert.ok(thrownBy(() => Executors.newSingleThreadScheduledExecutor(wrong(null))) instanceof TypeError)
})

test("[SC61] newSingleThreadScheduledExecutor runs one task at a time, in the order in which they are due", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const executor = Executors.newSingleThreadScheduledExecutor(pools.factory)
  const gate = pools.gate()
  const diary = new Diary(clock)
  executor.schedule(gate.body, 1)
  executor.schedule(diary.run, 3, "b")
  executor.schedule(diary.run, 2, "a")
  await pass(clock, 5)
  assert.deepEqual([gate.inside, diary.entries, pools.threads.length], [1, [], 1])
  gate.open()
  await turns()
  assert.deepEqual(diary.entries, ["a@5", "b@5"])
  executor.shutdown()
  assert.equal(await executor.awaitTermination(), true)
})

test("[SC61] its settings and policies cannot be reached", async () => {
  await using pools = new Schedules()
  const executor: ScheduledExecutorService = Executors.newSingleThreadScheduledExecutor(pools.factory)
  assert.equal(executor instanceof ThreadPoolExecutor, false)
  const settings = [
    "corePoolSize",
    "queue",
    "removeOnCancel",
    "remove",
    "purge",
    "executeExistingDelayedTasksAfterShutdown",
  ]
  for (const setting of settings) assert.equal(setting in executor, false, setting)
  await executor.close()
})

test("[SC62] unconfigurableScheduledExecutorService passes everything on and shows nothing else", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const wrapper = Executors.unconfigurableScheduledExecutorService(pool)
  assert.equal("removeOnCancel" in wrapper, false)
  const diary = new Diary(clock)
  const once = wrapper.schedule(diary.run, 5, "once")
  const rate = wrapper.scheduleAtFixedRate(diary.run, 6, 10, "rate")
  const delay = wrapper.scheduleWithFixedDelay(diary.run, 7, 10, "delay")
  assert.deepEqual(pool.queue.toArray(), [once, rate, delay])
  await pass(clock, 20)
  assert.deepEqual(diary.entries, ["once@5", "rate@6", "delay@7", "rate@16", "delay@17"])
  assert.equal(await wrapper.submit((n: number) => n, 5), 5)
  wrapper.shutdown()
  assert.deepEqual([rate.isCancelled, pool.isShutdown, wrapper.isShutdown], [true, true, true])
  assert.ok(thrownBy(() => wrapper.schedule(() => undefined, 1)) instanceof RejectedExecutionError)
  assert.equal(await wrapper.awaitTermination(), true)
})

test("[SC62] it refuses what is no scheduled executor", async () => {
  await using pools = new Schedules()
  for (const none of [null, undefined, 5, {}, pools.fixed(1)]) {
    const error = thrownBy(() => Executors.unconfigurableScheduledExecutorService(wrong(none)))
    assert.ok(error instanceof TypeError)
    assert.match(error.message, /^Expected `executor` to be a ScheduledExecutorService, got /)
  }
})

test("[SC62] a wrapper keeps the executor's own errors", async () => {
  await using pools = new Schedules()
  const wrapper = Executors.unconfigurableScheduledExecutorService(pools.open())
  assert.match(String(thrownBy(() => wrapper.schedule(wrong(null), 1))), /^TypeError: Expected `task`/)
  assert.match(
    String(thrownBy(() => wrapper.scheduleAtFixedRate(() => undefined, 0, 0))),
    /^RangeError: Expected `period`/,
  )
  const own = new Error("own")
  assert.equal(await rejectionOf(wrapper.schedule(() => Promise.reject(own), 0)), own)
})
