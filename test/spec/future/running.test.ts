import { FutureTask, Thread } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Gate } from "../../support/harness.ts"
import { Threads } from "../thread/threads.ts"
import { counted, OpenTask, seen } from "./open-task.ts"

test("[FT6] run() calls the body once, before it returns, and completes the task", async () => {
  const body = counted(() => "value")
  const task = new FutureTask(body)
  assert.equal(task.run(), undefined)
  assert.equal(body.calls, 1)
  assert.deepEqual(await seen(task), { isDone: true, isCancelled: false, state: "success", value: "value" })
})

test("[FT6] the body runs in the flow that calls run()", async () => {
  await using threads = new Threads()
  const task = new FutureTask(() => Thread.currentThread())
  const { thread, outcome } = threads.call(() => task.run())
  await outcome
  assert.equal(task.resultNow(), thread)
})

test("[FT7] an asynchronous body goes on until its promise settles", async () => {
  const gate = new Gate()
  const task = new FutureTask(gate.body)
  const running = task.run()
  assert.ok(running instanceof Promise)
  await gate.entered()
  assert.equal(task.state, "running")
  gate.open("value")
  await running
  assert.equal(task.resultNow(), "value")
})

test("[FT7] run() is fulfilled also if the asynchronous body fails or the task is cancelled", async () => {
  const gate = new Gate()
  const failing = new FutureTask(gate.body)
  const cancelled = new FutureTask(gate.body)
  const running = [failing.run(), cancelled.run()]
  cancelled.cancel()
  gate.fail(new Error("in vain"))
  for (const run of running) await run
  assert.equal(failing.state, "failed")
  assert.equal(cancelled.state, "cancelled")
})

test("[FT7] a body may return any thenable, also another future, whose outcome it takes over", async () => {
  const inner = new FutureTask(() => "inner")
  // oxlint-disable-next-line unicorn/no-thenable -- the least thenable there is
  const thenable = { then: (resolve: (value: string) => void) => resolve("thenable") }
  const ofFuture = new FutureTask(() => inner)
  const ofThenable = new FutureTask(() => thenable as PromiseLike<string>)
  const running = [ofFuture.run(), ofThenable.run()]
  assert.equal(ofFuture.isDone, false)
  await inner.run()
  for (const run of running) await run
  assert.equal(ofFuture.resultNow(), "inner")
  assert.equal(ofThenable.resultNow(), "thenable")
})

test("[FT8] a second run() while the body runs does nothing and does not wait", async () => {
  const gate = new Gate()
  const task = new FutureTask(gate.body)
  const running = task.run()
  assert.equal(task.run(), undefined)
  assert.equal(task.isDone, false)
  gate.open()
  await running
  assert.equal(gate.entries, 1)
})

test("[FT8] run() after completion does nothing, whatever the outcome", async () => {
  const body = counted(() => "value")
  const ran = new OpenTask(body)
  const failed = new OpenTask(body)
  const cancelled = new OpenTask(body)
  void ran.run()
  failed.setException(new Error("set"))
  cancelled.cancel()
  const before = await Promise.all([seen(ran), seen(failed), seen(cancelled)])
  assert.deepEqual([ran.run(), failed.run(), cancelled.run()], [undefined, undefined, undefined])
  assert.deepEqual(await Promise.all([seen(ran), seen(failed), seen(cancelled)]), before)
  assert.equal(body.calls, 1)
})

test("[FT8] run() from inside the body does nothing", () => {
  const inside: unknown[] = []
  const body = counted((): string => {
    inside.push(task.run(), task.isDone)
    return "value"
  })
  const task: FutureTask<string> = new FutureTask(body)
  void task.run()
  assert.deepEqual(inside, [undefined, false])
  assert.equal(body.calls, 1)
  assert.equal(task.resultNow(), "value")
})

test("[FT9] whatever the body throws is the outcome, Error or not", async () => {
  const errors: unknown[] = [
    new Error("e"),
    new RangeError("r"),
    "text",
    0,
    null,
    undefined,
    Symbol("s"),
    { any: "thing" },
  ]
  for (const thrown of errors) {
    const throwing = new FutureTask(() => {
      throw thrown
    })
    const rejecting = new FutureTask(() => Promise.reject(thrown))
    assert.equal(throwing.run(), undefined)
    await rejecting.run()
    for (const task of [throwing, rejecting]) {
      assert.equal(task.state, "failed")
      assert.equal(task.exceptionNow(), thrown)
    }
  }
})

test("[FT10] a body that returns a revoked proxy fails", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const run = new FutureTask(() => proxy)
  const reset = new OpenTask(() => proxy)
  assert.equal(run.run(), undefined)
  assert.equal(reset.runAndReset(), false)
  for (const task of [run, reset]) {
    assert.equal(task.state, "failed")
    assert.ok(task.exceptionNow() instanceof TypeError)
  }
})

test("[FT11] a subclass sees the outcome of a run through set and setException", async () => {
  const succeeding = new OpenTask(() => 1)
  const failing = new OpenTask(() => Promise.reject(new Error("in vain")))
  await succeeding.run()
  await failing.run()
  assert.deepEqual(succeeding.calls, ["set", "done"])
  assert.deepEqual(failing.calls, ["setException", "done"])
})

test("[FT11] of a task that was cancelled meanwhile set and setException are called without effect", async () => {
  const gates = [new Gate(), new Gate()] as const
  const [succeeding, failing] = [new OpenTask(gates[0].body), new OpenTask(gates[1].body)]
  const running = [succeeding.run(), failing.run()]
  succeeding.cancel()
  failing.cancel(true)
  gates[0].open("late")
  gates[1].fail(new Error("late"))
  for (const run of running) await run
  assert.deepEqual(succeeding.calls, ["done", "set"])
  assert.deepEqual(failing.calls, ["done", "setException"])
  assert.deepEqual([succeeding.state, failing.state], ["cancelled", "cancelled"])
  // The interrupt of cancel(true) went to whoever ran the task: this very test.
  assert.equal(Thread.interrupted(), true)
})

test("[FT12] set(value) completes the task for good; the body is never called", async () => {
  const body = counted(() => "body")
  const task = new OpenTask<unknown>(body)
  const value = { set: "outside" }
  task.set(value)
  for (let i = 0; i < 3; i++) {
    assert.equal(await task.get(), value)
    assert.equal(await task.get(0), value)
  }
  void task.run()
  task.set("other")
  task.setException(new Error("other"))
  assert.equal(task.cancel(), false)
  assert.equal(task.runAndReset(), false)
  assert.equal(await task.get(), value)
  assert.equal(body.calls, 0)
})

test("[FT13] setException(error) completes the task for good with that very error", async () => {
  const body = counted(() => "body")
  const task = new OpenTask<unknown>(body)
  const error = new Error("outside")
  task.setException(error)
  for (let i = 0; i < 3; i++) {
    await assert.rejects(task.get(), (given) => given === error)
    await assert.rejects(task.get(0), (given) => given === error)
  }
  void task.run()
  task.set("other")
  task.setException(new Error("other"))
  assert.equal(task.cancel(true), false)
  assert.equal(task.runAndReset(), false)
  await assert.rejects(task.get(), (given) => given === error)
  assert.equal(body.calls, 0)
})
