/** Threads that have left by an error, and still run code of tasks. Ids such as [PL19] refer to docs/spec/platform.md. */
import { type ExecutorService, Executors, platformThreads } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"

for (const kind of ["fixed", "scheduled"] as const) {
  test(`[PL17][PL19] tasks that follow one whose microtask throws end, also if they wait: ${kind} pool`, async () => {
    const threads = platformThreads({ uncaughtException: () => undefined })
    const pool =
      kind === "fixed" ? Executors.newFixedThreadPool(2, threads) : Executors.newScheduledThreadPool(2, threads)
    const futures = []
    for (let i = 0; i < 30; i++) {
      futures.push(
        pool.submit(() => {
          queueMicrotask(() => {
            throw new Error("own")
          })
        }),
        pool.submit((own: ExecutorService) => {
          const child = own.submit(() => 1)
          try {
            return child.getSync(5)
          } catch {
            return 0 // its time is over
          }
        }, pool),
      )
    }
    const outcomes = await Promise.allSettled(futures)
    assert.equal(outcomes.length, 60)
    await pool.close()
    assert.equal(pool.isTerminated, true)
  })
}
