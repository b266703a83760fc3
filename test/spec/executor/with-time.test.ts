/** with({ timeout, queueTimeout }). */
import { Executors, ExecutorCompletionService, FutureTask, InterruptedError, TimeoutError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { FakeClock } from "../../support/fake-clock.ts"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { all, Lab } from "./support.ts"

/** Long beside anything a test does: never runs out. */
const AMPLE = 1_000_000

test("[WO10] a task that takes too long fails with TimeoutError and its thread is interrupted", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  let heard: unknown
  const future = pool.with({ timeout: 2 }).submit(async () => {
    await gate.interruptible().catch((error: unknown) => (heard = error))
  })
  const error = await rejectionOf(future)
  assert.ok(error instanceof TimeoutError)
  assert.equal(error.message, "The task did not end within 2 ms")
  assert.equal(future.state, "failed")
  await eventually(() => heard !== undefined)
  assert.ok(heard instanceof InterruptedError)
  assert.equal(await pool.submit(() => "next"), "next")
})

test("[WO10] a task that ignores the interrupt has failed all the same, and keeps its thread until it ends", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  const future = pool.with({ timeout: 1 }).submit(gate.body)
  const next = pool.submit(() => "next")
  assert.ok((await rejectionOf(future)) instanceof TimeoutError)
  await turns()
  assert.equal(next.state, "running")
  gate.open("dropped")
  assert.equal(await next, "next")
  assert.ok(future.exceptionNow() instanceof TimeoutError)
})

test("[WO11] the time of a task counts from its start, not from its submission", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  pool.submit(gate.body)
  const future = pool.with({ timeout: 1 }).submit(() => "in time")
  // A longer limit that began later is over now: had the first one begun with the submission, it would be over too.
  assert.ok((await rejectionOf(pool.with({ queueTimeout: 20 }).submit(() => 1))) instanceof TimeoutError)
  assert.equal(future.state, "running")
  gate.open()
  assert.equal(await future, "in time")
})

test("[WO12] a task that waits too long leaves the queue, fails with TimeoutError and never runs", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  pool.submit(gate.body)
  let runs = 0
  const future = pool.with({ queueTimeout: 2 }).submit(() => ++runs)
  assert.equal(pool.queue.size, 1)
  const error = await rejectionOf(future)
  assert.ok(error instanceof TimeoutError)
  assert.equal(error.message, "The task did not start within 2 ms")
  assert.deepEqual([future.state, pool.queue.size], ["failed", 0])
  gate.open()
  assert.equal(await pool.submit(() => "after"), "after")
  assert.equal(runs, 0)
})

test("[WO13] once a task has started, the limit of its wait is no more", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const gate = lab.gate()
  const future = pool.with({ queueTimeout: 1 }).submit(gate.interruptible)
  await gate.entered()
  // A longer limit that began later is over now: were the first one still ticking, it would be over too.
  assert.ok((await rejectionOf(pool.with({ timeout: 20 }).submit(lab.gate().interruptible))) instanceof TimeoutError)
  assert.equal(future.state, "running")
  gate.open("whole")
  assert.equal(await future, "whole")
})

test("[WO14] with both limits each counts in its time", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const view = pool.with({ queueTimeout: 5, timeout: 2 })
  const gate = lab.gate()
  const running = view.submit(gate.body) // ignores its interrupt: the thread stays busy
  const waiting = view.submit(() => "never")
  const [first, second] = [await rejectionOf(running), await rejectionOf(waiting)]
  assert.ok(first instanceof TimeoutError && second instanceof TimeoutError)
  assert.match(first.message, /did not end within 2 ms/)
  assert.match(second.message, /did not start within 5 ms/)
})

