/** Pools whose tasks begin at the pace of a limiter. Ids such as [RL20] refer to docs/spec/rate-limiter.md. */
import {
  ArrayBlockingQueue,
  ForkJoinPool,
  NotSerializableError,
  PriorityBlockingQueue,
  RateLimiter,
  RejectedExecutionError,
  ScheduledThreadPoolExecutor,
  SynchronousQueue,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import { ManualClock } from "corepool/testing"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, thrownBy, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

/** Pools of virtual threads and limiters on one clock, and when tasks began. */
class Paced extends Pools {
  readonly clock = new ManualClock()
  readonly log: string[] = []
  readonly note = (name: string): void => void this.log.push(`${name}@${Math.round(this.clock.now)}`)

  limiter(permits: number, per: number): RateLimiter {
    return new RateLimiter({ permits, per, clock: this.clock })
  }

  pool(rateLimiter: RateLimiter, threads = 2): ThreadPoolExecutor {
    return this.create({ corePoolSize: threads, maximumPoolSize: threads, rateLimiter })
  }

  take(): string[] {
    return this.log.splice(0)
  }
}

test("[RL19] the option is a RateLimiter, reads back, and goes with a queue that has room", async () => {
  await using paced = new Paced()
  const limiter = paced.limiter(1, 10)
  assert.equal(paced.pool(limiter).rateLimiter, limiter)
  assert.equal(paced.fixed(1).rateLimiter, undefined)
  const options = { corePoolSize: 1, maximumPoolSize: 1, threadFactory: virtualThreads() }
  for (const rateLimiter of [null, 5, {}, "fast", { acquire() {} }]) {
    const error = thrownBy(() => new ThreadPoolExecutor({ ...options, rateLimiter: rateLimiter as never }))
    assert.ok(error instanceof TypeError)
    assert.match(error.message, /^Expected `rateLimiter` to be a RateLimiter, got /)
  }
  const workQueue = new SynchronousQueue<never>() as never
  assert.match(
    String(thrownBy(() => new ThreadPoolExecutor({ ...options, workQueue, rateLimiter: limiter }))),
    /^TypeError: Expected `workQueue` to be a queue in which tasks can wait/,
  )
  assert.throws(() => new ForkJoinPool({ parallelism: 1, rateLimiter: limiter } as object), /rateLimiter/)
  const wrong = thrownBy(() => new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, rateLimiter: limiter }))
  assert.ok(wrong instanceof NotSerializableError)
})

test("[RL20] [RL21] no task begins before there is a permit, and what waits is queued", async () => {
  await using paced = new Paced()
  const limiter = paced.limiter(2, 100)
  const pool = paced.pool(limiter, 3)
  const futures = ["a", "b", "c", "d", "e"].map((name) => pool.submit(paced.note, name))
  await turns()
  assert.deepEqual(paced.take(), ["a@0", "b@0"])
  assert.deepEqual([pool.queue.size, pool.activeCount, pool.poolSize, pool.taskCount], [3, 0, 3, 5])
  assert.equal(limiter.queueLength, 1)
  await paced.clock.advance(100)
  assert.deepEqual(paced.take(), ["c@50", "d@100"])
  const removed = pool.submit(paced.note, "x")
  assert.equal(pool.remove(removed), true)
  await paced.clock.advance(100)
  assert.deepEqual(paced.take(), ["e@150"])
  await Promise.all(futures)
})

test("[RL20] a task that comes while another waits for the limiter does not overtake it, unless its priority is higher", async () => {
  await using paced = new Paced()
  const limiter = paced.limiter(1, 100)
  const pool = paced.create({
    corePoolSize: 2,
    maximumPoolSize: 2,
    rateLimiter: limiter,
    workQueue: new PriorityBlockingQueue(),
  })
  pool.with({ priority: 1 }).submit(paced.note, "first")
  pool.with({ priority: 1 }).submit(paced.note, "low")
  await turns()
  pool.with({ priority: 2 }).submit(paced.note, "high")
  await paced.clock.advance(300)
  assert.deepEqual(paced.take(), ["first@0", "high@100", "low@200"])
})

test("[RL22] a task that is cancelled takes no permit, whether another task waits or not", async () => {
  await using paced = new Paced()
  const limiter = paced.limiter(1, 100)
  const pool = paced.pool(limiter)
  await pool.submit(paced.note, "a")
  const cancelled = [1, 2, 3].map(() => pool.submit(paced.note, "never"))
  const b = pool.submit(paced.note, "b")
  await turns()
  for (const future of cancelled) future.cancel(false)
  await paced.clock.advance(100)
  assert.deepEqual(paced.take(), ["a@0", "b@100"])
  await b
  pool.pause()
  const last = pool.submit(paced.note, "never")
  last.cancel()
  pool.resume()
  assert.equal(await pool.awaitQuiescence(), true)
  assert.deepEqual([limiter.availablePermits, limiter.queueLength], [0, 0])
  await paced.clock.advance(100)
  assert.equal(limiter.availablePermits, 1)
})

test("[RL22] the permit of a task that is removed while a thread waits for it goes to others", async () => {
  await using paced = new Paced()
  const limiter = paced.limiter(1, 100)
  const pool = paced.pool(limiter)
  await pool.submit(paced.note, "a")
  const removed = pool.submit(paced.note, "never")
  await turns()
  assert.equal(limiter.queueLength, 1)
  assert.equal(pool.remove(removed), true)
  await paced.clock.advance(100)
  assert.deepEqual([limiter.queueLength, limiter.availablePermits], [0, 1])
  await pool.submit(paced.note, "b")
  assert.deepEqual(paced.take(), ["a@0", "b@100"])
})

