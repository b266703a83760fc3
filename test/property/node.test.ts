/**
 * Random fates of jobs on several nodes, and exact accounts: each job ends once, as it must, and none is left. Nothing but the engine in memory and virtual
 * threads, so that a failure comes back with its seed.
 */
import { Thread } from "corepool"
import type { ExecutorNode } from "#src/distributed/node/executor-node.js"
import type { FailureKind } from "#src/distributed/job/failure.js"
import fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Driver, type DrivenJob } from "../spec/distributed/node-driver.ts"
import { eventually, turns } from "../support/harness.ts"

/** What a test does next. Numbers choose among what there is. */
type Step =
  | {
      readonly do: "submit"
      readonly task: "quick" | "held" | "failing" | "deaf" | "unknown"
      readonly attempts: number
    }
  | { readonly do: "cancel"; readonly job: number; readonly interrupt: boolean }
  | { readonly do: "kill" | "cutOff" | "drain" | "giveBack"; readonly node: number }
  | { readonly do: "start" | "release" | "wait" }
  | { readonly do: "series"; readonly runs: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("submit" as const),
      task: fc.constantFrom("quick" as const, "held", "failing", "deaf", "unknown"),
      attempts: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("series" as const), runs: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("cancel" as const), job: fc.nat(), interrupt: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("kill" as const, "cutOff", "drain", "giveBack"), node: fc.nat() }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom("start" as const, "release", "wait") }) },
)

/** The tasks of one test: those that are held go on when they are released, or when they are interrupted. */
class Holding {
  readonly #held = new Set<() => void>()
  #isOver = false

  release(): void {
    for (const go of this.#held) go()
    this.#held.clear()
  }

  /** Nothing is held any more. */
  end(): void {
    this.#isOver = true
    this.release()
  }

  readonly tasks = {
    quick: (): string => "quick",
    failing: (): never => {
      throw new RangeError("failing")
    },
    held: async (): Promise<string> => {
      const { signal } = Thread.currentThread()
      await this.#hold(signal)
      if (signal.aborted) throw signal.reason
      return "held"
    },
    deaf: async (): Promise<string> => {
      await this.#hold()
      return "deaf"
    },
    series: async (limit: number, key: string): Promise<void> => {
      const runs = (this.#runs.get(key) ?? 0) + 1
      this.#runs.set(key, runs)
      await turns(1)
      if (runs >= limit) throw new RangeError("enough")
    },
  }

  readonly #runs = new Map<string, number>()

  #hold(signal?: AbortSignal): Promise<void> {
    if (this.#isOver || signal?.aborted === true) return Promise.resolve()
    return new Promise((resolve) => {
      this.#held.add(resolve)
      signal?.addEventListener("abort", () => resolve(), { once: true })
    })
  }
}

interface Account {
  readonly job: DrivenJob
  readonly task: string
  isCancelled: boolean
  /** It was cancelled while it waited or was held. */
  mustNotComplete: boolean
}

async function run(steps: readonly Step[]): Promise<void> {
  const holding = new Holding()
  await using driver = await Driver.open()
  const nodes: ExecutorNode[] = []
  const accounts: Account[] = []
  const start = async (): Promise<void> => {
    nodes.push(await driver.start({ tasks: holding.tasks, executor: driver.virtual(2) }))
  }
  const choose = <T>(among: readonly T[], n: number): T | undefined => among[n % Math.max(among.length, 1)]
  await start()
  for (const next of steps) {
    switch (next.do) {
      case "submit": {
        const job = await driver.add(next.task, [], { attempts: next.attempts })
        accounts.push({ job, task: next.task, isCancelled: false, mustNotComplete: false })
        break
      }
      case "series": {
        const series = { kind: "rate", period: 0, due: 0, runs: 0, deathsBefore: 0 } as const
        const job = await driver.add("series", [next.runs, `s${accounts.length}`], { data: { series } })
        accounts.push({ job, task: "series", isCancelled: false, mustNotComplete: false })
        break
      }
      case "cancel": {
        const account = choose(accounts, next.job)
        if (account === undefined) break
        await turns() // what was released has ended
        account.isCancelled = true
        account.mustNotComplete ||=
          account.job.ends.length === 0 && (account.task === "held" || account.task === "deaf")
        await account.job.cancel(next.interrupt)
        break
      }
      case "kill":
      case "cutOff": {
        const node = choose(nodes, next.node)
        if (node !== undefined) driver.engine[next.do](node.id)
        break
      }
      case "drain":
      case "giveBack": {
        const [node] = nodes.splice(next.node % Math.max(nodes.length, 1), 1)
        void node?.close(next.do === "drain" ? undefined : 0)
        break
      }
      case "start":
        if (nodes.length < 4) await start()
        break
      case "release":
        holding.release()
        break
      case "wait":
        await turns(2)
        break
    }
  }
  holding.end()
  await start() // at least one is well
  await eventually(() => accounts.every(({ job }) => job.ends.length > 0))
  await turns()
  for (const account of accounts) assertAccount(account)
  for (const node of nodes) await node.close()
  assert.deepEqual(
    nodes.map(({ running }) => running),
    nodes.map(() => 0),
  )
}

/** What may have become of a job. A node that is killed may cost any job its life: the second time, by NodeDeathError. */
function assertAccount({ job, task, isCancelled, mustNotComplete }: Account): void {
  assert.equal(job.ends.length, 1, `${job.id} of ${task} has ended ${job.ends.length} times`)
  const [end] = job.ends
  assert.ok(end)
  if (end.kind === "removed") assert.ok(isCancelled)
  else if (end.kind === "completed") {
    assert.equal(end.value, task)
    assert.ok(!mustNotComplete, `${job.id} of ${task} has completed, though it was cancelled before`)
  }
  if (end.kind === "failed") {
    const possible: Record<FailureKind, boolean> = {
      cancelled: isCancelled,
      "node-death": true,
      "unknown-task": task === "unknown",
      error: task === "failing" || task === "series",
      timeout: false,
    }
    assert.ok(possible[end.failure], `${job.id} of ${task} ended as ${end.failure}: ${String(end.error)}`)
  }
}

test("[ND49] whatever happens to jobs and nodes, each job ends exactly once", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), run), { numRuns: 150 })
})
