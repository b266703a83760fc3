import { bind, type Callable, Executors, FutureTask, type Runnable } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Gate, thrownBy } from "../../support/harness.ts"
import { counted } from "./open-task.ts"

const notFunctions = [undefined, null, 0, "run", {}, [], Symbol("s")]

test("[FT1] what is no function is no callable", () => {
  for (const value of [...notFunctions, { run: () => 1 }]) {
    const error = thrownBy(() => new FutureTask(value as Callable<unknown>))
    assert.ok(error instanceof TypeError)
    assert.match(error.message, /^Expected `callable` to be a function, got /)
  }
})

test("[FT1] what is neither a function nor has a run method is no runnable", () => {
  for (const value of [...notFunctions, { run: 1 }]) {
    const error = thrownBy(() => new FutureTask(value as Runnable, "result"))
    assert.ok(error instanceof TypeError)
    assert.match(error.message, /^Expected `runnable` to be a function or an object with a run\(\) method, got /)
  }
})

test("[FT1] an undefined result is still a result: the first argument is then a runnable", async () => {
  const task = new FutureTask<unknown>(() => "ignored", undefined)
  await task.run()
  assert.deepEqual([task.state, task.resultNow()], ["success", undefined])
})

test("[FT2] a new task has not begun", () => {
  const body = counted(() => 1)
  const task = new FutureTask(body)
  assert.deepEqual([task.isDone, task.isCancelled, task.state, body.calls], [false, false, "running", 0])
})

test("[FT3] a runnable with a result gives that very result", async () => {
  const result = { some: "object" }
  let ran = 0
  const ofFunction = new FutureTask(() => ++ran, result)
  const ofObject = new FutureTask({ run: () => ++ran }, result)
  await ofFunction.run()
  await ofObject.run()
  assert.equal(ofFunction.resultNow(), result)
  assert.equal(ofObject.resultNow(), result)
  assert.equal(ran, 2)
})

test("[FT3] a runnable object is called as a method", () => {
  const runnable = {
    self: undefined as unknown,
    run() {
      this.self = this
    },
  }
  const task = new FutureTask(runnable, 1)
  assert.equal(task.run(), undefined)
  assert.equal(runnable.self, runnable)
})

test("[FT3] an asynchronous runnable is waited for, and its failure is the task's", async () => {
  const gate = new Gate()
  const task = new FutureTask(gate.body, "result")
  const running = task.run()
  assert.equal(task.isDone, false)
  gate.open("ignored")
  await running
  assert.equal(task.resultNow(), "result")

  const failing = new FutureTask(() => Promise.reject(new Error("in vain")), "result")
  await failing.run()
  assert.deepEqual(failing.exceptionNow(), new Error("in vain"))
})

test("[FT4] callable(runnable, result) runs the runnable and gives the result, at every call", async () => {
  const runnable = counted(() => "ignored")
  const callable = Executors.callable(runnable, "result")
  assert.equal(await callable(), "result")
  assert.equal(await callable(), "result")
  assert.equal(runnable.calls, 2)
})

test("[FT4] callable(runnable) gives undefined", async () => {
  const runnable = { run: counted(() => "ignored") }
  const callable: () => unknown = Executors.callable(runnable)
  assert.equal(callable(), undefined)
  assert.equal(runnable.run.calls, 1)
})

test("[FT4] a callable gives its result only after an asynchronous runnable has ended", async () => {
  const gate = new Gate()
  let given: unknown
  const giving = (async () => (given = await Executors.callable(gate.body, "result")()))()
  await gate.entered()
  assert.equal(given, undefined)
  gate.open()
  await giving
  assert.equal(given, "result")
})

test("[FT4] errors of the runnable pass through a callable", async () => {
  const thrown = new Error("thrown")
  const throwing = Executors.callable(() => {
    throw thrown
  })
  assert.equal(thrownBy(throwing), thrown)
  const rejecting = Executors.callable(() => Promise.reject(thrown), 1)
  await assert.rejects(async () => await rejecting(), thrown)
})

test("[FT4] callable() refuses what is no runnable, with and without a result", () => {
  for (const value of notFunctions) {
    assert.throws(() => Executors.callable(value as Runnable), TypeError)
    assert.throws(() => Executors.callable(value as Runnable, 1), TypeError)
  }
})

test("[FT4] a callable goes by the name of the runnable", () => {
  assert.equal(Executors.callable(function nightly() {}, 1).name, "nightly")
})

test("[FT5] bind() gives a function that calls the task with these arguments, at every call", async () => {
  const given: number[][] = []
  function sum(...numbers: number[]): number {
    given.push(numbers)
    return numbers.reduce((a, b) => a + b, 0)
  }
  const bound = bind(sum, 1, 2, 3)
  assert.equal(bound.length, 0)
  assert.match(String(new FutureTask(bound)), /task = sum\]$/)
  assert.deepEqual([await bound(), await bound()], [6, 6])
  assert.deepEqual(given, [
    [1, 2, 3],
    [1, 2, 3],
  ])
  assert.equal(await bind(() => "no arguments")(), "no arguments")
})

test("[FT5] bind() refuses what is no function", () => {
  for (const value of [...notFunctions, { run: () => 1 }]) {
    assert.throws(() => bind(value as (n: number) => unknown, 1), {
      name: "TypeError",
      message: /^Expected `task` to be a function/,
    })
  }
})
