/**
 * A scheduled pool to which the program has no reference any more. In a file of its own: nothing can close such a pool,
 * and what it leaves behind must not meet a test that counts timers. Rules: docs/spec/schedule.md.
 */
import { AtomicInteger, type ScheduledFuture, ScheduledThreadPoolExecutor } from "corepool"
import test from "node:test"
import { collectGarbage } from "../../support/garbage.ts"
import { eventually } from "../../support/harness.ts"
import { factoryOf, kinds } from "./support.ts"

for (const kind of kinds) {
  test(`[SC86] ${kind} threads: a pool that the program has lost goes on with an unref'd series`, async () => {
    const runs = new AtomicInteger(0)
    const start = (): ScheduledFuture<void> => {
      const pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: factoryOf(kind) })
      return pool.scheduleAtFixedRate((count: AtomicInteger) => void count.incrementAndGet(), 0, 1, runs).unref()
    }
    const series = start()
    for (let round = 1; round < 4; round++) {
      const before = runs.get()
      await eventually(() => {
        collectGarbage()
        return runs.get() > before + 3
      })
    }
    series.cancel()
  })
}
