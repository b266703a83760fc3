/** Who hands out arguments, and who gets them: threads that block, workers among themselves, threads that end, strangers. */
import { Executors, tasksOf } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import { Workers } from "../../support/workers.ts"

const module = new URL("tasks.js", import.meta.url)
const tasks = tasksOf<typeof import("./tasks.ts")>(module)
const same = tasks.same as unknown as <T>(value: T) => T // references to generic functions are not generic

test("[TX12] a thread that blocks hands out arguments and receives results", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  for (let round = 0; round < 20; round++) {
    const bytes = new Uint8Array(1000).fill(2)
    const view = new Int32Array(new SharedArrayBuffer(4))
    const moved = pool.with({ transfer: [bytes.buffer] }).submit(tasks.sum, bytes)
    const shared = pool.submit(tasks.addTo, view, 0, round)
    assert.deepEqual(moved.getSync(), [2000, 1000])
    assert.equal(shared.getSync(), 0)
    assert.equal(view[0], round)
    assert.equal(pool.submit(tasks.filled, 100, round).getSync()[99], round)
    assert.deepEqual([...pool.submit(tasks.newShared).getSync().view], [7, 7, 7, 7])
  }
})

test("[TX13] shared things between workers", async () => {
  await using pool = Executors.newFixedThreadPool(3)
  assert.deepEqual(await pool.submit(tasks.spread, pool, 30), [30, true])
})

test("[TX13] moved and large things between workers of one pool, and of two", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  await using other = Executors.newFixedThreadPool(1)
  for (const target of [pool, other]) {
    const arrived = new SharedCount()
    const outcome = await pool.submit(tasks.sendOn, target, String(module), arrived.index)
    assert.deepEqual(outcome, [0, false, 3000, 9, 20_000_000])
    assert.equal(arrived.value, 1)
  }
})

for (const size of [1, 2]) {
  test(`[TX13] a task blocks for tasks of its own pool, which has ${size} threads`, async () => {
    await using pool = Executors.newFixedThreadPool(size)
    assert.deepEqual(await pool.submit(tasks.blockForOwn, pool), [0, 100, 5])
  })
}

test("[TX14] a task whose submitter has ended is not run, and the pool goes on", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  await using other = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  const count = new SharedCount()
  const busy = pool.submit(tasks.pass, gate.index)
  await gate.reached()
  await assert.rejects(async () => await other.submit(tasks.submitAndExit, pool, count.index), {
    name: "ThreadDeathError",
  })
  gate.open()
  await busy
  assert.equal(await pool.submit(same, 1), 1)
  assert.equal(count.value, 0)
})

test("[TX15] a thread of another maker uses a pool for what can be written down", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  await using workers = new Workers()
  const hand = workers.run(new URL("stranger.workers.js", import.meta.url), "submitAll", pool, String(module))
  assert.deepEqual(await hand.result, [
    7,
    "NotSerializableError",
    "NotSerializableError",
    "NotSerializableError",
    1_000_000,
  ])
})
