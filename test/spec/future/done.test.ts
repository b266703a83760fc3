import { COMPLETION } from "#src/future/internals.js"
import { mainFlow } from "#src/memory/flow/flow.js"
import { drive, type Steps, type WaitList } from "#src/memory/flow/waiting.js"
import { Thread } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { collectGarbage } from "../../support/garbage.ts"
import { eventually, Gate, rejectionOf, thrownBy } from "../../support/harness.ts"
import { Threads } from "../thread/threads.ts"
import { OpenTask, roads } from "./open-task.ts"

for (const { road, take } of roads) {
  test(`[FT50] done() is called once by ${road} and not again by what comes later`, async () => {
    const task = new OpenTask<unknown>(() => "value")
    assert.equal(task.doneCount, 0)
    await take(task)
    assert.equal(task.doneCount, 1)
    for (const later of roads) await later.take(task)
    await task.runAndReset()
    assert.equal(task.doneCount, 1)
  })
}

test("[FT50] done() is called once if the body fails, at once or later, by run or by runAndReset", async () => {
  const throwing = (): OpenTask<unknown> =>
    new OpenTask(() => {
      throw new Error("in vain")
    })
  const rejecting = (): OpenTask<unknown> => new OpenTask(() => Promise.reject(new Error("in vain")))
  for (const make of [throwing, rejecting]) {
    const [run, reset] = [make(), make()]
    await run.run()
    await reset.runAndReset()
    assert.deepEqual([run.doneCount, reset.doneCount], [1, 1])
  }
})

test("[FT50] done() is called when an asynchronous body has ended and not before", async () => {
  const gate = new Gate()
  const task = new OpenTask(gate.body)
  const running = task.run()
  await gate.entered()
  assert.equal(task.doneCount, 0)
  gate.open()
  await running
  assert.equal(task.doneCount, 1)
})

/** Notes the moment at which a wait for the task is over; a promise would tell later. */
function noteRelease(task: OpenTask<unknown>, order: unknown[]): void {
  const { [COMPLETION]: completion } = task as unknown as { [COMPLETION]: WaitList }
  function* waiting(): Steps<void> {
    yield completion
  }
  const settle = { resolve: () => order.push("released"), reject: (error: unknown) => order.push(error) }
  drive(waiting(), settle, mainFlow, Infinity)
}

test("[FT51] done() finds the state final, those who waited released, and runs in the flow that completed", async () => {
  await using threads = new Threads()
  for (const { road, state, take } of roads) {
    const task = new OpenTask<unknown>(() => "value")
    const order: unknown[] = []
    noteRelease(task, order)
    task.whenDone = () => order.push(task.state, Thread.currentThread())
    const completer = threads.call(() => void take(task))
    await completer.outcome
    assert.deepEqual(order, ["released", state, completer.thread], road)
  }
})

test("[FT51] done() has run when the completing call returns", () => {
  const task = new OpenTask(() => 1)
  const order: string[] = []
  task.whenDone = () => order.push("done")
  task.cancel()
  order.push("cancel returned")
  assert.deepEqual(order, ["done", "cancel returned"])
})

/** A task whose done() throws, with somebody waiting for it. */
function spoilt(body: () => unknown): {
  task: OpenTask<unknown>
  error: Error
  waiter: Promise<PromiseSettledResult<unknown>[]>
} {
  const task = new OpenTask(body)
  const error = new Error("done")
  task.whenDone = () => {
    throw error
  }
  return { task, error, waiter: Promise.allSettled([task.get()]) }
}

for (const { road, state, take } of roads) {
  test(`[FT52] an error of done() leaves ${road}; the outcome stands and reaches who waits`, async () => {
    const { task, error, waiter } = spoilt(() => "value")
    assert.equal(
      thrownBy(() => take(task)),
      error,
    )
    assert.equal(task.state, state)
    assert.equal((await waiter)[0]?.status, state === "success" ? "fulfilled" : "rejected")
    assert.equal(task.doneCount, 1)
  })
}

test("[FT52] an error of done() leaves run() and runAndReset() of a failed body", () => {
  const fail = (): never => {
    throw new Error("in vain")
  }
  const [run, reset] = [spoilt(fail), spoilt(fail)]
  assert.equal(
    thrownBy(() => run.task.run()),
    run.error,
  )
  assert.equal(
    thrownBy(() => reset.task.runAndReset()),
    reset.error,
  )
  for (const { task } of [run, reset]) assert.deepEqual(task.exceptionNow(), new Error("in vain"))
})

test("[FT52] with an asynchronous body the promise of run() or runAndReset() rejects with the error of done()", async () => {
  const succeeding = spoilt(() => Promise.resolve("value"))
  const failing = spoilt(() => Promise.reject(new Error("in vain")))
  const reset = spoilt(() => Promise.reject(new Error("in vain")))
  assert.equal(await rejectionOf(succeeding.task.run() as Promise<void>), succeeding.error)
  assert.equal(await rejectionOf(failing.task.run() as Promise<void>), failing.error)
  assert.equal(await rejectionOf(reset.task.runAndReset() as Promise<boolean>), reset.error)
  assert.equal(succeeding.task.resultNow(), "value")
  for (const { task } of [failing, reset]) assert.equal(task.state, "failed")
})

for (const { road, take } of roads) {
  test(`[FT53] after ${road} the body can be collected while the task lives`, async () => {
    const makeTask = (): [OpenTask<unknown>, WeakRef<object>] => {
      const captured = { large: Array.from({ length: 1000 }, () => 0) }
      return [new OpenTask<unknown>(() => captured.large.length), new WeakRef(captured)]
    }
    const [task, captured] = makeTask()
    await take(task)
    await eventually(() => {
      collectGarbage()
      return captured.deref() === undefined
    })
    assert.ok(task.isDone)
  })
}
