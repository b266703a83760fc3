/** Completers of which other threads have parts, and such as nothing waits for. Rules: docs/spec/forkjoin.md. */
import { ForkJoinPool, IllegalStateError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as completers from "./completer-classes.ts"
import { fib } from "./tasks.ts"

const SIZE = 256
const SUM = (SIZE * (SIZE - 1)) / 2

for (const [name, Type] of Object.entries(completers.adding)) {
  test(`[FJ72][FJ74] what parts have found reaches the root, whoever has run them: ${name}`, async () => {
    for (const parallelism of [1, 4]) {
      await using pool = new ForkJoinPool({ parallelism })
      for (let i = 0; i < 8; i++) assert.equal(await pool.invoke(new Type(undefined, 0, SIZE)), SUM)
    }
  })
}

for (const [name, Type] of Object.entries(completers.misusing)) {
  test(`[FJ73] what cannot be brought together is an error if a part is stolen, and no wrong result: ${name}`, async () => {
    {
      await using pool = new ForkJoinPool({ parallelism: 1 })
      assert.equal(await pool.invoke(new Type(undefined, 0, SIZE)), SUM)
    }
    await using pool = new ForkJoinPool({ parallelism: 4 })
    for (let i = 0; i < 5; i++) {
      const outcome = await pool.invoke(new Type(undefined, 0, SIZE)).catch((error: unknown) => error)
      if (outcome !== SUM) assert.ok(outcome instanceof IllegalStateError, String(outcome))
    }
  })
}

test("[FJ75] a stolen part ends in each of the ways, and its original goes on", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const expected = {
    try: ["success", "own ", "success", "part ", 0],
    complete: ["success", "own ", "success", "own ", 0],
    propagate: ["success", "", "success", "", 0],
    root: ["success", "", "success", "", 5],
    fail: ["failed", "own RangeError: no ", "failed", "part RangeError: no ", 0],
    throw: ["failed", "own own RangeError: told ", "failed", "part RangeError: told ", 0],
    "throw above": ["success", "own ", "failed", "part ", 0],
  }
  for (const [how, outcome] of Object.entries(expected)) {
    using gate = new SharedGate()
    assert.deepEqual(await pool.invoke(completers.endStolen, how, gate.index), outcome, how)
  }
})

for (const how of ["ends", "fails", "found", "never"]) {
  test(`[FJ71] a tree that nothing waits for occupies no thread: ${how}`, async () => {
    for (const parallelism of [1, 2]) {
      await using pool = new ForkJoinPool({ parallelism })
      const begun = new SharedCount()
      for (let i = 0; i < 5; i++) assert.equal(await pool.submit(completers.leave, how, 6, begun.index), how)
      assert.equal(await pool.invoke(fib, 10), 55)
      assert.ok(await pool.awaitQuiescence())
      assert.equal(begun.value, 35)
      assert.deepEqual([pool.activeThreadCount, pool.queuedTaskCount], [0, 0])
    }
  })
}

test("[FJ71][FJ43] a pool is not quiescent while a part of such a tree is held by another thread", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  const told = new SharedCount()
  await pool.submit(completers.leaveHeld, gate.index, told.index)
  assert.equal(await pool.awaitQuiescence(1), false)
  gate.open()
  assert.ok(await pool.awaitQuiescence())
  assert.equal(told.value, 2)
})

test("[FJ74] a completer that has parts before it is forked completes, and is not stolen", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  for (let i = 0; i < 8; i++) {
    using gate = new SharedGate()
    const told = new SharedCount()
    assert.deepEqual(await pool.invoke(completers.forkPartFirst, gate.index, told.index), ["success", 2])
  }
})

test("[FJ12] a completer whose compute is asynchronous completes, or fails, later", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.equal(await pool.invoke(new completers.CompletesLater(false)), "later")
  assert.match(String(await rejectionOf(pool.invoke(new completers.CompletesLater(true)))), /RangeError: later/)
})
