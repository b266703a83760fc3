/** Scopes and a simulation of them. [SS21] refers to docs/spec/structured.md. */
import { Executors, FutureTask, InterruptedError, Joiner, StructuredTaskScope, type Subtask, Thread } from "corepool"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, turns } from "../support/harness.ts"
import { STRESS } from "../support/stress.ts"

const JOINERS = {
  all: () => Joiner.allSuccessfulOrThrow<number>(),
  any: () => Joiner.anySuccessfulOrThrow<number>(),
  each: () => Joiner.awaitAll<number>(),
  default: () => Joiner.awaitAllSuccessfulOrThrow<number>(),
  until: () => {
    let failures = 0
    return Joiner.allUntil<number>(({ state }) => state === "failed" && ++failures === 2)
  },
} as const satisfies Record<string, () => Joiner<number, unknown>>

interface PlannedFork {
  /** When it ends: after the forks with a smaller number; never, if negative. */
  readonly turn: number
  readonly fails: boolean
  /** Whether it takes its time to stop when it is interrupted. */
  readonly lingers: boolean
  /** Whether it does its work in a fork of its own. */
  readonly nests: boolean
}

interface Plan {
  readonly joiner: keyof typeof JOINERS
  readonly forks: readonly PlannedFork[]
}

const plans: fc.Arbitrary<Plan> = fc.record({
  joiner: fc.constantFrom(...(Object.keys(JOINERS) as (keyof typeof JOINERS)[])),
  forks: fc.array(
    fc.record({
      turn: fc.integer({ min: -2, max: 20 }),
      fails: fc.boolean(),
      lingers: fc.boolean(),
      nests: fc.boolean(),
    }),
    { maxLength: 7 },
  ),
})

/** The forks that end, by their numbers, in order. */
function orderOf({ forks }: Plan): number[] {
  const ending = [...forks.keys()].filter((n) => (forks[n] as PlannedFork).turn >= 0)
  return ending.sort((a, b) => (forks[a] as PlannedFork).turn - (forks[b] as PlannedFork).turn || a - b)
}

interface Outcome {
  readonly states: string[]
  readonly join: string
}

function simulate(plan: Plan): Outcome {
  const { joiner, forks } = plan
  const states = forks.map(() => "unavailable")
  let failures = 0
  let successes = 0
  let first = -1 // the fork whose outcome is that of the scope
  let isCancelled = false
  for (const n of orderOf(plan)) {
    if (isCancelled) break
    const { fails } = forks[n] as PlannedFork
    states[n] = fails ? "failed" : "success"
    if (fails ? ++failures === 1 && successes === 0 : ++successes === 1 && joiner === "any") first = n
    if (joiner === "all" || joiner === "default") isCancelled = fails
    else if (joiner === "any") isCancelled = !fails
    else if (joiner === "until") isCancelled = failures === 2
  }
  const isWaiting = !isCancelled && forks.some(({ turn }) => turn < 0)
  if (isWaiting) return { states, join: "interrupted" }
  if (joiner === "each") return { states, join: "undefined" }
  if (joiner === "until") return { states, join: states.join() }
  if (joiner === "any") {
    return { states, join: forks.length === 0 ? "none" : successes > 0 ? `${first}` : `error ${first}` }
  }
  if (failures > 0) return { states, join: `error ${[...states.keys()].find((n) => states[n] === "failed")}` }
  return { states, join: joiner === "all" ? states.map((_, n) => n).join() : "undefined" }
}

class Trial {
  running = 0
  readonly #plan: Plan
  readonly #ways: readonly FutureTask<number>[]
  #owner: Thread | undefined

  constructor(plan: Plan) {
    this.#plan = plan
    this.#ways = plan.forks.map(
      ({ fails }, n) =>
        new FutureTask(() => {
          if (fails) throw new Error(`error ${n}`)
          return n
        }),
    )
  }

  async run(): Promise<Outcome> {
    return await Executors.newVirtualThreadPerTaskExecutor().submit(() => this.#own())
  }

  async #own(): Promise<Outcome> {
    this.#owner = Thread.currentThread()
    const joiner: Joiner<number, unknown> = JOINERS[this.#plan.joiner]()
    const scope = StructuredTaskScope.open(joiner)
    const subtasks = this.#plan.forks.map((fork, n) => scope.fork(() => this.#work(fork, n)))
    void this.#direct(scope, subtasks)
    const join = await scope.join().then(shown, failed)
    assert.equal(this.running, 0)
    await scope.close()
    return { states: subtasks.map(({ state }) => state), join }
  }

  async #work({ lingers, nests }: PlannedFork, n: number): Promise<number> {
    this.running++
    try {
      if (!nests) return await (this.#ways[n] as FutureTask<number>).get()
      await using scope = StructuredTaskScope.open(Joiner.anySuccessfulOrThrow<number>())
      scope.fork(() => (this.#ways[n] as FutureTask<number>).get())
      return await scope.join()
    } catch (error) {
      if (lingers) await turns(3)
      throw error
    } finally {
      this.running--
    }
  }

  /** Lets the forks end one after the other; interrupts the owner if others would keep it waiting. */
  async #direct(scope: StructuredTaskScope<number, unknown>, subtasks: readonly Subtask<number>[]): Promise<void> {
    await turns(1)
    for (const n of orderOf(this.#plan)) {
      if (scope.isCancelled) return
      void (this.#ways[n] as FutureTask<number>).run()
      await eventually(() => subtasks[n]?.state !== "unavailable" || scope.isCancelled)
    }
    if (!scope.isCancelled && this.#plan.forks.some(({ turn }) => turn < 0)) this.#owner?.interrupt()
  }
}

function shown(value: unknown): string {
  if (!Array.isArray(value)) return String(value)
  const subtasks = value as Subtask<number>[]
  return subtasks.every(({ state }) => state === "success") && subtasks.length > 0
    ? subtasks.map((subtask) => subtask.get()).join()
    : subtasks.map(({ state }) => state).join()
}

function failed(error: unknown): string {
  if (error instanceof InterruptedError) return "interrupted"
  const { name, message } = error as Error
  return name === "NoSuchElementError" ? "none" : message
}

test("[SS21] random forks end as a simulation says, and none outlives its scope", async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const expected = simulate(plan)
      const isListed = plan.joiner === "until" && expected.states.every((state) => state === "success")
      const join = isListed && expected.join !== "interrupted" ? plan.forks.map((_, n) => n).join() : expected.join
      const trial = new Trial(plan)
      assert.deepEqual(await trial.run(), { ...expected, join })
      await turns()
      assert.equal(trial.running, 0)
    }),
    { numRuns: 60 * STRESS },
  )
})
