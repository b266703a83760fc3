/** Ids such as [RL3] refer to docs/spec/rate-limiter.md. */
import { Executors, NotSerializableError, RateLimiter, type RateLimiterOptions, Semaphore, type Shared } from "corepool"
import { ManualClock } from "corepool/testing"
import assert from "node:assert/strict"
import { test } from "node:test"
import { rejectionOf } from "../../support/harness.ts"
import { Call, Task } from "../lock/support.ts"

const WINDOWS = [undefined, "fixed", "sliding"] as const

function limiter(permits: number, per: number, window?: "fixed" | "sliding", clock = new ManualClock()): RateLimiter {
  return new RateLimiter({ permits, per, clock, ...(window === undefined ? {} : { window }) })
}

/** How many permits it gives, one after the other. */
function taken(from: RateLimiter): number {
  let count = 0
  while (from.tryAcquire()) count++
  return count
}

test("[RL1] a bucket is full at first, and fills up again evenly", async () => {
  const clock = new ManualClock()
  const bucket = new RateLimiter({ permits: 4, per: 1000, burst: 6, clock })
  assert.equal(taken(bucket), 6)
  await clock.advance(249)
  assert.equal(taken(bucket), 0)
  await clock.advance(1)
  assert.equal(taken(bucket), 1)
  await clock.advance(600)
  assert.equal(taken(bucket), 2)
  await clock.advance(60_000)
  assert.equal(bucket.availablePermits, 6)
  assert.equal(taken(bucket), 6)
})

test("[RL2] a fixed window begins with its first permit", async () => {
  const clock = new ManualClock()
  const window = limiter(3, 1000, "fixed", clock)
  await clock.advance(500)
  assert.equal(window.tryAcquire(), true)
  await clock.advance(999)
  assert.equal(taken(window), 2)
  await clock.advance(1)
  assert.equal(taken(window), 3)
  await clock.advance(999)
  assert.equal(taken(window), 0)
})

test("[RL3] a sliding window never has more in any span", async () => {
  const clock = new ManualClock()
  const window = limiter(3, 1000, "sliding", clock)
  assert.equal(window.tryAcquire(), true)
  await clock.advance(900)
  assert.equal(taken(window), 2)
  await clock.advance(100)
  assert.equal(taken(window), 1)
  await clock.advance(899)
  assert.equal(taken(window), 0)
  await clock.advance(1)
  assert.equal(window.availablePermits, 2)
  assert.equal(taken(window), 2)
})

test("[RL4] what is no setting is refused", () => {
  const wrong: [unknown, string, RegExp][] = [
    [undefined, "TypeError", /`options` to be an object with permits and per/],
    [{ permits: 1 }, "TypeError", /`per`/],
    [{ permits: 0, per: 1 }, "RangeError", /`permits` to be an integer ≥ 1/],
    [{ permits: 1.5, per: 1 }, "RangeError", /`permits`/],
    [{ permits: "1", per: 1 }, "TypeError", /`permits`/],
    [{ permits: 1, per: 0 }, "RangeError", /`per`/],
    [{ permits: 1, per: Infinity }, "RangeError", /`per`/],
    [{ permits: 1, per: Number.NaN }, "RangeError", /`per`/],
    [{ permits: 1, per: 1, burst: 0 }, "RangeError", /`burst`/],
    [{ permits: 1, per: 1, burst: 2, window: "fixed" }, "TypeError", /`burst`/],
    [{ permits: 1, per: 1, window: "rolling" }, "TypeError", /`window` to be "fixed" or "sliding"/],
    [{ permits: 2 ** 21, per: 1, window: "sliding" }, "RangeError", /`permits`/],
    [{ permits: 1, per: 1, clock: {} }, "TypeError", /`clock`/],
    [{ permits: 1, per: 1, bursts: 2 }, "TypeError", /did you mean `burst`/],
  ]
  for (const [options, name, message] of wrong)
    assert.throws(() => new RateLimiter(options as RateLimiterOptions), { name, message })
})

