import { Semaphore } from "corepool"
import { threadContext } from "#src/memory/thread/this-thread.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { Workers } from "../../support/workers.ts"

/** Far more than the memory for waits is made for at first. */
const MANY = 3000

test("[MQ6] thousands of flows of one thread are served in order, again and again", async () => {
  const semaphore = new Semaphore(0)
  for (let round = 0; round < 3; round++) {
    const order: number[] = []
    const waits = Array.from({ length: MANY }, async (_, i) => {
      await semaphore.acquire()
      order.push(i)
    })
    assert.equal(semaphore.queueLength, MANY)
    for (let i = 0; i < MANY; i++) semaphore.release()
    await Promise.all(waits)
    assert.deepEqual(
      order,
      Array.from({ length: MANY }, (_, i) => i),
    )
  }
  // Three rounds took no more memory than one.
  assert.ok(threadContext().registry.buffer.byteLength < 4 * 2 ** 20)
})

test("[MQ6] flows of several threads wait in one queue that outgrows its memory", async () => {
  await using workers = new Workers()
  const semaphore = new Semaphore(0)
  const passed = new Int32Array(new SharedArrayBuffer(4))
  const module = new URL("many-waits.workers.js", import.meta.url)
  const hands = [0, 1, 2].map(() => workers.run(module, "waitInFlows", semaphore, passed, MANY))
  const ours = Array.from({ length: MANY }, () => semaphore.acquire())
  await eventually(() => semaphore.queueLength === 4 * MANY)
  semaphore.release(3 * MANY)
  await eventually(() => semaphore.availablePermits === 0)
  assert.equal(semaphore.queueLength, MANY)
  semaphore.release(MANY)
  await Promise.all([...ours, ...hands.map((hand) => hand.result)])
  assert.equal(Atomics.load(passed, 0), 3 * MANY)
})
