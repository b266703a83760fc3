import {
  CancellationError,
  Executors,
  FutureTask,
  TimeoutError,
  UnsupportedOperationError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Gate, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { Threads } from "../thread/threads.ts"
import { OpenTask, roads } from "./open-task.ts"

const NO_WAIT = [0, -0, -1, Number.MIN_SAFE_INTEGER, -Number.MAX_VALUE, -Infinity]

test("[FT28] get() gives the value any number of times, whatever it is", async () => {
  for (const value of [1, 0, "", null, undefined, NaN, { an: "object" }, () => 1, new Error("returned, not thrown")]) {
    const task = new FutureTask<unknown>(() => value)
    await task.run()
    for (const get of [() => task.get(), () => task.get(), () => task.get(0), () => task.get({ timeout: 5 })]) {
      assert.ok(Object.is(await get(), value))
    }
  }
})

test("[FT29] get() of a failed task rejects with the very error", async () => {
  const error = new Error("in vain")
  const task = new FutureTask(() => {
    throw error
  })
  await task.run()
  for (const get of [task.get(), task.get(10), task.get(0), task.get({})]) assert.equal(await rejectionOf(get), error)
})

test("[FT30] get() of a cancelled task rejects with CancellationError", async () => {
  for (const mayInterrupt of [false, true]) {
    const task = new FutureTask(() => 1)
    task.cancel(mayInterrupt)
    for (const get of [task.get(), task.get(10), task.get(0)]) {
      const error = await rejectionOf(get)
      assert.ok(error instanceof CancellationError)
      assert.equal("cause" in error, false)
    }
  }
})

test("[FT30] the reason of an abort is the cause of the CancellationError", async () => {
  await using threads = new Threads()
  const pool = Executors.newFixedThreadPool(1, threads.factory)
  const controller = new AbortController()
  const gate = new Gate()
  const running = pool.with({ signal: controller.signal }).submit(gate.interruptible)
  const waiting = running.get()
  await gate.entered()
  const reason = new Error("no longer wanted")
  controller.abort(reason)
  for (const get of [waiting, running.get()]) {
    const error = await rejectionOf(get)
    assert.ok(error instanceof CancellationError)
    assert.equal(error.cause, reason)
  }
  await pool.close()
})

for (const { road, state, take } of roads) {
  test(`[FT31] those who wait are woken by ${road}`, async () => {
    await using threads = new Threads()
    const task = new OpenTask<unknown>(() => "value")
    const waiters = [
      threads.call(() => task.get()),
      threads.call(() => task.get(60_000)),
      threads.call(async () => await task),
    ]
    await turns()
    await take(task)
    const outcomes = await Promise.allSettled(waiters.map(({ outcome }) => outcome))
    for (const outcome of outcomes) {
      assert.equal(outcome.status === "fulfilled", state === "success")
      if (outcome.status === "fulfilled") assert.equal(outcome.value, task.resultNow())
      else if (state === "failed") assert.equal(outcome.reason, task.exceptionNow())
      else assert.ok(outcome.reason instanceof CancellationError)
    }
  })
}

test("[FT31] those who wait are woken when another thread has run an asynchronous body to its end", async () => {
  await using threads = new Threads()
  const gate = new Gate()
  const task = new FutureTask(gate.body)
  const waiters = [threads.call(() => task.get()), threads.call(() => task.get(60_000))]
  threads.start(task)
  await gate.entered()
  gate.open("value")
  assert.deepEqual(await Promise.all(waiters.map(({ outcome }) => outcome)), ["value", "value"])
})

test("[FT32] ten thousand waiters are all woken, in the order in which they came", async () => {
  const task = new FutureTask(() => "value")
  const count = 10_000
  const order: number[] = []
  const waits = Array.from({ length: count }, async (_, i) => {
    const value = await (i % 2 === 0 ? task.get() : task.get(600_000))
    order.push(i)
    return value
  })
  await task.run()
  assert.deepEqual(new Set(await Promise.all(waits)), new Set(["value"]))
  assert.deepEqual(
    order,
    Array.from({ length: count }, (_, i) => i),
  )
})

test("[FT33] get(ms) rejects with TimeoutError when the time is up and not before, and the task goes on", async () => {
  using clock = new FakeClock()
  const gate = new Gate()
  const task = new FutureTask(gate.body)
  const running = task.run()
  const seen: string[] = []
  const limits = [10, 10.25, 20, { timeout: 30 }]
  const waits = limits.map(async (limit) => {
    const error = await rejectionOf(task.get(limit))
    assert.ok(error instanceof TimeoutError)
    seen.push(`${JSON.stringify(limit)} at ${Math.floor(clock.now - 1000)}`)
  })
  for (let ms = 0; ms < 40; ms++) {
    await turns(1)
    clock.advance(1)
  }
  await Promise.all(waits)
  assert.deepEqual(seen, ["10 at 10", "10.25 at 11", "20 at 20", '{"timeout":30} at 30'])
  assert.equal(task.state, "running")
  assert.equal(clock.ticking, 0)
  gate.open("value")
  await running
  assert.equal(await task.get(1), "value")
})

test("[FT33] a wait that ends in time takes its timer with it", async () => {
  using clock = new FakeClock()
  const task = new FutureTask(() => "value")
  const wait = task.get(1000)
  assert.equal(clock.ticking, 1)
  await task.run()
  assert.equal(clock.ticking, 0)
  assert.equal(await wait, "value")
})

test("[FT34] a limit of zero or less does not wait", async () => {
  using clock = new FakeClock()
  const task = new FutureTask(() => "value")
  for (const limit of NO_WAIT) assert.ok((await rejectionOf(task.get(limit))) instanceof TimeoutError)
  for (const timeout of NO_WAIT) assert.ok((await rejectionOf(task.get({ timeout }))) instanceof TimeoutError)
  assert.equal(task.state, "running")
  await task.run()
  for (const limit of NO_WAIT) assert.equal(await task.get(limit), "value")
  assert.deepEqual(clock.delays, [])
})

test("[FT34] Infinity is no limit", async () => {
  using clock = new FakeClock()
  const task = new FutureTask(() => "value")
  const waits = [task.get(Infinity), task.get({ timeout: Infinity })]
  clock.advance(Number.MAX_SAFE_INTEGER)
  await turns()
  assert.deepEqual(clock.delays, [])
  await task.run()
  assert.deepEqual(await Promise.all(waits), ["value", "value"])
})

test("[FT35] wrong options are refused, done or not", async () => {
  const done = new FutureTask(() => 1)
  await done.run()
  for (const task of [done, new FutureTask(() => 1)]) {
    for (const wrong of ["1", 1n, null, true, () => 1, { timeout: "1" }, { timeout: null }]) {
      const error = await rejectionOf(task.get(wrong as unknown as number))
      assert.ok(error instanceof TypeError)
      assert.match(error.message, /^Expected `timeout` to be a number of milliseconds.*, got /)
    }
    for (const wrong of [NaN, { timeout: NaN }]) {
      const error = await rejectionOf(task.get(wrong))
      assert.ok(error instanceof RangeError)
      assert.equal(error.message, "Expected `timeout` to be a number of milliseconds, got NaN")
    }
    for (const signal of [null, {}, new AbortController(), "abort"]) {
      const error = await rejectionOf(task.get({ signal: signal as AbortSignal }))
      assert.ok(error instanceof TypeError)
      assert.match(error.message, /^Expected `signal` to be an AbortSignal, got /)
    }
    assert.throws(() => task.getSync(NaN), RangeError)
    assert.throws(() => task.getSync("1" as unknown as number), TypeError)
  }
})

test("[FT39] getSync() of a task that is done gives what get() gives", () => {
  const [succeeded, failed, cancelled] = [new OpenTask<unknown>(() => 1), new OpenTask(() => 1), new OpenTask(() => 1)]
  const value = { a: "value" }
  const error = new Error("in vain")
  succeeded.set(value)
  failed.setException(error)
  cancelled.cancel()
  for (const limit of [undefined, 0, 10, Infinity]) {
    assert.equal(succeeded.getSync(limit), value)
    assert.equal(
      thrownBy(() => failed.getSync(limit)),
      error,
    )
    assert.ok(thrownBy(() => cancelled.getSync(limit)) instanceof CancellationError)
  }
})

test("[FT39] getSync() of a task that is not done does not block the loop that has to run it", async () => {
  const task = new FutureTask(() => 1)
  for (const limit of [undefined, 1, Infinity]) {
    const error = thrownBy(() => task.getSync(limit))
    assert.ok(error instanceof UnsupportedOperationError)
    assert.match(error.message, /await future\.get\(\)/)
  }
  for (const limit of NO_WAIT) assert.ok(thrownBy(() => task.getSync(limit)) instanceof TimeoutError)
  const pool = Executors.newFixedThreadPool(1, virtualThreads())
  const inside = pool.submit(() => task.getSync())
  assert.ok((await rejectionOf(inside)) instanceof UnsupportedOperationError)
  await pool.close()
})
