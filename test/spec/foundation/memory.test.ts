import { add, compareAndSet, exchange, load, store } from "#src/memory/atomics.js"
import { Counter } from "#src/memory/structures/counter.js"
import { nextIndex, nextPage } from "#src/memory/words.js"
import { FutureTask } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Worker } from "node:worker_threads"

const memories: Readonly<Record<string, (length: number) => Int32Array>> = {
  ordinary: (length) => new Int32Array(length),
  shared: (length) => new Int32Array(new SharedArrayBuffer(4 * length)),
}

test("[MW18] every word is zero and nobody else's, over many pages", () => {
  const taken = new Map<Int32Array, Set<number>>()
  for (let i = 0; i < 5000; i++) {
    const page = nextPage()
    const index = nextIndex()
    assert.ok(index < page.length)
    assert.equal(page[index], 0)
    page[index] = -1
    const indices = taken.get(page) ?? new Set()
    assert.ok(!indices.has(index))
    taken.set(page, indices.add(index))
  }
  assert.ok(taken.size > 10)
})

test("[MW18] futures made in one breath do not share their state", () => {
  const tasks = Array.from({ length: 2000 }, () => new FutureTask(() => 1))
  for (const [i, task] of tasks.entries()) if (i % 3 === 0) task.cancel()
  for (const [i, task] of tasks.entries()) assert.equal(task.isDone, i % 3 === 0)
})

for (const [kind, words] of Object.entries(memories)) {
  test(`[MW19] a counter carries at 2³² and goes on, in ${kind} memory`, () => {
    const block = words(4)
    const counter = new Counter(block, 1)
    assert.equal(counter.value, 0)
    for (const start of [0, 2 ** 31 - 2, 2 ** 31 - 1, 2 ** 32 - 2, 2 ** 32 - 1, 5 * 2 ** 32 - 1, 2 ** 53 - 4]) {
      block[1] = start % 2 ** 32
      block[2] = Math.floor(start / 2 ** 32)
      assert.equal(counter.value, start)
      for (let i = 1; i <= 3; i++) {
        counter.increment()
        assert.equal(counter.value, start + i)
      }
    }
    assert.deepEqual([block[0], block[3]], [0, 0])
  })

  test(`[MW20] the atomic operations, in ${kind} memory`, () => {
    const block = words(3)
    store(block, 1, 5)
    assert.equal(load(block, 1), 5)
    assert.equal(add(block, 1, 2), 5)
    assert.equal(add(block, 1, -10), 7)
    assert.equal(exchange(block, 1, 9), -3)
    assert.equal(compareAndSet(block, 1, 8, 1), false)
    assert.equal(load(block, 1), 9)
    assert.equal(compareAndSet(block, 1, 9, -1), true)
    assert.deepEqual([...block], [0, -1, 0])
    store(block, 1, 2 ** 31 - 1)
    assert.equal(add(block, 1, 1), 2 ** 31 - 1)
    assert.equal(load(block, 1), -(2 ** 31))
  })
}

test("[MW19] two threads that count across the carry lose nothing", async () => {
  const block = new Int32Array(new SharedArrayBuffer(12))
  const each = 50_000
  block[0] = -each
  const script = `
    const { workerData: { block, each, url }, parentPort } = require("node:worker_threads")
    import(url).then(({ Counter }) => {
      const counter = new Counter(block, 0)
      Atomics.add(block, 2, 1)
      while (Atomics.load(block, 2) < 2);
      for (let i = 0; i < each; i++) counter.increment()
      parentPort.postMessage("done")
    })`
  const workerData = { block, each, url: import.meta.resolve("#src/memory/structures/counter.js") }
  await Promise.all(
    [1, 2].map(() => {
      const worker = new Worker(script, { eval: true, workerData })
      return new Promise((resolve, reject) => {
        worker.once("message", resolve)
        worker.once("error", reject)
      })
    }),
  )
  assert.equal(new Counter(block, 0).value, 2 ** 32 + each)
})
