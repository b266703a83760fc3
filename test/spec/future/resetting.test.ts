import { Thread } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Gate } from "../../support/harness.ts"
import { counted, OpenTask, roads } from "./open-task.ts"

test("[FT16] runAndReset() runs the body again and again and never completes the task", () => {
  const body = counted(() => "ignored")
  const task = new OpenTask(body)
  for (let i = 1; i <= 5; i++) {
    assert.equal(task.runAndReset(), true)
    assert.equal(body.calls, i)
    assert.equal(task.state, "running")
  }
  assert.deepEqual(task.calls, [])
})

test("[FT16] with an asynchronous body it gives a promise of true", async () => {
  const gate = new Gate()
  const task = new OpenTask(gate.body)
  const first = task.runAndReset()
  assert.ok(first instanceof Promise)
  gate.open()
  assert.equal(await first, true)
  assert.equal(await task.runAndReset(), true)
  assert.equal(gate.entries, 2)
  assert.deepEqual([task.state, task.calls], ["running", []])
})

test("[FT17] a body that fails completes the task", async () => {
  const error = new Error("in vain")
  const throwing = new OpenTask(() => {
    throw error
  })
  const rejecting = new OpenTask(() => Promise.reject(error))
  assert.equal(throwing.runAndReset(), false)
  assert.equal(await rejecting.runAndReset(), false)
  for (const task of [throwing, rejecting]) {
    assert.equal(task.exceptionNow(), error)
    assert.deepEqual(task.calls, ["setException", "done"])
    assert.equal(task.runAndReset(), false)
  }
})

test("[FT17] a body that fails the second time had its first run", () => {
  const body = counted(() => {
    if (body.calls === 2) throw new Error("the second time")
  })
  const task = new OpenTask(body)
  assert.deepEqual([task.runAndReset(), task.runAndReset(), task.runAndReset()], [true, false, false])
  assert.equal(body.calls, 2)
})

for (const { road, take } of roads) {
  test(`[FT18] after ${road} runAndReset() gives false and does not call the body`, async () => {
    const body = counted(() => 1)
    const task = new OpenTask<unknown>(body)
    await take(task)
    const { calls } = body
    assert.equal(task.runAndReset(), false)
    assert.equal(body.calls, calls)
  })
}

test("[FT18] completed while the body runs, it gives false in the end", async () => {
  for (const { road, take } of roads.filter((each) => each.road !== "run")) {
    const inside: OpenTask<unknown> = new OpenTask<unknown>((): unknown => take(inside))
    assert.equal(inside.runAndReset(), false, road)

    const gate = new Gate()
    const task = new OpenTask<unknown>(gate.body)
    const running = task.runAndReset()
    await take(task)
    gate.open()
    assert.equal(await running, false, road)
    assert.equal(gate.passed, 1)
  }
  assert.equal(Thread.interrupted(), true) // by cancel(true), for this test ran the bodies
})

test("[FT19] while the body runs nobody else can run it, by run or by runAndReset", async () => {
  const gate = new Gate()
  const task = new OpenTask<unknown>(gate.body)
  for (const begin of [() => task.runAndReset(), () => task.run()]) {
    const running = begin()
    assert.equal(task.runAndReset(), false)
    assert.equal(task.run(), undefined)
    gate.open("value")
    await running
  }
  assert.equal(gate.entries, 2)
  assert.equal(task.resultNow(), "value")
})

test("[FT19] from inside the body neither run nor runAndReset has an effect", () => {
  const inside: unknown[] = []
  const body = counted((): void => {
    inside.push(task.run(), task.runAndReset())
  })
  const task: OpenTask<void> = new OpenTask(body)
  assert.equal(task.runAndReset(), true)
  assert.deepEqual(inside, [undefined, false])
  assert.equal(body.calls, 1)
})
