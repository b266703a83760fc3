/** Tasks that run inside of others, as their pool has one thread: cancelling, limits, retries. See docs/spec/platform.md. */
import { AtomicInteger, Executors, platformThreads } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../../support/harness.ts"
import { requireTermination } from "../../support/termination.ts"
import * as tasks from "./inside-tasks.ts"

for (const [inner, depth] of [
  ["block", 1],
  ["block", 3],
  ["spin", 1],
  ["spin", 3],
] as const) {
  test(`[PL72] cancel(true) of a task ends what runs inside of it, ${depth} deep: ${inner}`, async () => {
    if (inner === "spin") await requireTermination()
    await using pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: 5 }))
    const begun = new AtomicInteger()
    const outer = pool.submit(tasks.waitFor, pool, inner, depth, begun)
    await eventually(() => begun.get() === 1)
    const next = pool.submit(tasks.echo, 5)
    assert.ok(outer.cancel(true))
    assert.equal(await next, 5)
  })
}

test("[PL73] a task that goes on beside the one that waits for it is interrupted alone", async () => {
  await using pool = Executors.newFixedThreadPool(1, platformThreads())
  const result = await pool.submit(tasks.cancelInside, pool, new AtomicInteger(), new AtomicInteger())
  assert.equal(result, "CancellationError, false")
})

for (const inner of ["block", "blockLater", "hang"] as const) {
  for (const way of [tasks.withTimeout, tasks.withOrTimeout, tasks.withAttempts, tasks.withScope]) {
    test(`[PL73] [PL74] ${way.name} ends a task that runs inside of the one that waits: ${inner}`, async () => {
      await using pool = Executors.newFixedThreadPool(1, platformThreads())
      assert.equal(await pool.submit(way, pool, inner, new AtomicInteger()), "TimeoutError, false")
      assert.equal(await pool.submit(tasks.echo, 5), 5)
    })
  }
}

test("[RY17] a task that waits for attempts in its own pool runs them", async () => {
  await using pool = Executors.newFixedThreadPool(1, platformThreads())
  assert.equal(await pool.submit(tasks.retryInside, pool, new AtomicInteger()), "3 in 3")
})
