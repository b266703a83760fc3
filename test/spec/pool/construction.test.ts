/** How a ThreadPoolExecutor is made. Ids such as [TP4] refer to docs/spec/pool.md. */
import {
  AbortPolicy,
  ArrayBlockingQueue,
  CallerRunsPolicy,
  LinkedBlockingQueue,
  ThreadPoolExecutor,
  type ThreadPoolOptions,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, thrownBy } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

/** Makes a pool of one or two threads with these options changed; nothing is started, so nothing has to be ended. */
function withOptions(changes: Record<string, unknown>): ThreadPoolExecutor {
  return new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 2, threadFactory: virtualThreads(), ...changes })
}

/** The class and message with which the constructor refuses. */
function refusal(changes: Record<string, unknown>): string {
  const error = thrownBy(() => withOptions(changes))
  return String(error)
}

test("[TP1] settings read back as they were given, objects as the very same ones", () => {
  const workQueue = new ArrayBlockingQueue<() => unknown>(3)
  const threadFactory = virtualThreads()
  const pool = new ThreadPoolExecutor({
    corePoolSize: 2,
    maximumPoolSize: 5,
    keepAliveTime: 1000,
    workQueue,
    threadFactory,
    handler: CallerRunsPolicy,
    allowCoreThreadTimeOut: true,
  })
  assert.equal(pool.corePoolSize, 2)
  assert.equal(pool.maximumPoolSize, 5)
  assert.equal(pool.keepAliveTime, 1000)
  assert.equal(pool.queue, workQueue)
  assert.equal(pool.threadFactory, threadFactory)
  assert.equal(pool.handler, CallerRunsPolicy)
  assert.equal(pool.allowCoreThreadTimeOut, true)
})

test("[TP2] the defaults", () => {
  const pool = withOptions({})
  assert.equal(pool.keepAliveTime, 60_000)
  assert.ok(pool.queue instanceof LinkedBlockingQueue)
  assert.equal(pool.queue.remainingCapacity, 2 ** 31 - 1)
  assert.equal(pool.handler, AbortPolicy)
  assert.equal(pool.allowCoreThreadTimeOut, false)
})

test("[TP3] the least sizes and times are accepted, and so are fractions of a millisecond and Infinity", () => {
  const least = withOptions({ corePoolSize: 0, maximumPoolSize: 1, keepAliveTime: 0 })
  assert.deepEqual([least.corePoolSize, least.maximumPoolSize, least.keepAliveTime], [0, 1, 0])
  assert.equal(withOptions({ keepAliveTime: 0.25 }).keepAliveTime, 0.25)
  assert.equal(withOptions({ keepAliveTime: Infinity }).keepAliveTime, Infinity)
  assert.equal(withOptions({ maximumPoolSize: 2 ** 31 - 1 }).maximumPoolSize, 2 ** 31 - 1)
})

test("[TP4] a size that is no integer in its range is refused", () => {
  const core = "Expected `corePoolSize` to be an integer ≥ 0, got"
  assert.equal(refusal({ corePoolSize: -1 }), `RangeError: ${core} -1`)
  assert.equal(refusal({ corePoolSize: NaN }), `RangeError: ${core} NaN`)
  assert.equal(refusal({ corePoolSize: 0.5 }), `RangeError: ${core} 0.5`)
  assert.equal(refusal({ corePoolSize: -Infinity }), `RangeError: ${core} -Infinity`)
  assert.equal(refusal({ corePoolSize: "1" }), `TypeError: ${core} "1"`)
  assert.equal(refusal({ corePoolSize: 1n }), `TypeError: ${core} 1n`)
  assert.equal(refusal({ corePoolSize: null }), `TypeError: ${core} null`)
  assert.equal(refusal({ corePoolSize: undefined }), `TypeError: ${core} undefined`)

  const maximum = "Expected `maximumPoolSize` to be an integer ≥ 1, got"
  assert.equal(refusal({ maximumPoolSize: 0 }), `RangeError: ${maximum} 0`)
  assert.equal(refusal({ maximumPoolSize: -1 }), `RangeError: ${maximum} -1`)
  assert.equal(refusal({ maximumPoolSize: 2.5 }), `RangeError: ${maximum} 2.5`)
  assert.equal(refusal({ maximumPoolSize: true }), `TypeError: ${maximum} true`)
  assert.equal(refusal({ maximumPoolSize: null }), `TypeError: ${maximum} null`)
  const most = "Expected `maximumPoolSize` to be an integer ≤ 2147483647, got"
  assert.equal(refusal({ maximumPoolSize: 2 ** 31 }), `RangeError: ${most} 2147483648`)
})

