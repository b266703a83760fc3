/**
 * What holds whatever is done to a scheduled pool, by random operations. Ids such as [SC63] refer to
 * docs/spec/schedule.md.
 */
import { InterruptedError, type ScheduledFuture, type ScheduledThreadPoolExecutor, Thread } from "corepool"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { cancelling, type Meddling, removing, setting, whole } from "../../property/schedule-plan.ts"
import { turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { pass, Schedules } from "./support.ts"

type Kind = "once" | "rate" | "delay"

type Operation =
  | { readonly do: "schedule"; kind: Kind; delay: number; period: number; lasts: number; failsOn: number }
  | { readonly do: "resize"; size: number }
  | { readonly do: "pass"; ms: number }
  | Meddling

const delay = fc.oneof(fc.integer({ min: -2, max: 15 }), fc.constant(Infinity))

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("schedule" as const),
      kind: fc.constantFrom<Kind>("once", "rate", "delay"),
      delay,
      period: fc.integer({ min: 1, max: 8 }),
      lasts: fc.nat(6),
      failsOn: fc.nat(6),
    }),
  },
  { weight: 3, arbitrary: cancelling },
  { weight: 1, arbitrary: removing },
  { weight: 1, arbitrary: setting },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("resize" as const), size: fc.nat(3) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 1, arbitrary: whole },
)

/** A task that knows when it may run, and complains if it runs otherwise. */
class Watched {
  readonly future: ScheduledFuture<unknown>
  readonly isSeries: boolean
  removed = false
  readonly #clock: FakeClock
  readonly #complaints: string[]
  /** Not before then. */
  #earliest: number
  #running = false
  #runs = 0

  constructor(
    pool: ScheduledThreadPoolExecutor,
    clock: FakeClock,
    complaints: string[],
    plan: Extract<Operation, { do: "schedule" }>,
  ) {
    this.#clock = clock
    this.#complaints = complaints
    this.#earliest = clock.now + Math.max(0, plan.delay)
    this.isSeries = plan.kind !== "once"
    const run = (): unknown => this.#run(plan)
    this.future =
      plan.kind === "once"
        ? pool.schedule(run, plan.delay)
        : plan.kind === "rate"
          ? pool.scheduleAtFixedRate(run, plan.delay, plan.period)
          : pool.scheduleWithFixedDelay(run, plan.delay, plan.period)
  }

  #run(plan: Extract<Operation, { do: "schedule" }>): unknown {
    if (this.#clock.now < this.#earliest) this.#complaints.push(`early at ${this.#clock.now}`)
    if (this.#running) this.#complaints.push("overlaps itself")
    if (this.future.isDone) this.#complaints.push("runs though it is done")
    if (this.removed) this.#complaints.push("runs though it was removed")
    this.#running = true
    if (plan.kind === "rate") this.#earliest += plan.period
    if (plan.lasts > 0) return this.#sleep(plan)
    this.#end(plan)
    return undefined
  }

  async #sleep(plan: Extract<Operation, { do: "schedule" }>): Promise<void> {
    try {
      await Thread.sleep(plan.lasts)
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error
    }
    this.#end(plan)
  }

  #end(plan: Extract<Operation, { do: "schedule" }>): void {
    this.#running = false
    if (plan.kind === "delay") this.#earliest = this.#clock.now + plan.period
    if (++this.#runs === plan.failsOn) throw new Error("own")
  }
}

class World {
  readonly #pool: ScheduledThreadPoolExecutor
  readonly #clock: FakeClock
  readonly tasks: Watched[] = []
  readonly complaints: string[] = []
  #completed = 0

  constructor(pool: ScheduledThreadPoolExecutor, clock: FakeClock) {
    this.#pool = pool
    this.#clock = clock
  }

  async perform(step: Operation): Promise<void> {
    const pool = this.#pool
    switch (step.do) {
      case "schedule":
        if (!pool.isShutdown) this.tasks.push(new Watched(pool, this.#clock, this.complaints, step))
        break
      case "cancel":
        this.#task(step.task)?.future.cancel(step.interrupt)
        break
      case "remove": {
        const task = this.#task(step.task)
        if (task !== undefined && pool.remove(task.future)) task.removed = true
        break
      }
      case "set":
        pool[step.policy] = step.value
        break
      case "resize":
        pool.corePoolSize = step.size
        break
      case "pass":
        await pass(this.#clock, step.ms)
        break
      default:
        pool[step.do]()
    }
    this.#look()
  }

  #task(number: number): Watched | undefined {
    return this.tasks[number % Math.max(1, this.tasks.length)]
  }

  #look(): void {
    const { taskCount, completedTaskCount, activeCount, poolSize, queue } = this.#pool
    if (taskCount !== completedTaskCount + activeCount + queue.size) this.complaints.push("counts disagree")
    if (completedTaskCount < this.#completed) this.complaints.push("completed tasks were lost")
    if (activeCount > poolSize) this.complaints.push("more busy threads than threads")
    this.#completed = completedTaskCount
    const waiting = queue.toArray() as unknown as ScheduledFuture<unknown>[]
    if (waiting.some((future, i) => i > 0 && future.delay < (waiting[i - 1]?.delay ?? 0))) {
      this.complaints.push("the queue is not in order")
    }
  }
}

test("[SC63] no run is early, overlaps its like or comes after the end; no future is left pending; the pool ends", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 3 }),
      fc.array(operation, { maxLength: 30 }),
      fc.boolean(),
      async (core, operations, stop) => {
        using clock = new FakeClock()
        await using pools = new Schedules()
        const pool = pools.open(core)
        const world = new World(pool, clock)
        for (const step of operations) await world.perform(step)
        if (stop) {
          pool.shutdownNow()
        } else {
          pool.continueExistingPeriodicTasksAfterShutdown = false
          pool.shutdown()
          // What is never due would be waited for: that is what this policy is for.
          for (const { future } of world.tasks) if (future.delay === Infinity) pool.remove(future)
          for (const { future } of world.tasks) if (future.delay === Infinity) future.cancel()
        }
        await pass(clock, 120)
        await turns()
        assert.deepEqual(world.complaints, [])
        assert.deepEqual(
          world.tasks.filter(({ future, removed }) => !future.isDone && !removed),
          [],
        )
        assert.deepEqual([pool.isTerminated, pool.poolSize, pool.queue.size], [true, 0, 0])
        assert.equal(clock.ticking, 0)
      },
    ),
    { numRuns: 150 },
  )
})
