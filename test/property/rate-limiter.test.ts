/** A RateLimiter and a simulation of it, through random requests at random times. [RL9] refers to docs/spec/rate-limiter.md. */
import { RateLimiter } from "corepool"
import { ManualClock } from "corepool/testing"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { STRESS } from "../support/stress.ts"

interface Plan {
  readonly permits: number
  readonly per: number
  readonly burst: number
  readonly kind: "bucket" | "fixed" | "sliding"
  /** How long after the request before it each one comes, and how many permits it wants. */
  readonly requests: readonly (readonly [number, number])[]
}

const plans: fc.Arbitrary<Plan> = fc.record({
  permits: fc.integer({ min: 1, max: 6 }),
  // A multiple of every number of permits, so that the simulation can count in whole numbers.
  per: fc.integer({ min: 1, max: 5 }).map((n) => n * 60),
  burst: fc.integer({ min: 1, max: 8 }),
  kind: fc.constantFrom("bucket" as const, "fixed" as const, "sliding" as const),
  requests: fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 8 })), { maxLength: 25 }),
})

function mostOf({ permits, burst, kind }: Plan): number {
  return kind === "bucket" ? burst : permits
}

/** When each request is met: a request at a time, in order, each at the first whole millisecond that has its permits. */
function simulate(plan: Plan): number[] {
  const { permits, per, burst, kind } = plan
  const taken: number[] = []
  const starts: number[] = []
  let time = 0
  let asked = 0
  let level = burst * per // of a bucket: a permit is `per`, and a millisecond brings `permits`
  for (const [after, wanted] of plan.requests) {
    asked += after
    const n = Math.min(wanted, mostOf(plan))
    const may = (): boolean => {
      if (kind === "bucket") return level >= n * per
      if (kind === "sliding") return taken.filter((at) => at > time - per).length + n <= permits
      const start = starts.at(-1)
      if (start === undefined || time >= start + per) return true
      return taken.filter((at) => at >= start).length + n <= permits
    }
    while (time < asked || !may()) {
      time++
      level = Math.min(level + permits, burst * per)
    }
    level -= n * per
    const start = starts.at(-1)
    if (start === undefined || time >= start + per) starts.push(time)
    for (let i = 0; i < n; i++) taken.push(time)
  }
  return plan.requests.map(
    (_, index) =>
      taken[plan.requests.slice(0, index).reduce((sum, [, n]) => sum + Math.min(n, mostOf(plan)), 0)] as number,
  )
}

async function observe(plan: Plan): Promise<number[]> {
  const { permits, per, burst, kind } = plan
  const clock = new ManualClock()
  const limiter = new RateLimiter({ permits, per, clock, ...(kind === "bucket" ? { burst } : { window: kind }) })
  const times: number[] = []
  const all: Promise<void>[] = []
  for (const [index, [after, n]] of plan.requests.entries()) {
    await clock.advance(after)
    all.push(limiter.acquire(Math.min(n, mostOf(plan))).then(() => void (times[index] = clock.now)))
  }
  await clock.advance(1_000_000)
  await Promise.all(all)
  assert.equal(limiter.availablePermits, mostOf(plan))
  return times
}

test("[RL9] random requests are met when the simulation says", async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (it) => {
      const seen = await observe(it)
      const expected = simulate(it)
      assert.deepEqual(
        seen.map((time) => Math.round(time)),
        expected,
      )
    }),
    { numRuns: 60 * STRESS },
  )
})
