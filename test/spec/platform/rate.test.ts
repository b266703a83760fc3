/** Pools of platform threads at the pace of a limiter. Ids such as [RL20] refer to docs/spec/rate-limiter.md. */
import {
  CancellationError,
  Executors,
  platformThreads,
  RateLimiter,
  ScheduledThreadPoolExecutor,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test, { after } from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { SharedCount, SharedGate, SharedLog } from "../../support/shared-words.ts"
import { awaitAll, blockFor, dieSoon, mark, rateOf, takeFrom } from "./rate-tasks.ts"
import * as tasks from "./tasks.ts"

/** No permit comes back while a test runs. */
const LONG = 1e9

const made: ThreadPoolExecutor[] = []
after(() => made.forEach((pool) => pool.shutdownNow())) // if a test has failed, its tasks may never get a permit

function paced(rateLimiter: RateLimiter, threads = 2): ThreadPoolExecutor {
  const pool = new ThreadPoolExecutor({
    corePoolSize: threads,
    maximumPoolSize: threads,
    rateLimiter,
    threadFactory: platformThreads({ uncaughtException() {} }),
  })
  made.push(pool)
  return pool
}

/** Of a window: at most `permits` in any `per` ms, though threads may be held up between permit and task. */
function assertPace(times: readonly number[], permits: number, per: number): void {
  const sorted = times.toSorted((a, b) => a - b)
  assert.ok((sorted.at(-1) as number) >= per * Math.floor((sorted.length - 1) / permits), String(sorted))
}

test("[RL20] [RL21] no task begins before there is a permit; what waits is queued, and one thread waits for the limiter", async () => {
  const limiter = new RateLimiter({ permits: 3, per: LONG })
  const pool = paced(limiter, 3)
  const log = new SharedLog()
  const futures = Array.from({ length: 6 }, (_, i) => pool.submit(mark, log.index, log.base, i))
  await Promise.all(futures.slice(0, 3))
  await eventually(() => limiter.queueLength === 1 && pool.activeCount === 0)
  await turns()
  assert.deepEqual([pool.queue.size, pool.poolSize, log.length], [3, 3, 3])
  assert.equal(limiter.queueLength, 1)
  assert.equal(pool.remove(futures[5] as never), true)
  assert.equal(pool.shutdownNow().length, 2)
  assert.equal(await pool.awaitTermination(), true)
  await eventually(() => limiter.queueLength === 0)
  assert.ok((await rejectionOf(futures[3] as never)) instanceof CancellationError)
})

test("[RL20] tasks begin at the pace of the limiter, in order", async () => {
  const limiter = new RateLimiter({ permits: 4, per: 60, window: "sliding" })
  await using pool = paced(limiter, 1)
  const log = new SharedLog()
  await Promise.all(Array.from({ length: 12 }, (_, i) => pool.submit(mark, log.index, log.base, i)))
  assert.deepEqual(
    log.ids,
    Array.from({ length: 12 }, (_, i) => i),
  )
  assertPace(log.times, 4, 60)
})

test("[RL19] [RL26] two pools and other threads have the same limiter", async () => {
  const limiter = new RateLimiter({ permits: 5, per: LONG })
  await using other = Executors.newFixedThreadPool(1)
  const [one, two] = [paced(limiter), paced(limiter)]
  assert.equal(one.rateLimiter, limiter)
  assert.equal(await other.submit(rateOf, one), 5)
  const futures = [one, two].flatMap((pool) => [1, 2].map((n) => pool.submit(tasks.add, n, n)))
  assert.deepEqual(await Promise.all(futures), [2, 4, 2, 4])
  assert.equal(limiter.availablePermits, 1)
  assert.equal(await other.submit(takeFrom, two), true)
  assert.equal(await other.submit(takeFrom, one), false)
  for (const pool of [one, two]) {
    pool.submit(tasks.add, 1, 2).cancel()
    pool.shutdownNow()
    assert.equal(await pool.awaitTermination(), true)
  }
})

test("[RL22] cancelled tasks take no permit, and do not hold up the end", async () => {
  const limiter = new RateLimiter({ permits: 2, per: LONG })
  const pool = paced(limiter, 1)
  using gate = new SharedGate()
  const running = pool.submit(tasks.pass, gate.index)
  await gate.reached()
  const cancelled = Array.from({ length: 5 }, () => pool.submit(tasks.add, 1, 2))
  const last = pool.submit(tasks.add, 3, 4)
  for (const future of cancelled) future.cancel(false)
  gate.open()
  await running
  assert.equal(await last, 7)
  assert.equal(limiter.availablePermits, 0)
  await pool.close()
})

test("[RL25] a paused pool takes no permits", async () => {
  const limiter = new RateLimiter({ permits: 2, per: LONG })
  await using pool = paced(limiter)
  await pool.submit(tasks.add, 1, 2)
  pool.pause()
  const future = pool.submit(tasks.add, 1, 2)
  await turns()
  assert.deepEqual([limiter.availablePermits, limiter.queueLength, future.isDone], [1, 0, false])
  pool.resume()
  assert.equal(await future, 3)
})

test("[RL28] a scheduled pool of platform threads begins what is due at the pace of the limiter", async () => {
  const limiter = new RateLimiter({ permits: 2, per: 50, window: "sliding" })
  await using pool = new ScheduledThreadPoolExecutor({ corePoolSize: 2, rateLimiter: limiter })
  const log = new SharedLog()
  const later = [5, 5, 5, 6, 6, 6].map((delay, i) => pool.schedule(mark, delay, log.index, log.base, i))
  await Promise.all(later)
  assertPace(log.times, 2, 50)
  const runs = new SharedCount()
  const beat = pool.scheduleAtFixedRate(tasks.count, 0, 1, runs.index)
  await eventually(() => runs.value >= 5)
  beat.cancel()
})

for (const [how, body] of Object.entries({ blocks: blockFor, awaits: awaitAll })) {
  test(`[RL29] a task that ${how} for tasks of its own pool runs them itself, with a permit each`, async () => {
    const limiter = new RateLimiter({ permits: 7, per: LONG })
    await using pool = paced(limiter, 1)
    assert.equal(await pool.submit(body, pool, 6), 21)
    assert.equal(limiter.availablePermits, 0)
    await using slow = paced(new RateLimiter({ permits: 4, per: 20, burst: 1 }), 1)
    assert.equal(await slow.submit(body, slow, 6), 21)
  })
}

test("[RL29] and does not begin one without a permit", async () => {
  const limiter = new RateLimiter({ permits: 2, per: LONG })
  const pool = paced(limiter, 1)
  const future = pool.submit(awaitAll, pool, 3)
  await eventually(() => limiter.availablePermits === 0)
  await turns()
  assert.equal(future.isDone, false)
  pool.shutdownNow()
  assert.equal(await pool.awaitTermination(), true)
})

test("[RL31] threads that die while they are idle or wait for the limiter lose no task", async () => {
  const limiter = new RateLimiter({ permits: 1, per: 15 })
  await using pool = paced(limiter)
  const begun = new SharedCount()
  const runs = new SharedCount()
  const futures: PromiseLike<unknown>[] = []
  for (let i = 0; i < 6; i++) {
    futures.push(pool.submit(dieSoon, begun.index))
    for (let j = 0; j < 3; j++) futures.push(pool.submit(tasks.count, runs.index))
  }
  const results = await Promise.allSettled(futures)
  // A thread may die in the very moment in which it has a task in hand: then that task fails, as in every pool.
  const done = results.filter(({ status }) => status === "fulfilled").length
  assert.ok(results.length - done <= 6, "a thread that dies costs a task at most")
  assert.ok(begun.value + runs.value >= done)
})