test("[TP4] a keep-alive that is no duration is refused", () => {
  const demand = "Expected `keepAliveTime` to be a number of milliseconds ≥ 0, got"
  assert.equal(refusal({ keepAliveTime: -1 }), `RangeError: ${demand} -1`)
  assert.equal(refusal({ keepAliveTime: NaN }), `RangeError: ${demand} NaN`)
  assert.equal(refusal({ keepAliveTime: "1000" }), `TypeError: ${demand} "1000"`)
  assert.equal(refusal({ keepAliveTime: null }), `TypeError: ${demand} null`)
})

test("[TP4] what is no queue, factory, handler, switch or name is refused", () => {
  const queue = "Expected `workQueue` to be a BlockingQueue of corepool, got"
  assert.equal(refusal({ workQueue: null }), `TypeError: ${queue} null`)
  assert.equal(refusal({ workQueue: [] }), `TypeError: ${queue} an instance of Array`)
  const factory = "Expected `threadFactory` to be a ThreadFactory such as virtualThreads(), got"
  assert.equal(refusal({ threadFactory: null }), `TypeError: ${factory} null`)
  assert.equal(refusal({ threadFactory: {} }), `TypeError: ${factory} an instance of Object`)
  assert.equal(refusal({ threadFactory: virtualThreads }), `TypeError: ${factory} function virtualThreads`)
  const handler = "Expected `handler` to be a function such as AbortPolicy, got"
  assert.equal(refusal({ handler: null }), `TypeError: ${handler} null`)
  assert.equal(refusal({ handler: "abort" }), `TypeError: ${handler} "abort"`)
  const allow = "Expected `allowCoreThreadTimeOut` to be a boolean, got"
  assert.equal(refusal({ allowCoreThreadTimeOut: null }), `TypeError: ${allow} null`)
  assert.equal(refusal({ allowCoreThreadTimeOut: 1 }), `TypeError: ${allow} 1`)
  assert.equal(refusal({ name: 7 }), "TypeError: Expected `name` to be a string, got 7")
})

test("[TP4] options that are no object are refused", () => {
  const demand = "Expected `options` to be an object with corePoolSize and maximumPoolSize, got"
  for (const [options, shown] of [
    [undefined, "undefined"],
    [null, "null"],
    [4, "4"],
  ]) {
    const error = thrownBy(() => new ThreadPoolExecutor(options as unknown as ThreadPoolOptions))
    assert.equal(String(error), `TypeError: ${demand} ${String(shown)}`)
  }
})

test("[TP5] a maximum below the core size is refused, naming the core size", () => {
  assert.equal(
    refusal({ corePoolSize: 4, maximumPoolSize: 2 }),
    "RangeError: Expected `maximumPoolSize` to be an integer ≥ corePoolSize (4), got 2",
  )
})

test("[TP6] the first wrong argument in order is the one that is told", () => {
  const wrong: [name: string, changes: Record<string, unknown>][] = [
    ["corePoolSize", { corePoolSize: -1 }],
    ["maximumPoolSize", { maximumPoolSize: 0 }],
    ["corePoolSize (9)", { corePoolSize: 9 }],
    ["keepAliveTime", { keepAliveTime: -1 }],
    ["workQueue", { workQueue: null }],
    ["threadFactory", { threadFactory: null }],
    ["handler", { handler: null }],
  ]
  // Each entry is wrong in its own way and in those of all later entries; the earlier entry of a name wins.
  for (let first = 0; first < wrong.length; first++) {
    const changes = Object.assign(
      {},
      ...wrong
        .slice(first)
        .reverse()
        .map(([, change]) => change),
    ) as object
    const told = String(thrownBy(() => withOptions(changes as Record<string, unknown>)))
    assert.ok(told.includes(wrong[first]?.[0] ?? ""), `${told} should name ${wrong[first]?.[0]}`)
  }
})

test("[TP7] no thread is made until there is something to run", () => {
  const newThread = (): never => assert.fail("a thread was made")
  const pool = withOptions({ threadFactory: { isVirtual: true, newThread } })
  assert.equal(pool.poolSize, 0)
  assert.equal(pool.taskCount, 0)
})

test("[TP8] core threads that may time out from the start do", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, keepAliveTime: 1, allowCoreThreadTimeOut: true })
  await pool.submit(() => undefined)
  assert.equal(pool.largestPoolSize, 1)
  await eventually(() => pool.poolSize === 0)
})

test("[TP8] core threads that time out need a keep-alive", () => {
  assert.equal(
    refusal({ allowCoreThreadTimeOut: true, keepAliveTime: 0 }),
    "RangeError: Expected `allowCoreThreadTimeOut` to be false while keepAliveTime is 0, got true",
  )
})

test("[TP9] without a factory the threads are platform threads", async () => {
  await using pool = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1 })
  assert.deepEqual([pool.threadFactory.isVirtual, pool.capabilities.threads], [false, "platform"])
})
