import { limitFunction, pLimit } from "corepool/compat"
import assert from "node:assert/strict"
import test from "node:test"
import { Gate, rejectionOf, turns } from "../../support/harness.ts"

test("[CT1] [CT2] at most so many run, in order, and never inside the call", async () => {
  const limit = pLimit(2)
  const gate = new Gate()
  const order: number[] = []
  const calls = [1, 2, 3, 4].map((n) =>
    limit(async (value: number) => {
      order.push(value)
      await gate.body()
      return value * 10
    }, n),
  )
  assert.deepEqual(order, [])
  assert.deepEqual([limit.activeCount, limit.pendingCount], [2, 2])
  await turns()
  assert.deepEqual(order, [1, 2])
  gate.open()
  assert.deepEqual(await Promise.all(calls), [10, 20, 30, 40])
  assert.deepEqual(order, [1, 2, 3, 4])
  const error = new Error("of the function")
  assert.equal(await rejectionOf(limit(() => Promise.reject(error))), error)
  assert.equal(
    await rejectionOf(
      limit(() => {
        throw error
      }),
    ),
    error,
  )
  assert.equal(await limitFunction(async (n: number) => n + 1, { concurrency: 1 })(1), 2)
})

test("[CT3] the limit can be changed, and must be one", async () => {
  const limit = pLimit({ concurrency: 1 })
  const gate = new Gate()
  const calls = [1, 2, 3].map(() => limit(gate.body))
  await turns()
  assert.deepEqual([limit.activeCount, limit.pendingCount], [1, 2])
  limit.concurrency = 3
  await turns()
  assert.deepEqual([limit.activeCount, limit.pendingCount, limit.concurrency], [3, 0, 3])
  limit.concurrency = 1
  gate.open()
  await Promise.all(calls)
  for (const wrong of [0, -1, 1.5, "1", NaN, undefined, null, {}, { concurrency: 0 }]) {
    assert.throws(() => pLimit(wrong as number), TypeError)
  }
  assert.throws(() => (limit.concurrency = 0), TypeError)
  assert.equal(await pLimit(Infinity)(() => "no limit"), "no limit")
})

test("[CT4] clearQueue drops what waits", async () => {
  for (const rejectOnClear of [false, true]) {
    const limit = pLimit({ concurrency: 1, rejectOnClear })
    const gate = new Gate()
    const running = limit(gate.body)
    let state = "pending"
    const waiting = limit(() => assert.fail("runs")).catch((error: unknown) => (state = (error as Error).name))
    await turns()
    limit.clearQueue()
    assert.equal(limit.pendingCount, 0)
    if (rejectOnClear) await waiting
    gate.open()
    await running
    await turns()
    assert.equal(state, rejectOnClear ? "AbortError" : "pending")
  }
})

test("[CT5] map has the results in order and tells the index", async () => {
  const { map } = pLimit(1)
  assert.deepEqual(await map(new Set(["a", "b"]), async (item, index) => `${item}${index}`), ["a0", "b1"])
})
