/** A pool of platform threads that works for a long time: nothing grows. */
import { Executors, platformThreads } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { collectGarbage } from "../support/garbage.ts"
import { STRESS } from "../support/stress.ts"
import { requireTermination } from "../support/termination.ts"
import * as tasks from "./chaos-tasks.ts"

/** Some time to settle, and then so many rounds. `STRESS=600` takes about ten minutes. */
const WARM_UP = 15
const ROUNDS = 30 * STRESS

interface Footprint {
  readonly heap: number
  readonly external: number
  readonly handles: number
}

async function footprint(): Promise<Footprint> {
  // Finalizers and the ends of threads are told in turns of the event loop.
  for (let i = 0; i < 3; i++) {
    collectGarbage()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed, external, handles: process.getActiveResourcesInfo().length }
}

test("[PL33] a pool that works for a long time does not grow", async () => {
  await requireTermination()
  await using pool = Executors.newFixedThreadPool(2, platformThreads({ terminateAfter: 1 }))
  const payload = { text: "x".repeat(5000), list: Array.from({ length: 100 }, (_, i) => i) }
  const round = async (number: number): Promise<void> => {
    const futures = Array.from({ length: 300 }, (_, i) => pool.submit(tasks.add, i, number))
    const copies = Array.from({ length: 20 }, () => pool.submit(tasks.same, payload))
    const cancelled = Array.from({ length: 50 }, (_, i) => pool.submit(tasks.later, i, number))
    for (const future of cancelled) future.cancel(number % 2 === 0)
    const failed = Array.from({ length: 10 }, (_, i) => pool.submit(tasks.fail, i, number))
    for (const [i, future] of futures.entries()) assert.equal(await future, i + number)
    for (const future of copies) assert.equal((await future).text.length, 5000)
    for (const future of failed)
      assert.equal((await future.get().catch((error: unknown) => error)) instanceof RangeError, true)
    if (number % 50 === 49)
      await pool
        .submit(tasks.exit)
        .get()
        .catch(() => undefined)
    if (number % 10 === 9) {
      const view = pool.with({ timeout: 1 })
      await view
        .submit(tasks.spin)
        .get()
        .catch(() => undefined)
    }
  }
  for (let number = 0; number < WARM_UP; number++) await round(number)
  const before = await footprint()
  for (let number = 0; number < ROUNDS; number++) await round(number)
  const after = await footprint()
  const told = JSON.stringify({ before, after })
  assert.ok(after.heap < before.heap * 1.3 + 2 ** 20, told)
  assert.ok(after.external < before.external * 1.3 + 2 ** 20, told)
  assert.ok(after.handles <= before.handles + 2, told)
  assert.deepEqual([pool.poolSize, pool.queue.size], [2, 0])
})
