/**
 * A scheduled executor and a model of it, side by side through random programs. Ids such as [MK21] refer to
 * docs/spec/testing.md, [SC9] to docs/spec/schedule.md.
 */
import { RejectedExecutionError, type ScheduledFuture, ScheduledThreadPoolExecutor, virtualThreads } from "corepool"
import { ManualClock } from "corepool/testing"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { thrownBy } from "../support/harness.ts"
import { STRESS } from "../support/stress.ts"
import { ScheduleModel } from "./schedule-model.ts"
import { type Plan, program, type Program, type Step } from "./schedule-plan.ts"

/** The real thing, told the same. */
class Actual {
  readonly clock = new ManualClock({ startAt: new Date("2026-01-01T00:00:00Z") })
  readonly futures: ScheduledFuture<unknown>[] = []
  readonly starts: string[] = []
  readonly pool: ScheduledThreadPoolExecutor

  constructor(threads: number) {
    this.pool = new ScheduledThreadPoolExecutor({
      corePoolSize: threads,
      threadFactory: virtualThreads(),
      clock: this.clock,
    })
    this.pool.prestartAllCoreThreads()
  }

  async perform(step: Step): Promise<void> {
    const { pool } = this
    switch (step.do) {
      case "schedule":
        this.#schedule(step.plan)
        break
      case "cancel":
        this.#future(step.task)?.cancel(step.interrupt)
        break
      case "remove": {
        const future = this.#future(step.task)
        if (future !== undefined) pool.remove(future)
        break
      }
      case "set":
        pool[step.policy] = step.value
        break
      case "advance":
        await this.clock.advance(step.ms)
        break
      default:
        pool[step.do]()
    }
    await this.clock.advance(0)
  }

  #future(number: number): ScheduledFuture<unknown> | undefined {
    return this.futures[number % Math.max(1, this.futures.length)]
  }

  #schedule(plan: Plan): void {
    if (this.pool.isShutdown) assert.ok(thrownBy(() => this.#start(plan)) instanceof RejectedExecutionError)
    else this.futures.push(this.#start(plan))
  }

  #start(plan: Plan): ScheduledFuture<unknown> {
    const name = this.futures.length
    let runs = 0
    const end = (): void => {
      if (runs === plan.failsOn) throw new Error("own")
    }
    const run = (): unknown => {
      this.starts.push(`${name}@${this.clock.now}`)
      runs++
      if (plan.lasts > 0) return this.clock.sleep(plan.lasts).then(end)
      end()
      return undefined
    }
    switch (plan.kind) {
      case "once":
        return this.pool.schedule(run, plan.delay)
      case "rate":
        return this.pool.scheduleAtFixedRate(run, plan.delay, plan.period)
      case "delay":
        return this.pool.scheduleWithFixedDelay(run, plan.delay, plan.period)
      case "cron":
        return this.pool.scheduleCron(run, `*/${plan.seconds} * * * * *`, { timezone: "UTC" })
    }
  }
}

/** What can be seen of either; must be the same after each step. */
interface View {
  readonly now: number
  readonly starts: readonly string[]
  readonly states: readonly string[]
  readonly delays: readonly number[]
  readonly active: number
  readonly completed: number
}

function viewOfModel(model: ScheduleModel): View {
  const { now, starts, tasks, waiting, active, completed } = model
  return {
    now,
    starts,
    states: tasks.map(({ state }) => state),
    delays: waiting.map(({ time }) => (time ?? 0) - now),
    active,
    completed,
  }
}

function viewOfActual({ clock, starts, futures, pool }: Actual): View {
  return {
    now: clock.now,
    starts,
    states: futures.map(({ state }) => state),
    delays: (pool.queue.toArray() as unknown as ScheduledFuture<unknown>[]).map(({ delay }) => delay),
    active: pool.activeCount,
    completed: pool.completedTaskCount,
  }
}

/** Threads that begin at the same moment do so in any order; there is one only if there is one thread. */
function asFarAsDefined(view: View, threads: number): View {
  if (threads === 1) return view
  const byTime = (a: string, b: string): number =>
    Number(a.split("@")[1]) - Number(b.split("@")[1]) || Number(a.split("@")[0]) - Number(b.split("@")[0])
  return { ...view, starts: [...view.starts].sort(byTime) }
}

async function compare({ threads, steps }: Program): Promise<void> {
  const model = new ScheduleModel(threads)
  const actual = new Actual(threads)
  try {
    for (const step of steps) {
      model.perform(step)
      await actual.perform(step)
      assert.deepEqual(asFarAsDefined(viewOfActual(actual), threads), asFarAsDefined(viewOfModel(model), threads))
    }
  } finally {
    actual.pool.shutdownNow()
    await actual.pool.awaitTermination()
  }
}

test("[MK21] whatever is scheduled, cancelled and shut down, runs and outcomes are those of a simple model", async () => {
  await fc.assert(fc.asyncProperty(program, compare), { numRuns: 200 * STRESS })
})

test("[SC9] by the real clock nothing is early, whatever is scheduled", async () => {
  const delays = fc.array(fc.record({ delay: fc.double({ min: 0, max: 20, noNaN: true }), rate: fc.boolean() }), {
    maxLength: 30,
  })
  await fc.assert(
    fc.asyncProperty(delays, fc.integer({ min: 1, max: 3 }), async (tasks, corePoolSize) => {
      const pool = new ScheduledThreadPoolExecutor({ corePoolSize, threadFactory: virtualThreads() })
      const early: number[] = []
      const ends = tasks.map(({ delay, rate }) => {
        let due = performance.now() + delay
        const look = (): void => {
          const left = due - performance.now()
          if (left > 0) early.push(left)
        }
        if (!rate) return pool.schedule(look, delay)
        let runs = 0
        const series = pool.scheduleAtFixedRate(
          () => {
            look()
            due += 2.5
            if (++runs === 3) series.cancel()
          },
          delay,
          2.5,
        )
        return series
      })
      await Promise.allSettled(ends)
      pool.shutdown()
      await pool.awaitTermination()
      assert.deepEqual(early, [])
    }),
    { numRuns: 20 * STRESS },
  )
})
