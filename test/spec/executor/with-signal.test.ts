/** with({ signal }). */
import {
  CancellationError,
  ExecutorCompletionService,
  FutureTask,
  InterruptedError,
  ThreadPoolExecutor,
} from "corepool"
import type { Callable } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { all, Lab, listeners, wrong } from "./support.ts"

test("[WO1] a task given with a signal that has aborted is cancelled from the start and reaches no queue", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const reason = new Error("too late")
  const view = pool.with({ signal: AbortSignal.abort(reason) })
  let runs = 0
  const future = view.submit(() => ++runs)
  assert.equal(future.state, "cancelled")
  const error = await rejectionOf(future)
  assert.ok(error instanceof CancellationError)
  assert.equal(error.cause, reason)
  view.execute(() => ++runs)
  const own = new FutureTask(() => ++runs)
  view.execute(own)
  assert.equal(own.state, "cancelled")
  await turns()
  assert.deepEqual([runs, pool.taskCount], [0, 0])
})

test("[WO2] an abort cancels a task that waits, which leaves the queue at once", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  pool.submit(gate.body)
  await gate.entered()
  const controller = new AbortController()
  const view = pool.with({ signal: controller.signal })
  let runs = 0
  const before = pool.submit(() => "before")
  const aborted = view.submit(() => ++runs)
  view.execute(() => ++runs)
  const after = pool.submit(() => "after")
  assert.equal(pool.queue.size, 4)
  const reason = new Error("enough")
  controller.abort(reason)
  assert.equal(pool.queue.size, 2)
  assert.equal(aborted.state, "cancelled")
  const error = await rejectionOf(aborted)
  assert.ok(error instanceof CancellationError)
  assert.equal(error.cause, reason)
  gate.open()
  assert.deepEqual([await before, await after, runs], ["before", "after", 0])
})

test("[WO3] an abort cancels a task that runs and interrupts its thread", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  const controller = new AbortController()
  let heard: unknown
  const future = pool.with({ signal: controller.signal }).submit(async () => {
    await gate.interruptible().catch((error: unknown) => (heard = error))
  })
  await gate.entered()
  controller.abort()
  assert.equal(future.state, "cancelled")
  await eventually(() => heard !== undefined)
  assert.ok(heard instanceof InterruptedError)
  assert.equal(await pool.submit(() => "next"), "next")
})

test("[WO3] a task that ignores the interrupt is cancelled all the same, and keeps its thread until it ends", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  const controller = new AbortController()
  const future = pool.with({ signal: controller.signal }).submit(gate.body)
  const next = pool.submit(() => "next")
  await gate.entered()
  controller.abort()
  assert.equal(future.state, "cancelled")
  await turns()
  assert.equal(next.state, "running")
  gate.open()
  assert.equal(await next, "next")
})

test("[WO4] an abort after the end changes nothing", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const controller = new AbortController()
  const future = pool.with({ signal: controller.signal }).submit(() => "kept")
  assert.equal(await future, "kept")
  controller.abort()
  assert.equal(future.resultNow(), "kept")
  assert.equal(await pool.submit(() => "next"), "next")
})

test("[WO5] a thousand tasks share a signal with one listener, no warning, and none is left in the end", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(4)
  const controller = new AbortController()
  const view = pool.with({ signal: controller.signal })
  const warnings: Error[] = []
  const listen = (warning: Error): number => warnings.push(warning)
  process.on("warning", listen)
  try {
    const gate = lab.gate()
    const futures = Array.from({ length: 1000 }, () => view.submit(gate.body))
    await gate.entered(4)
    assert.equal(listeners(controller.signal), 1)
    gate.open()
    for (const future of futures) await future
    await turns() // a warning is told in a turn of its own
  } finally {
    process.off("warning", listen)
  }
  assert.deepEqual(warnings, [])
  assert.equal(listeners(controller.signal), 0)
})

test("[WO5] a signal is let go however the task ends, and taken up again by the next", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const controller = new AbortController()
  const { signal } = controller
  const view = pool.with({ signal })
  await view.submit(() => 1)
  assert.equal(listeners(signal), 0)
  await rejectionOf(view.submit(() => Promise.reject(new Error("own"))))
  assert.equal(listeners(signal), 0)
  view.submit(() => 1).cancel()
  assert.equal(listeners(signal), 0)
  const gate = lab.gate()
  const last = view.submit(gate.interruptible)
  await gate.entered()
  assert.equal(listeners(signal), 1)
  controller.abort()
  assert.equal(last.state, "cancelled")
  assert.equal(listeners(signal), 0)
  pool.shutdown()
  assert.throws(() => pool.with({ signal: new AbortController().signal }).submit(() => 1))
})

