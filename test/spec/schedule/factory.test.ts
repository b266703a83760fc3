/** What a thread factory can do to a scheduled pool. Ids such as [SC43] refer to docs/spec/schedule.md. */
import type { ScheduledThreadPoolExecutor, Thread, ThreadFactory } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { thrownBy, turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { pass, Schedules } from "./support.ts"

/** A factory that does what the test says instead of making a thread. */
class Flaky implements ThreadFactory {
  readonly isVirtual = true
  readonly #inner: ThreadFactory
  trouble: (() => Thread | null) | undefined

  constructor(inner: ThreadFactory) {
    this.#inner = inner
  }

  newThread(target: () => unknown): Thread | null | undefined {
    return this.trouble === undefined ? this.#inner.newThread(target) : this.trouble()
  }
}

const thrower = (error: Error) => (): never => {
  throw error
}

test("[SC43] if the factory throws, its error leaves the call, and nothing was accepted", async () => {
  await using pools = new Schedules()
  const factory = new Flaky(pools.factory)
  const pool = pools.open(1, { threadFactory: factory })
  const own = new Error("own")
  factory.trouble = thrower(own)
  assert.equal(
    thrownBy(() => pool.schedule(() => undefined, 5)),
    own,
  )
  assert.equal(
    thrownBy(() => pool.scheduleAtFixedRate(() => undefined, 5, 5)),
    own,
  )
  assert.equal(
    thrownBy(() => pool.scheduleWithFixedDelay(() => undefined, 5, 5)),
    own,
  )
  assert.equal(
    thrownBy(() => pool.submit(() => undefined)),
    own,
  )
  assert.equal(
    thrownBy(() => pool.execute(() => undefined)),
    own,
  )
  assert.deepEqual([pool.queue.size, pool.taskCount, pool.poolSize], [0, 0, 0])
  factory.trouble = undefined
  assert.equal(await pool.submit(() => "works"), "works")
})

test("[SC43] also if another thread could have taken the task at once", async () => {
  await using pools = new Schedules()
  const factory = new Flaky(pools.factory)
  const pool = pools.open(2, { threadFactory: factory })
  await pool.submit(() => undefined)
  factory.trouble = thrower(new Error("own"))
  let runs = 0
  assert.ok(thrownBy(() => pool.submit(() => runs++)) instanceof Error)
  await turns()
  assert.deepEqual([runs, pool.taskCount], [0, 1])
})

test("[SC43] if the factory refuses a thread, the task waits for one", async () => {
  await using pools = new Schedules()
  const factory = new Flaky(pools.factory)
  const pool = pools.open(1, { threadFactory: factory })
  factory.trouble = () => null
  const first = pool.schedule(() => "first", 0)
  await turns()
  assert.deepEqual([first.isDone, pool.queue.size, pool.poolSize], [false, 1, 0])
  factory.trouble = undefined
  const second = pool.schedule(() => "second", 0)
  assert.deepEqual(await Promise.all([first, second]), ["first", "second"])
})

test("[SC43] a factory that fails while a series goes on is reported, and the series goes on", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const factory = new Flaky(pools.factory)
  const pool = pools.open(1, { threadFactory: factory })
  let runs = 0
  const series = pool.scheduleAtFixedRate(() => runs++, 0, 10)
  await turns()
  const own = new Error("own")
  factory.trouble = () => null
  pool.corePoolSize = 2
  factory.trouble = thrower(own)
  await pass(clock, 20)
  assert.equal(runs, 3)
  assert.deepEqual(pools.takeUncaught(), [own, own])
  assert.deepEqual([pool.poolSize, series.isDone], [1, false])
})

test("[SC43] a factory that shuts the pool down, or stops it, loses no task", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  for (const end of ["shutdown", "shutdownNow"] as const) {
    for (const trouble of ["and makes a thread", "and refuses"]) {
      const factory: ThreadFactory = {
        isVirtual: true,
        newThread: (target) => {
          pool[end]()
          return trouble === "and refuses" ? null : pools.factory.newThread(target)
        },
      }
      const pool: ScheduledThreadPoolExecutor = pools.open(1, { threadFactory: factory })
      const series = pool.scheduleAtFixedRate(() => undefined, 5, 5)
      await pass(clock, 10)
      assert.deepEqual([series.isCancelled, pool.isTerminated, pool.queue.size], [true, true, 0], `${end} ${trouble}`)
    }
  }
})