test("[WO15] a task's timers end with it, however it ends", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  using clock = new FakeClock()
  const view = pool.with({ timeout: AMPLE, queueTimeout: AMPLE })
  await view.submit(() => 1)
  assert.equal(clock.ticking, 0, "after success")
  await rejectionOf(view.submit(() => Promise.reject(new Error("own"))))
  assert.equal(clock.ticking, 0, "after failure")
  const gate = lab.gate()
  const running = view.submit(gate.interruptible)
  await gate.entered()
  const waiting = view.submit(() => 1)
  assert.equal(clock.ticking, 2, "one runs, one waits")
  waiting.cancel()
  assert.equal(clock.ticking, 1, "after cancel of the waiting one")
  running.cancel(true)
  assert.equal(clock.ticking, 0, "after cancel of the running one")
  await eventually(() => gate.inside === 0)
  const stubborn = lab.gate()
  pool.submit(stubborn.body)
  await stubborn.entered()
  view.submit(() => 1)
  view.execute(() => 1)
  assert.equal(clock.ticking, 2, "two wait")
  pool.shutdownNow()
  assert.equal(clock.ticking, 0, "after shutdownNow")
  assert.throws(() => view.submit(() => 1))
  assert.throws(() => view.execute(() => 1))
  assert.equal(clock.ticking, 0, "after refusal")
})

test("[WO16] Infinity is no limit, and costs no timer", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  using clock = new FakeClock()
  const gate = lab.gate()
  const view = pool.with({ timeout: Infinity, queueTimeout: Infinity })
  const future = view.submit(gate.body)
  view.submit(() => 1)
  await gate.entered()
  assert.equal(clock.ticking, 0)
  gate.open("done")
  assert.equal(await future, "done")
})

test("[WO17] limits hold for every task of invokeAll, invokeAny and map", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const view = pool.with({ timeout: 2 })
  const gate = lab.gate()
  const futures = await view.invokeAll<unknown>([() => "quick", gate.interruptible, gate.interruptible])
  assert.deepEqual(
    futures.map((future) => future.state),
    ["success", "failed", "failed"],
  )
  assert.ok((await rejectionOf(view.invokeAny([gate.interruptible, gate.interruptible]))) instanceof TimeoutError)
  assert.ok((await rejectionOf(all(view.map(gate.interruptible, [1, 2])))) instanceof TimeoutError)
})

test("[WO17] who waits for a task that is over its limit hears of it at once, though the task goes on", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const view = pool.with({ timeout: 1 })
  const gate = lab.gate()
  const service = new ExecutorCompletionService<unknown>(view)
  const future = service.submit(gate.body)
  const completion = await service.take()
  assert.equal(completion.future, future)
  assert.ok(completion.status === "rejected" && completion.reason instanceof TimeoutError)
  assert.ok((await rejectionOf(all(view.map(gate.body, [1])))) instanceof TimeoutError)
  assert.equal(gate.inside, 2)
})

test("[WO17] a task of a completion service that waits too long is delivered and leaves the queue", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  pool.submit(gate.body)
  const service = new ExecutorCompletionService<number>(pool.with({ queueTimeout: 1 }))
  service.submit(() => 1)
  const completion = await service.take()
  assert.ok(completion.status === "rejected" && completion.reason instanceof TimeoutError)
  assert.equal(pool.queue.size, 0)
})

test("[WO17] limits hold through a wrapper too", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newSingleThreadExecutor(lab.factory))
  const gate = lab.gate()
  const view = executor.with({ timeout: 1 })
  assert.ok((await rejectionOf(view.submit(gate.interruptible))) instanceof TimeoutError)
  const service = new ExecutorCompletionService<unknown>(view)
  service.submit(gate.interruptible)
  const completion = await service.take()
  assert.ok(completion.status === "rejected" && completion.reason instanceof TimeoutError)
})

test("[WO8] a future of one's own has the limits of the view that executes it", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  const task = new FutureTask(gate.interruptible)
  pool.with({ timeout: 1 }).execute(task)
  assert.ok((await rejectionOf(task)) instanceof TimeoutError)
})