test("[WO6] a refused task leaves nothing on its signal, nor one that shutdownNow returns", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const { signal } = new AbortController()
  const gate = lab.gate()
  pool.submit(gate.body)
  const waiting = pool.with({ signal }).submit(() => 1)
  assert.equal(listeners(signal), 1)
  pool.shutdownNow()
  assert.equal(waiting.state, "cancelled")
  assert.equal(listeners(signal), 0)
  assert.throws(() => pool.with({ signal }).submit(() => 1))
  assert.throws(() => pool.with({ signal }).execute(() => 1))
  assert.equal(listeners(signal), 0)
})

test("[WO7] tasks are cancelled in the order of submission", async () => {
  await using lab = new Lab()
  const order: number[] = []
  class Recording extends ThreadPoolExecutor {
    #made = 0
    protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
      const n = this.#made++
      return new (class extends FutureTask<T> {
        protected override done(): void {
          order.push(n)
        }
      })(callable)
    }
  }
  const pool = lab.adopt(new Recording({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: lab.factory }))
  const gate = lab.gate()
  const controller = new AbortController()
  const view = pool.with({ signal: controller.signal })
  view.submit(gate.interruptible)
  await gate.entered()
  for (let i = 0; i < 4; i++) view.submit(() => i)
  controller.abort()
  assert.deepEqual(order, [0, 1, 2, 3, 4])
})

test("[WO8] a future of one's own, executed through a view, is under its options too", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  const controller = new AbortController()
  const view = pool.with({ signal: controller.signal })
  const running = new FutureTask(gate.interruptible)
  const waiting = new FutureTask(() => "never")
  view.execute(running)
  view.execute(waiting)
  await gate.entered()
  controller.abort()
  assert.deepEqual([running.state, waiting.state, pool.queue.size], ["cancelled", "cancelled", 0])
  await eventually(() => gate.inside === 0)
})

test("[WO9] an abort takes the tasks of a completion service out of the queue and delivers them as cancelled", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  pool.submit(gate.body)
  await gate.entered()
  const controller = new AbortController()
  const service = new ExecutorCompletionService<string>(pool.with({ signal: controller.signal }))
  const future = service.submit(() => "never")
  assert.equal(pool.queue.size, 1)
  assert.equal(service.poll(), undefined)
  const reason = new Error("enough")
  controller.abort(reason)
  assert.equal(pool.queue.size, 0)
  const completion = service.poll()
  assert.equal(completion?.future, future)
  assert.ok(completion.status === "rejected" && completion.reason instanceof CancellationError)
  assert.equal(completion.reason.cause, reason)
})

test("[WO9] with a signal that has aborted a completion service delivers at once", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const service = new ExecutorCompletionService<number>(pool.with({ signal: AbortSignal.abort() }))
  const future = service.submit(() => 1)
  assert.equal(service.poll()?.future, future)
  assert.equal(pool.taskCount, 0)
})

test("[WO9] an abort ends invokeAll with cancelled futures, invokeAny and map with CancellationError", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const reason = new Error("enough")
  const outcomes = [
    (view: ThreadPoolExecutor, body: Callable<unknown>) => view.invokeAny([body, body, body]),
    (view: ThreadPoolExecutor, body: Callable<unknown>) => all(view.map(body, [1, 2, 3])),
  ]
  for (const begin of outcomes) {
    const gate = lab.gate()
    const controller = new AbortController()
    const pending = begin(wrong(pool.with({ signal: controller.signal })), gate.interruptible)
    await gate.entered(2)
    controller.abort(reason)
    const error = await rejectionOf(pending)
    assert.ok(error instanceof CancellationError)
    assert.equal(error.cause, reason)
    assert.equal(pool.queue.size, 0)
    await eventually(() => gate.inside === 0)
    assert.equal(listeners(controller.signal), 0)
  }
  const gate = lab.gate()
  const controller = new AbortController()
  const pending = pool.with({ signal: controller.signal }).invokeAll([gate.interruptible, () => 1, gate.interruptible])
  await gate.entered(2)
  controller.abort()
  const futures = await pending
  assert.deepEqual(
    futures.map((future) => future.state),
    ["cancelled", "success", "cancelled"],
  )
})
