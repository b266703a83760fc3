/** The threads of a scheduled pool. Ids such as [SC39] refer to docs/spec/schedule.md. */
import { type Runnable, ScheduledThreadPoolExecutor, type Thread } from "corepool"
import { AtomicInteger } from "corepool/atomic"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { pass, Schedules } from "./support.ts"

test("[SC39] each new task starts a thread up to the core size, even if others are idle, and no more", async () => {
  await using pools = new Schedules()
  const pool = pools.open(3)
  const sizes: number[] = []
  for (let i = 0; i < 5; i++) {
    pool.schedule(() => undefined, 1000)
    sizes.push(pool.poolSize)
    await turns()
  }
  assert.deepEqual([sizes, pools.threads.length, pool.activeCount], [[1, 2, 3, 3, 3], 3, 0])
})

test("[SC39] a maximum size has no effect", async () => {
  await using pools = new Schedules()
  const pool = pools.open(1)
  pool.maximumPoolSize = 5
  const gate = pools.gate()
  for (let i = 0; i < 5; i++) pool.execute(gate.body)
  await turns()
  assert.deepEqual([pool.poolSize, gate.inside, pool.queue.size], [1, 1, 4])
})

test("[SC40] without core threads there is one while anything waits or runs, and none when nothing does", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(0)
  const runs: number[] = []
  for (const delay of [5, 10, 50]) pool.schedule(() => runs.push(clock.now - 1000), delay)
  await pass(clock, 49)
  assert.deepEqual([runs, pool.poolSize], [[5, 10], 1])
  await pass(clock, 1)
  assert.deepEqual([runs, pool.poolSize], [[5, 10, 50], 1])
  await pass(clock, 15)
  assert.deepEqual([pool.poolSize, pool.largestPoolSize, pools.threads.length], [0, 1, 1])
  assert.equal(await pool.submit(() => "again"), "again")
})

test("[SC40] the thread also goes when what it waited for is cancelled, removed or purged", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const ways: ((pool: ScheduledThreadPoolExecutor) => void)[] = [
    (pool) => {
      const future = pool.schedule(() => undefined, 1000)
      pool.removeOnCancel = true
      future.cancel()
    },
    (pool) => void pool.remove(pool.schedule(() => undefined, 1000)),
    (pool) => {
      pool.schedule(() => undefined, 1000).cancel()
      pool.purge()
    },
    (pool) => {
      pool.schedule(() => undefined, 1000)
      pool.queue.clear()
    },
  ]
  for (const way of ways) {
    const pool = pools.open(0)
    pool.schedule(() => undefined, 1)
    await pass(clock, 5)
    way(pool)
    assert.equal(pool.poolSize, 1)
    await pass(clock, 15)
    assert.equal(pool.poolSize, 0)
  }
  for (const way of ways) {
    const pool = pools.open(0)
    const far = pool.schedule(() => undefined, 2000)
    await pass(clock, 30)
    pool.remove(far)
    way(pool)
    await pass(clock, 15)
    assert.equal(pool.poolSize, 0)
  }
})

test("[SC41] a thread that could not leave anyway does not come back every few milliseconds to learn that", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const without = pools.open(0)
  const timingOut = pools.open(2)
  timingOut.allowCoreThreadTimeOut = true
  const hour = 3_600_000
  const futures = [without, timingOut].flatMap((pool) =>
    [hour, 2 * hour].map((delay) => pool.schedule(() => "run", delay)),
  )
  await pass(clock, 50)
  assert.deepEqual([without.poolSize, timingOut.poolSize], [1, 1])
  const before = clock.delays.length
  assert.equal(clock.ticking, 2, "one timer a pool")
  clock.advance(hour - 100)
  await turns()
  assert.equal(clock.delays.length, before, "and nobody looked at it")
  clock.advance(hour + 100)
  await turns()
  clock.advance(hour)
  assert.deepEqual(await Promise.all(futures), ["run", "run", "run", "run"])
  await pass(clock, 15)
  assert.deepEqual([without.poolSize, timingOut.poolSize, pools.threads.length], [0, 0, 3])
})

test("[SC41] there is one timer however many tasks and threads wait, and none when nothing does", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(4)
  const futures = Array.from({ length: 100 }, (_, i) => pool.schedule(() => undefined, 100 - i))
  await turns()
  assert.deepEqual([clock.ticking, clock.delays.length], [1, 1])
  pool.removeOnCancel = true
  for (const future of futures) future.cancel()
  await turns()
  assert.equal(clock.ticking, 0)
})

test("[SC42] growing and shrinking the core size moves the number of threads to it", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(0)
  for (let i = 0; i < 20; i++) pool.schedule(() => undefined, 100_000)
  await turns()
  for (const size of [5, 12, 3, 20, 1]) {
    pool.corePoolSize = size
    await pass(clock, 25)
    assert.equal(pool.poolSize, size)
  }
  pool.corePoolSize = 0
  await pass(clock, 25)
  assert.equal(pool.poolSize, 1, "somebody has to stay for what is queued")
})

