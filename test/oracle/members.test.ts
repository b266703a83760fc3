/** That the replayer looks at everything. Rule ids are those of docs/spec/oracle.md. */
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { test } from "node:test"
import type { Json } from "./json.ts"
import { recordingOf, suites } from "./recordings.ts"
import { replayLines } from "./replay.ts"
import { onVirtualThreads, type Threads } from "./threads.ts"
import { parseScenario, type Scenario } from "./trace.ts"
import { ActorWorkers } from "./workers/actor-workers.ts"

for (const suite of suites) {
  test(`[OR5] every recorded member of suite ${suite} is looked at: a change of any of them is reported`, async () => {
    await assertEveryChangeShows(suite, onVirtualThreads)
  })
}

for (const kind of ["platform", "platform-awaiting"] as const) {
  test(`[OR5] every recorded member of suite sync is looked at on ${kind} threads`, async () => {
    await using threads = new ActorWorkers(kind)
    await assertEveryChangeShows("sync", threads)
  })
}

for (const suite of ["threadpool", "invoke"] as const) {
  test(`[OR5] every recorded member of suite ${suite} is looked at on pools of worker threads`, async () => {
    await using threads = new ActorWorkers("platform")
    await assertEveryChangeShows(suite, threads)
  })
}

async function assertEveryChangeShows(suite: (typeof suites)[number], threads: Threads): Promise<void> {
  const changes = await changesOf(suite)
  const { failures } = await replayLines(
    changes.map(({ scenario }) => JSON.stringify(scenario)),
    threads,
  )
  for (const [i, { scenario, member }] of changes.entries()) {
    const where = new RegExp(`^${scenario.id}( on .*)?: step ${scenario.steps.length} .*${member}: expected`)
    assert.match(failures[i] ?? "", where, `a change of ${member} in ${scenario.id}`)
  }
}

interface Change {
  readonly scenario: Scenario
  readonly member: string
}

/** For each member of a suite, and each class that it is about: the shortest scenario that has it in its last step, with another expectation there. */
async function changesOf(suite: (typeof suites)[number]): Promise<Change[]> {
  const seen = new Set<string>()
  const lines = (await readFile(recordingOf(suite), "utf8")).trim().split("\n")
  const scenarios = lines.map(parseScenario).toSorted((a, b) => a.steps.length - b.steps.length)
  return scenarios.flatMap((recorded) => {
    const members = Object.keys(recorded.steps.at(-1)?.expect ?? {})
    return members.flatMap((member) => {
      const key = `${String(recorded.setup["sync"])} ${member}`
      if (seen.has(key)) return []
      seen.add(key)
      return changedIn(recorded, member)
    })
  })
}

function changedIn(recorded: Scenario, member: string): Change {
  const last = recorded.steps.at(-1)
  assert(last !== undefined)
  const changed = { ...last, expect: { ...last.expect, [member]: otherThan(last.expect[member], member) } }
  return { scenario: { ...recorded, steps: [...recorded.steps.slice(0, -1), changed] }, member }
}

function otherThan(value: Json | undefined, member: string): Json {
  if (member === "completed") return [...(value as Json[]), { by: "a9", do: "other" }]
  switch (typeof value) {
    case "number":
      return value + 1
    case "boolean":
      return !value
    default:
      return Array.isArray(value) ? [...(value as Json[]), "other"] : { other: true }
  }
}
