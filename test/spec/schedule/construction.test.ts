/** How a scheduled pool is made, and what it refuses. Ids such as [SC1] refer to docs/spec/schedule.md. */
import { AbortPolicy, DiscardPolicy, ScheduledThreadPoolExecutor, ThreadPoolExecutor, virtualThreads } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { thrownBy } from "../../support/harness.ts"
import { Schedules, wrong } from "./support.ts"

function refusal(call: () => unknown): string {
  return String(thrownBy(call))
}

test("[SC1] settings read back as they were given, objects as the very same ones", () => {
  const threadFactory = virtualThreads()
  const pool = new ScheduledThreadPoolExecutor({
    corePoolSize: 3,
    threadFactory,
    handler: DiscardPolicy,
    name: "clock",
  })
  assert.ok(pool instanceof ThreadPoolExecutor)
  assert.deepEqual([pool.corePoolSize, pool.threadFactory, pool.handler], [3, threadFactory, DiscardPolicy])
  assert.match(String(pool), /^clock\[Running, pool size = 0, /)
})

test("[SC1] the defaults, and the settings that are always the same", () => {
  const pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads() })
  assert.equal(pool.handler, AbortPolicy)
  assert.equal(pool.continueExistingPeriodicTasksAfterShutdown, false)
  assert.equal(pool.executeExistingDelayedTasksAfterShutdown, true)
  assert.equal(pool.removeOnCancel, false)
  assert.equal(pool.maximumPoolSize, 2 ** 31 - 1)
  assert.equal(pool.keepAliveTime, 10)
  assert.equal(pool.allowCoreThreadTimeOut, false)
})

test("[SC1] what a user must not decide cannot be smuggled in", () => {
  const options = {
    corePoolSize: 1,
    threadFactory: virtualThreads(),
    maximumPoolSize: 7,
    keepAliveTime: 7,
    workQueue: 7,
  }
  const refused = "TypeError: Unknown option `maximumPoolSize`: known are `corePoolSize`"
  assert.ok(refusal(() => new ScheduledThreadPoolExecutor(options)).startsWith(refused))
})

test("[SC1] the constructor makes no thread", async () => {
  await using pools = new Schedules()
  pools.open(3)
  assert.equal(pools.threads.length, 0)
})

test("[SC2] a wrong setting is refused", () => {
  const open = (options: unknown) => () => new ScheduledThreadPoolExecutor(wrong(options))
  const threadFactory = virtualThreads()
  assert.equal(refusal(open(2)), "TypeError: Expected `options` to be an object with corePoolSize, got 2")
  assert.equal(
    refusal(open(undefined)),
    "TypeError: Expected `options` to be an object with corePoolSize, got undefined",
  )
  const size = "Expected `corePoolSize` to be an integer"
  assert.equal(refusal(open({ threadFactory })), `TypeError: ${size} ≥ 0, got undefined`)
  assert.equal(refusal(open({ corePoolSize: "1", threadFactory })), `TypeError: ${size} ≥ 0, got "1"`)
  assert.equal(refusal(open({ corePoolSize: -1, threadFactory })), `RangeError: ${size} ≥ 0, got -1`)
  assert.equal(refusal(open({ corePoolSize: 0.5, threadFactory })), `RangeError: ${size} ≥ 0, got 0.5`)
  assert.equal(
    refusal(open({ corePoolSize: 2 ** 31, threadFactory })),
    `RangeError: ${size} ≤ 2147483647, got 2147483648`,
  )
  assert.match(
    refusal(open({ corePoolSize: 1, threadFactory: null })),
    /^TypeError: Expected `threadFactory` to be a Thr/,
  )
  assert.match(
    refusal(open({ corePoolSize: 1, threadFactory, handler: null })),
    /^TypeError: Expected `handler` to be /,
  )
  assert.match(refusal(open({ corePoolSize: 1, threadFactory, name: 1 })), /^TypeError: Expected `name` to be a string/)
})

test("[SC2] a policy is true or false, and a setter that refuses changes nothing", () => {
  const pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads() })
  for (const policy of [
    "continueExistingPeriodicTasksAfterShutdown",
    "executeExistingDelayedTasksAfterShutdown",
    "removeOnCancel",
  ] as const) {
    const before = pool[policy]
    for (const value of [1, "true", null, undefined]) {
      const error = thrownBy(() => (pool[policy] = wrong(value)))
      assert.ok(error instanceof TypeError)
      assert.match(error.message, new RegExp(`^Expected \`${policy}\` to be a boolean, got `))
    }
    assert.equal(pool[policy], before)
    pool[policy] = !before
    assert.equal(pool[policy], !before)
  }
})

test("[SC3] without a factory the threads are platform threads", async () => {
  await using pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1 })
  assert.equal(pool.capabilities.threads, "platform")
  assert.equal(await pool.schedule((a: number, b: number) => a + b, 1, 2, 3), 5)
})

test("[SC10] what is no function is refused as a task, by every method, before anything else", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  for (const task of [null, undefined, 5, "task", {}, { run: 5 }]) {
    const none = wrong<() => void>(task)
    const calls = [
      () => pool.schedule(none, NaN),
      () => pool.scheduleAtFixedRate(none, NaN, 0),
      () => pool.scheduleWithFixedDelay(none, NaN, 0),
      () => pool.submit(none),
    ]
    for (const call of calls) assert.match(refusal(call), /^TypeError: Expected `task` to be a function, got /)
    assert.match(
      refusal(() => pool.execute(none)),
      /^TypeError: Expected `command` to be a function or an object with/,
    )
  }
  assert.deepEqual([pool.queue.size, pool.taskCount, pool.poolSize], [0, 0, 0])
})

test("[SC10] a time that is no number, or NaN, is refused by name", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const task = (): void => undefined
  const wrongs: [unknown, string][] = [
    [undefined, "TypeError"],
    [null, "TypeError"],
    ["10", "TypeError"],
    [10n, "TypeError"],
    [new Date(0), "TypeError"],
    [NaN, "RangeError"],
  ]
  for (const [value, type] of wrongs) {
    const time = wrong<number>(value)
    const demands: [() => unknown, string][] = [
      [() => pool.schedule(task, time), "`delay` to be a number of milliseconds"],
      [() => pool.scheduleAtFixedRate(task, time, 0), "`initialDelay` to be a number of milliseconds"],
      [() => pool.scheduleAtFixedRate(task, 0, time), "`period` to be a number of milliseconds > 0"],
      [() => pool.scheduleWithFixedDelay(task, time, 0), "`initialDelay` to be a number of milliseconds"],
      [() => pool.scheduleWithFixedDelay(task, 0, time), "`delay` to be a number of milliseconds > 0"],
    ]
    for (const [call, demand] of demands) assert.ok(refusal(call).startsWith(`${type}: Expected ${demand}, got `))
  }
  assert.deepEqual([pool.queue.size, pool.taskCount, pool.poolSize], [0, 0, 0])
})

test("[SC10] a period or a delay between runs must be more than nothing", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  for (const none of [0, -0, -1, -Infinity]) {
    const rate = refusal(() => pool.scheduleAtFixedRate(() => undefined, 0, none))
    assert.equal(rate, `RangeError: Expected \`period\` to be a number of milliseconds > 0, got ${String(none)}`)
    const delay = refusal(() => pool.scheduleWithFixedDelay(() => undefined, 0, none))
    assert.equal(delay, `RangeError: Expected \`delay\` to be a number of milliseconds > 0, got ${String(none)}`)
  }
  assert.deepEqual([pool.queue.size, pool.taskCount, pool.poolSize], [0, 0, 0])
})
