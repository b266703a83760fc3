/** A pool with a limiter and a simulation of it, through random tasks at random times. [RL30]: docs/spec/rate-limiter.md. */
import { RateLimiter, ThreadPoolExecutor, virtualThreads } from "corepool"
import { ManualClock } from "corepool/testing"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { STRESS } from "../support/stress.ts"

interface Plan {
  readonly permits: number
  readonly per: number
  readonly kind: "bucket" | "fixed" | "sliding"
  readonly threads: number
  readonly growth: "lazy" | "eager"
  /** How long after the task before it each one comes, how long it runs, and whether it is cancelled at once. */
  readonly tasks: readonly (readonly [number, number, boolean])[]
}

const plans: fc.Arbitrary<Plan> = fc.record({
  permits: fc.integer({ min: 1, max: 6 }),
  // A multiple of every number of permits, so that the simulation can count in whole numbers.
  per: fc.integer({ min: 1, max: 5 }).map((n) => n * 60),
  kind: fc.constantFrom("bucket" as const, "fixed" as const, "sliding" as const),
  threads: fc.integer({ min: 1, max: 4 }),
  growth: fc.constantFrom("lazy" as const, "eager" as const),
  tasks: fc.array(
    fc
      .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 150 }), fc.integer({ max: 9, min: 0 }))
      .map(([after, lasts, luck]) => [after, lasts, luck === 0] as const),
    { maxLength: 20 },
  ),
})

/** When each task begins: in order, at the first whole millisecond that has a free thread and a permit. */
function simulate({ permits, per, kind, threads, tasks }: Plan): (number | undefined)[] {
  const taken: number[] = []
  const ends: number[] = []
  let start = -Infinity // of a fixed window
  let time = 0
  let asked = 0
  let level = permits * per // of a bucket: a permit is `per`, and a millisecond brings `permits`
  const may = (): boolean => {
    if (ends.filter((end) => end > time).length >= threads) return false
    if (kind === "bucket") return level >= per
    if (kind === "sliding") return taken.filter((at) => at > time - per).length < permits
    return time >= start + per || taken.filter((at) => at >= start).length < permits
  }
  return tasks.map(([after, lasts, isCancelled]) => {
    asked += after
    if (isCancelled) return undefined
    while (time < asked || !may()) {
      time++
      level = Math.min(level + permits, permits * per)
    }
    level -= per
    if (time >= start + per) start = time
    taken.push(time)
    ends.push(time + lasts)
    return time
  })
}

async function observe({ permits, per, kind, threads, growth, tasks }: Plan): Promise<(number | undefined)[]> {
  const clock = new ManualClock()
  const rateLimiter = new RateLimiter({ permits, per, clock, ...(kind === "bucket" ? {} : { window: kind }) })
  const pool = new ThreadPoolExecutor({
    corePoolSize: growth === "eager" ? 0 : threads,
    maximumPoolSize: threads,
    growth,
    rateLimiter,
    threadFactory: virtualThreads(),
  })
  const began: (number | undefined)[] = tasks.map(() => undefined)
  for (const [index, [after, lasts, isCancelled]] of tasks.entries()) {
    await clock.advance(after)
    const future = pool.submit(async () => {
      began[index] = clock.now
      await clock.sleep(lasts)
    })
    if (isCancelled) future.cancel()
  }
  pool.shutdown()
  await clock.advance(1_000_000)
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(rateLimiter.availablePermits, permits)
  return began.map((time) => (time === undefined ? undefined : Math.round(time)))
}

test("[RL30] random tasks begin when the simulation says", async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (it) => assert.deepEqual(await observe(it), simulate(it))),
    { numRuns: 60 * STRESS },
  )
})