for (const window of WINDOWS) {
  const kind = window ?? "bucket"

  test(`[RL5] [RL10] requests are met in order, each as early as can be: ${kind}`, async () => {
    const clock = new ManualClock()
    const it = limiter(4, 1000, window, clock)
    const order: string[] = []
    const ask = async (name: string, permits: number): Promise<void> => {
      await it.acquire(permits)
      order.push(`${name} ${clock.now}`)
    }
    const all = [ask("a", 4), ask("b", 3), ask("c", 1), ask("d", 2)]
    assert.equal(it.queueLength, 3)
    assert.equal(it.hasQueuedThreads, true)
    await clock.advance(10_000)
    await Promise.all(all)
    assert.deepEqual(
      order,
      window === undefined ? ["a 0", "b 750", "c 1000", "d 1500"] : ["a 0", "b 1000", "c 1000", "d 2000"],
    )
  })

  test(`[RL6] [RL10] a newcomer does not overtake: ${kind}`, async () => {
    const clock = new ManualClock()
    const it = limiter(2, 1000, window, clock)
    assert.equal(it.tryAcquire(), true)
    const large = new Call(it.acquire(2))
    assert.equal(it.tryAcquire(), false)
    await large.waits()
    await clock.advance(1000)
    await large.ends()
    assert.equal(it.queueLength, 0)
  })

  test(`[RL11] one who gives up takes nothing, and passes its turn on: ${kind}`, async () => {
    const clock = new ManualClock()
    const it = limiter(2, 1000, window, clock)
    await it.acquire()
    const abort = new AbortController()
    const large = it.acquire(2, { signal: abort.signal })
    const small = new Call(it.acquire())
    await small.waits()
    abort.abort(new Error("no more"))
    assert.equal(((await rejectionOf(large)) as Error).message, "no more")
    await small.ends()
    await clock.advance(1000)
    assert.equal(it.availablePermits, 2)
  })

  test(`[RL13] an interrupt and an abort take no permit: ${kind}`, async () => {
    const it = limiter(2, 1000, window)
    const task = new Task()
    task.flow.interrupt()
    assert.equal(((await rejectionOf(task.do(() => it.acquire()))) as Error).name, "InterruptedError")
    assert.equal(task.flow.isInterrupted, false)
    assert.equal(
      ((await rejectionOf(it.acquire(1, { signal: AbortSignal.abort(new Error("x")) }))) as Error).message,
      "x",
    )
    assert.equal(taken(it), 2)
    const waiting = task.do(() => it.acquire())
    task.flow.interrupt()
    assert.equal(((await rejectionOf(waiting)) as Error).name, "InterruptedError")
    assert.equal(it.queueLength, 0)
  })

  test(`[RL12] a time limit ends the wait: ${kind}`, async () => {
    const it = limiter(1, 1000, window)
    it.acquireSync()
    for (const ms of [-1, 0, 1]) {
      assert.equal(((await rejectionOf(it.acquire(1, ms))) as Error).name, "TimeoutError")
      assert.throws(() => it.acquireSync(1, ms), {
        name: "TimeoutError",
        message: /^Did not acquire RateLimiter@\d+ within /,
      })
    }
    assert.equal(it.queueLength, 0)
  })

  test(`[RL15] all threads together keep to the limit: ${kind}`, async () => {
    const it = new RateLimiter({ permits: 6, per: 60, ...(window === undefined ? {} : { window }) })
    await using pool = Executors.newFixedThreadPool(2)
    const block = (l: RateLimiter): void => l.acquireSync()
    const wait = (l: RateLimiter): Promise<void> => l.acquire()
    const begin = performance.now()
    await Promise.all(Array.from({ length: 30 }, (_, i) => pool.submit(i % 2 === 0 ? block : wait, it)))
    // 6 permits are there at once, and a busy machine makes it only longer. A fixed window may end soon after the begin.
    const least = window === undefined ? 24 * 10 : 3 * 60
    assert.ok(performance.now() - begin >= least)
  })
}

test("[RL7] what can never be met is refused, and changes nothing", async () => {
  const it = limiter(2, 1000)
  for (const wrong of [0, -1, 0.5, 3, Number.NaN]) {
    assert.throws(() => it.tryAcquire(wrong), RangeError)
    assert.throws(() => it.acquireSync(wrong), RangeError)
    assert.ok((await rejectionOf(it.acquire(wrong))) instanceof RangeError)
  }
  assert.throws(() => it.tryAcquire("1" as unknown as number), TypeError)
  assert.equal(it.availablePermits, 2)
})

test("[RL8] it says what it allows", () => {
  const it = new RateLimiter({ permits: 30, per: 60_000, burst: 5 })
  assert.deepEqual([it.rate, it.permits, it.per, it.burst, it.window], [0.5, 30, 60_000, 5, undefined])
  assert.equal(new RateLimiter({ permits: 3, per: 1, window: "sliding" }).window, "sliding")
  assert.equal(new RateLimiter({ permits: 3, per: 1, window: "fixed" }).burst, 3)
  assert.match(String(it), /^RateLimiter@\d+\[30 in 60000 ms\]$/)
})

test("[RL14] a task gets the same limiter", async () => {
  const it = new RateLimiter({ permits: 3, per: 3_600_000 })
  await using pool = Executors.newFixedThreadPool(1)
  assert.equal(await pool.submit((l: RateLimiter) => l.tryAcquire(2), it), true)
  assert.equal(it.availablePermits, 1)
  assert.equal(RateLimiter.from(it.handle).availablePermits, 1)
  for (const wrong of [null, 1, {}, new Semaphore(1)])
    assert.throws(() => RateLimiter.from(wrong as Shared), {
      name: "TypeError",
      message: /the handle of a RateLimiter/,
    })
})

test("[RL16] a limiter with a clock stays in its thread", async () => {
  const it = limiter(1, 1000)
  assert.throws(() => it.handle, NotSerializableError)
  await using pool = Executors.newFixedThreadPool(1)
  assert.throws(() => pool.submit((l: RateLimiter) => l.rate, it), NotSerializableError)
  it.acquireSync()
  assert.throws(() => it.acquireSync(), { name: "IllegalStateError" })
})