test("[SC42] core threads may be allowed to time out: one stays while something is queued", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(3)
  const futures = [1, 2, 40].map((delay) => pool.schedule(() => "run", delay))
  pool.allowCoreThreadTimeOut = true
  await pass(clock, 30)
  assert.equal(pool.poolSize, 1)
  await pass(clock, 10)
  assert.deepEqual(await Promise.all(futures), ["run", "run", "run"])
  await pass(clock, 15)
  assert.equal(pool.poolSize, 0)
})

/** A scheduled pool that writes down the calls of its hooks, and fails in one of them if the test says so. */
class Hooked extends ScheduledThreadPoolExecutor {
  readonly calls: string[] = []
  readonly tasks = new Set<Runnable>()
  readonly errors: unknown[] = []
  trouble: Error | undefined

  protected override beforeExecute(_thread: Thread, task: Runnable): void {
    this.calls.push("before")
    this.tasks.add(task)
    if (this.trouble !== undefined) throw this.trouble
  }

  protected override afterExecute(task: Runnable, error?: unknown): void {
    this.calls.push("after")
    this.tasks.add(task)
    this.errors.push(error)
  }

  protected override terminated(): void {
    this.calls.push("terminated")
  }
}

test("[SC44] the hooks are called around every run, with its future; its error stays inside", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.adopt(new Hooked({ corePoolSize: 1, threadFactory: pools.factory }))
  let runs = 0
  const series = pool.scheduleAtFixedRate(
    () => {
      if (++runs === 2) throw new Error("own")
    },
    0,
    5,
  )
  await turns()
  await pass(clock, 10)
  assert.deepEqual(pool.calls, ["before", "after", "before", "after"])
  assert.deepEqual([...pool.tasks], [series])
  assert.deepEqual(pool.errors, [undefined, undefined])
  pool.shutdown()
  await turns()
  assert.equal(pool.calls.at(-1), "terminated")
})

test("[SC44] if beforeExecute throws, the task, a series too, fails with its error, and the thread is replaced", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.adopt(new Hooked({ corePoolSize: 1, threadFactory: pools.factory }))
  const own = new Error("own")
  pool.trouble = own
  const futures = [pool.schedule(() => undefined, 1), pool.scheduleAtFixedRate(() => undefined, 2, 2)]
  await pass(clock, 10)
  for (const future of futures) assert.equal(await rejectionOf(future), own)
  assert.deepEqual(pools.takeUncaught(), [own, own])
  pool.trouble = undefined
  assert.equal(await pool.submit(() => "works"), "works")
  assert.equal(pool.poolSize, 1)
})

test("[SC45] every run counts as a completed task; waiting, running and completed make up the number of tasks", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(2)
  const gate = pools.gate()
  const counts = (): number[] => [pool.taskCount, pool.queue.size, pool.activeCount, pool.completedTaskCount]
  const series = pool.scheduleAtFixedRate(() => undefined, 10, 10)
  pool.schedule(gate.body, 15)
  assert.deepEqual(counts(), [2, 2, 0, 0])
  await pass(clock, 12)
  assert.deepEqual(counts(), [3, 2, 0, 1])
  await pass(clock, 10)
  assert.deepEqual(counts(), [4, 1, 1, 2])
  series.cancel()
  gate.open()
  pool.shutdown()
  await eventually(() => pool.isTerminated)
  assert.deepEqual([...counts(), pool.largestPoolSize], [3, 0, 0, 3, 2])
})

test("[SC65] stats() tells how late tasks have begun, and how long they ran", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  pool.schedule(gate.body, 5)
  pool.schedule(() => undefined, 6)
  await pass(clock, 20)
  assert.equal(pool.stats().lateness.count, 1)
  assert.ok(pool.stats().lateness.max < 0.01)
  gate.open()
  await pass(clock, 1)
  const { wait, run, lateness, completed } = pool.stats()
  assert.deepEqual([completed, lateness.count], [2, 2])
  assert.ok(lateness.max > 12 && lateness.max < 18, `15 ms, within a fifth: ${lateness.max}`)
  assert.deepEqual(wait, lateness)
  assert.ok(run.count >= 1)
})

test("[SC65] also on platform threads, of every run", async () => {
  await using pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1 })
  const runs = new AtomicInteger()
  const series = pool.scheduleAtFixedRate((count: AtomicInteger) => void count.incrementAndGet(), 0, 1, runs)
  await eventually(() => runs.get() >= 5)
  series.cancel()
  assert.ok(pool.stats().lateness.count >= 5)
})
