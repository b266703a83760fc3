import {
  CANCELLED,
  COMPLETING,
  EXCEPTIONAL,
  INTERRUPTED,
  INTERRUPTING,
  leaveNew,
  NEW,
  NORMAL,
  settle,
  stateOf,
} from "#src/future/task-state.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Worker } from "node:worker_threads"
import { OpenTask, roads, seen } from "./open-task.ts"

/** The word lies in the middle: its neighbours must not be touched. */
const INDEX = 1

const memories = {
  ordinary: () => new Int32Array(3),
  shared: () => new Int32Array(new SharedArrayBuffer(12)),
}

for (const [kind, newWords] of Object.entries(memories)) {
  test(`[FT14] the state word takes the three roads and no other, in ${kind} memory`, () => {
    for (const [first, finals] of [
      [COMPLETING, [NORMAL, EXCEPTIONAL]],
      [INTERRUPTING, [INTERRUPTED]],
      [CANCELLED, []],
    ] as const) {
      for (const final of [undefined, ...finals]) {
        const words = newWords()
        assert.equal(stateOf(words, INDEX), NEW)
        assert.equal(leaveNew(words, INDEX, first), true)
        assert.equal(stateOf(words, INDEX), first)
        if (final !== undefined) settle(words, INDEX, final)
        for (const other of [COMPLETING, CANCELLED, INTERRUPTING] as const) {
          assert.equal(leaveNew(words, INDEX, other), false)
        }
        assert.deepEqual([...words], [0, final ?? first, 0])
      }
    }
  })
}

test("[FT14] the states are numbered in order, so that greater means further", () => {
  const order = [NEW, COMPLETING, NORMAL, EXCEPTIONAL, CANCELLED, INTERRUPTING, INTERRUPTED]
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6])
})

test("[FT14] of several threads that complete the same tasks exactly one wins each", async () => {
  const tasks = 20_000
  const words = new Int32Array(new SharedArrayBuffer(4 * (tasks + 1)))
  const start = tasks
  const script = `
    const { workerData: { words, tasks, start, state }, parentPort } = require("node:worker_threads")
    import(${JSON.stringify(import.meta.resolve("#src/future/task-state.js"))}).then(({ leaveNew }) => {
      Atomics.add(words, start, 1)
      while (Atomics.load(words, start) < 2);
      let won = 0
      for (let i = 0; i < tasks; i++) if (leaveNew(words, i, state)) won++
      parentPort.postMessage(won)
    })`
  const won = await Promise.all(
    [COMPLETING, CANCELLED].map((state) => {
      const worker = new Worker(script, { eval: true, workerData: { words, tasks, start, state } })
      return new Promise<number>((resolve, reject) => {
        worker.once("message", resolve)
        worker.once("error", reject)
      })
    }),
  )
  assert.equal((won[0] ?? 0) + (won[1] ?? 0), tasks)
  const states = words.subarray(0, tasks)
  assert.equal(states.filter((state) => state === COMPLETING).length, won[0])
  assert.equal(states.filter((state) => state === CANCELLED).length, won[1])
})

for (const { road, state, take } of roads) {
  test(`[FT14] after ${road} no other road leads anywhere`, async () => {
    const task = new OpenTask<unknown>(() => "body")
    await take(task)
    const first = await seen(task)
    assert.equal(task.state, state)
    for (const other of roads) {
      await other.take(task)
      assert.deepEqual(await seen(task), first)
    }
    assert.equal(task.doneCount, 1)
  })
}
