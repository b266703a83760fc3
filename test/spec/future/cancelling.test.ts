import { EXPIRE } from "#src/future/internals.js"
import { CancellationError, Executors, InterruptedError, Thread } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Gate, rejectionOf, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import { Threads } from "../thread/threads.ts"
import { counted, OpenTask, roads, seen } from "./open-task.ts"

for (const mayInterrupt of [undefined, false, true]) {
  test(`[FT20] cancel(${mayInterrupt}) before the start: the body never runs`, async () => {
    const body = counted(() => 1)
    const task = new OpenTask(body)
    assert.equal(task.cancel(mayInterrupt), true)
    void task.run()
    assert.deepEqual([task.isDone, task.isCancelled, task.state], [true, true, "cancelled"])
    assert.equal(body.calls, 0)
    assert.equal(Thread.interrupted(), false)
  })
}

for (const { road, take } of roads) {
  test(`[FT21] after ${road} cancel gives false and changes nothing`, async () => {
    const task = new OpenTask<unknown>(() => "value")
    await take(task)
    const before = await seen(task)
    assert.deepEqual([task.cancel(), task.cancel(false), task.cancel(true)], [false, false, false])
    assert.deepEqual(await seen(task), before)
    assert.equal(Thread.interrupted(), false)
  })
}

for (const mayInterrupt of [undefined, false]) {
  test(`[FT22] cancel(${mayInterrupt}) while running: done at once, and the body is not interrupted`, async () => {
    await using threads = new Threads()
    const gate = new Gate()
    const task = new OpenTask(gate.interruptible)
    const signals: AbortSignal[] = []
    const { thread, outcome } = threads.call(() => {
      signals.push(Thread.currentThread().signal)
      return task.run()
    })
    const untimed = threads.call(() => task.get())
    const timed = threads.call(() => task.get(60_000))
    await gate.entered()

    assert.equal(task.cancel(mayInterrupt), true)
    assert.deepEqual([task.isDone, task.isCancelled], [true, true])
    assert.ok((await rejectionOf(untimed.outcome)) instanceof CancellationError)
    assert.ok((await rejectionOf(timed.outcome)) instanceof CancellationError)
    await turns()
    assert.deepEqual([gate.inside, thread.isInterrupted, signals[0]?.aborted], [1, false, false])
    gate.open()
    await outcome
    assert.equal(gate.passed, 1)
  })
}

test("[FT23] cancel(true) while running: done at once, and the runner is interrupted", async () => {
  await using threads = new Threads()
  const waiting = new OpenTask(() => 1)
  const caught: unknown[] = []
  const signals: AbortSignal[] = []
  const task = new OpenTask(async () => {
    signals.push(Thread.currentThread().signal)
    try {
      await waiting.get()
    } catch (error) {
      caught.push(error)
    }
  })
  const { outcome } = threads.call(() => task.run())
  const untimed = threads.call(() => task.get())
  const timed = threads.call(() => task.get(60_000))
  await turns()
  assert.equal(task.cancel(true), true)
  assert.deepEqual([task.isDone, task.isCancelled, signals[0]?.aborted], [true, true, true])
  assert.ok((await rejectionOf(untimed.outcome)) instanceof CancellationError)
  assert.ok((await rejectionOf(timed.outcome)) instanceof CancellationError)
  await outcome
  assert.ok(caught[0] instanceof InterruptedError)
  assert.equal(waiting.state, "running")
})

test("[FT24] a late value or error of the body of a cancelled task is dropped", async () => {
  await using threads = new Threads()
  for (const mayInterrupt of [false, true]) {
    const [returning, throwing] = [new Gate(), new Gate()]
    const tasks = [new OpenTask(returning.body), new OpenTask(throwing.body)] as const
    const runs = tasks.map((task) => threads.call(() => task.run()))
    await Promise.all([returning.entered(), throwing.entered()])
    for (const task of tasks) task.cancel(mayInterrupt)
    returning.open("late")
    throwing.fail(new Error("late"))
    await Promise.all(runs.map(({ outcome }) => outcome))
    for (const task of tasks) {
      assert.equal(task.state, "cancelled")
      assert.ok((await rejectionOf(task)) instanceof CancellationError)
    }
  }
})

