/** with({ retry }) on platform threads. */
import {
  AtomicInteger,
  type ExecutorService,
  Executors,
  ForkJoinPool,
  NotSerializableError,
  platformThreads,
  TimeoutError,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"

function failing(runs: AtomicInteger, failures: number): number {
  const run = runs.incrementAndGet()
  if (run <= failures) throw new Error(`no ${run}`)
  return run
}

function dying(runs: AtomicInteger): void {
  runs.incrementAndGet()
  process.exit(1)
}

async function submitInside(view: ExecutorService, runs: AtomicInteger): Promise<string> {
  const future = view.submit((shared: AtomicInteger) => {
    if (shared.incrementAndGet() < 3) throw new Error("again")
    return shared.get()
  }, runs)
  return `${await future} in ${future.attempts}`
}

test("[RY1] [RY3] a task of a platform thread is tried again, whatever thread has its attempts", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const future = pool.with({ retry: { attempts: 4, delay: 1 } }).submit(failing, new AtomicInteger(0), 3)
  assert.equal(await future, 4)
  assert.equal(future.attempts, 4)
})

test("[RY1] [RY15] getSync waits for all attempts and the delays between them", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const future = pool.with({ retry: { attempts: 3, delay: 1 } }).submit(failing, new AtomicInteger(0), 2)
  assert.equal(future.getSync(), 3)
  const hopeless = pool.with({ retry: { attempts: 2, delay: 1 } }).submit(failing, new AtomicInteger(0), 9)
  assert.throws(() => hopeless.getSync(), /no 2/)
  const slow = pool.with({ retry: { attempts: 2, delay: 1_000_000 } }).submit(failing, new AtomicInteger(0), 9)
  assert.throws(() => slow.getSync(20), TimeoutError)
  slow.cancel()
})

for (const ending of ["throws", "dies"] as const) {
  test(`[RY12] the error of a command that ${ending} is reported once, after its last attempt`, async () => {
    const reported: unknown[] = []
    const factory = platformThreads({ uncaughtException: (_, error) => reported.push(error) })
    await using pool = Executors.newFixedThreadPool(1, factory)
    const runs = new AtomicInteger(0)
    pool.with({ retry: { attempts: 3, delay: 1 } }).execute(ending === "throws" ? failing : dying, runs, 9)
    await eventually(() => reported.length > 0)
    assert.equal(runs.get(), 3)
    await pool.submit(failing, runs, 0)
    const last = ending === "throws" ? ["Error"] : ["ThreadDeathError"]
    assert.deepEqual(
      reported.map((error) => (error as Error).name),
      last,
    )
  })
}

test("[RY10] [RY11] shutdown() lets them have their attempts, shutdownNow() cancels them", async () => {
  for (const pool of [
    Executors.newFixedThreadPool(1),
    Executors.newCachedThreadPool(),
    new ForkJoinPool({ parallelism: 1 }),
  ]) {
    const future = pool.with({ retry: { attempts: 3, delay: 1 } }).submit(failing, new AtomicInteger(0), 2)
    await pool.close()
    assert.equal(future.state, "success")
    assert.equal(pool.isTerminated, true)
  }
  const pool = Executors.newFixedThreadPool(1)
  const runs = new AtomicInteger(0)
  const future = pool.with({ retry: { delay: 1_000_000 } }).submit(failing, runs, 9)
  const first = pool.submit(() => "after it")
  await first
  while (runs.get() === 0) await pool.submit(() => 1)
  pool.shutdownNow()
  await rejectionOf(future)
  assert.equal(await pool.awaitTermination(), true)
})

test("[RY8] `timeout` covers all attempts also here", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const future = pool.with({ timeout: 30, retry: { delay: 1_000_000 } }).submit(failing, new AtomicInteger(0), 9)
  assert.ok((await rejectionOf(future)) instanceof TimeoutError)
})

test("[RY16] a view with retries can be sent to another thread, unless it has `when` or a clock", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  assert.equal(await pool.submit(submitInside, pool.with({ retry: { delay: 1 } }), new AtomicInteger(0)), "3 in 3")
  assert.throws(
    () => pool.submit(submitInside, pool.with({ retry: { when: () => true } }), new AtomicInteger(0)),
    NotSerializableError,
  )
})