test("[RL23] threads are made up to the core size, and a full queue refuses", async () => {
  await using paced = new Paced()
  const limiter = paced.limiter(1, 100)
  const workQueue = new ArrayBlockingQueue<never>(2) as never
  const pool = paced.create({ corePoolSize: 1, maximumPoolSize: 4, rateLimiter: limiter, workQueue })
  await pool.submit(paced.note, "a")
  pool.submit(paced.note, "b")
  pool.submit(paced.note, "c")
  assert.ok(thrownBy(() => pool.submit(paced.note, "d")) instanceof RejectedExecutionError)
  assert.deepEqual([pool.poolSize, pool.queue.size], [1, 2])
  await paced.clock.advance(200)
  assert.deepEqual(paced.take(), ["a@0", "b@100", "c@200"])
})

test("[RL23] an eager pool has as many threads as tasks that run at the same time need", async () => {
  await using paced = new Paced()
  const gate = paced.gate()
  const pool = paced.create({
    corePoolSize: 0,
    maximumPoolSize: 3,
    growth: "eager",
    rateLimiter: paced.limiter(10, 100),
  })
  for (let i = 0; i < 5; i++) pool.submit(gate.body)
  await gate.entered(3)
  assert.deepEqual([pool.poolSize, pool.queue.size], [3, 2])
})

test("[RL24] after shutdown the rest begins at the pace of the limiter", async () => {
  await using paced = new Paced()
  const pool = paced.pool(paced.limiter(1, 100))
  for (const name of ["a", "b", "c"]) pool.submit(paced.note, name)
  pool.shutdown()
  await turns()
  assert.deepEqual(paced.take(), ["a@0"])
  assert.equal(pool.isTerminated, false)
  await paced.clock.advance(200)
  assert.deepEqual(paced.take(), ["b@100", "c@200"])
  assert.equal(await pool.awaitTermination(), true)
})

test("[RL24] shutdownNow does not wait for the limiter", async () => {
  await using paced = new Paced()
  const limiter = paced.limiter(1, 1e9)
  const pool = paced.pool(limiter)
  for (const name of ["a", "b", "c"]) pool.submit(paced.note, name)
  await turns()
  assert.equal(pool.shutdownNow().length, 2)
  assert.equal(await pool.awaitTermination(), true)
  assert.deepEqual(paced.take(), ["a@0"])
  assert.equal(limiter.queueLength, 0)
})

test("[RL25] a paused pool takes no permits", async () => {
  await using paced = new Paced()
  const limiter = paced.limiter(2, 100)
  const pool = paced.pool(limiter)
  for (const name of ["a", "b", "c"]) pool.submit(paced.note, name)
  await turns()
  assert.equal(limiter.queueLength, 1)
  pool.pause()
  await turns()
  assert.equal(limiter.queueLength, 0)
  await paced.clock.advance(1000)
  assert.equal(limiter.availablePermits, 2)
  assert.deepEqual(paced.take(), ["a@0", "b@0"])
  pool.resume()
  await turns()
  assert.deepEqual(paced.take(), ["c@1000"])
  assert.equal(limiter.availablePermits, 1)
})

test("[RL26] two pools and a task that acquires by itself take turns", async () => {
  await using paced = new Paced()
  const limiter = paced.limiter(1, 100)
  const [one, two] = [paced.pool(limiter), paced.pool(limiter)]
  for (const name of ["a", "b", "c"]) one.submit(paced.note, `one-${name}`)
  await turns()
  for (const name of ["a", "b"]) two.submit(paced.note, `two-${name}`)
  await turns()
  void limiter.acquire().then(() => paced.note("alone"))
  await paced.clock.advance(500)
  assert.deepEqual(paced.take(), ["one-a@0", "one-b@100", "two-a@200", "alone@300", "one-c@400", "two-b@500"])
})

test("[RL27] idle threads time out, and the last one stays while tasks wait", async () => {
  await using paced = new Paced()
  const limiter = paced.limiter(2, 100)
  const pool = paced.create({
    corePoolSize: 2,
    maximumPoolSize: 2,
    keepAliveTime: 1,
    allowCoreThreadTimeOut: true,
    rateLimiter: limiter,
  })
  for (const name of ["a", "b", "c"]) pool.submit(paced.note, name)
  await eventually(() => pool.poolSize === 1)
  await paced.keepAliveOver(1)
  assert.deepEqual([pool.poolSize, pool.queue.size], [1, 1])
  await paced.clock.advance(50)
  assert.deepEqual(paced.take(), ["a@0", "b@0", "c@50"])
  await eventually(() => pool.poolSize === 0)
})

test("[RL28] in a scheduled pool what is due waits for the limiter, and each run takes a permit", async () => {
  await using paced = new Paced()
  const { clock, note } = paced
  const rateLimiter = paced.limiter(1, 100)
  const pool = paced.adopt(
    new ScheduledThreadPoolExecutor({ corePoolSize: 2, threadFactory: paced.factory, clock, rateLimiter }),
  )
  assert.equal(pool.rateLimiter, rateLimiter)
  pool.schedule(note, 10, "a")
  pool.schedule(note, 20, "b")
  await clock.advance(15)
  assert.deepEqual(paced.take(), ["a@10"])
  await clock.advance(200)
  assert.deepEqual(paced.take(), ["b@110"])
  const beat = pool.scheduleWithFixedDelay(note, 0, 10, "beat") // at 215, the limiter has a permit
  await clock.advance(300)
  beat.cancel()
  assert.deepEqual(paced.take(), ["beat@215", "beat@315", "beat@415", "beat@515"])
})