test("[FT25] cancel(true) does not interrupt those who wait for the task, nor the canceller", async () => {
  await using threads = new Threads()
  const gate = new Gate()
  const task = new OpenTask(gate.interruptible)
  const runner = threads.call(() => task.run())
  const flags: boolean[] = []
  const waiter = threads.call(async () => {
    await rejectionOf(task)
    flags.push(Thread.interrupted())
  })
  const canceller = threads.call(async () => {
    await gate.entered()
    task.cancel(true)
    flags.push(Thread.interrupted())
  })
  await Promise.all([runner.outcome, waiter.outcome, canceller.outcome])
  assert.deepEqual(flags, [false, false])
})

test("[FT25] cancel(true) of a finished task does not interrupt the thread that ran it", async () => {
  await using threads = new Threads()
  const gate = new Gate()
  const task = new OpenTask(() => 1)
  const { thread } = threads.call(async () => {
    await task.run()
    await gate.body()
  })
  await gate.entered()
  assert.equal(task.cancel(true), false)
  assert.equal(thread.isInterrupted, false)
  gate.open()
})

test("[FT25] an interrupt that a task did not notice does not hit the next task of the same worker", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const first = pool.submit(gate.body)
  await gate.entered()
  first.cancel(true)
  gate.open()
  const second = pool.submit(async () => [
    Thread.currentThread(),
    Thread.interrupted(),
    Thread.currentThread().signal.aborted,
  ])
  assert.deepEqual(await second, [gate.threads[0], false, false])
})

test("[FT26] a body may cancel its own task; its value or error is then dropped", async () => {
  for (const mayInterrupt of [false, true]) {
    const cancelled: boolean[] = []
    const returning: OpenTask<string> = new OpenTask(() => {
      cancelled.push(returning.cancel(mayInterrupt))
      return "dropped"
    })
    const throwing: OpenTask<string> = new OpenTask(() => {
      cancelled.push(throwing.cancel(mayInterrupt))
      throw new Error("dropped")
    })
    void returning.run()
    assert.equal(Thread.interrupted(), mayInterrupt)
    void throwing.run()
    assert.equal(Thread.interrupted(), mayInterrupt)
    assert.deepEqual(cancelled, [true, true])
    assert.deepEqual([returning.state, throwing.state], ["cancelled", "cancelled"])
  }
})

test("[FT27] a time limit interrupts the runner even if done() throws", async () => {
  await using threads = new Threads()
  const gate = new Gate()
  const task = new OpenTask(gate.interruptible)
  const runner = threads.call(() => task.run())
  await gate.entered()
  task.whenDone = () => {
    throw new Error("done")
  }
  const limit = new Error("too late")
  assert.throws(() => (task as unknown as { [EXPIRE](error: unknown): void })[EXPIRE](limit), /^Error: done$/)
  await runner.outcome
  assert.equal(gate.passed, 1)
  assert.equal(task.exceptionNow(), limit)
})

test("[FT54] a task interrupted by shutdownNow fails, and invokeAll over such tasks ends", async () => {
  await using threads = new Threads()
  const pool = Executors.newCachedThreadPool(threads.factory)
  const gate = new Gate()
  const { outcome } = threads.call(() => pool.invokeAll([gate.interruptible, gate.interruptible, gate.interruptible]))
  await gate.entered(3)
  assert.deepEqual(pool.shutdownNow(), [])
  const futures = await outcome
  assert.deepEqual(
    futures.map((future) => future.state),
    ["failed", "failed", "failed"],
  )
  for (const future of futures) assert.ok(future.exceptionNow() instanceof InterruptedError)
  await pool.close()
})
