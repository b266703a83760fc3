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
  const changes = (await scenariosOf(suite)).flatMap(changedInOneMember)
  const { failures } = await replayLines(
    changes.map(({ scenario }) => JSON.stringify(scenario)),
    threads,
  )
  for (const [i, { scenario, member }] of changes.entries()) {
    const where = new RegExp(`^${scenario.id}( on .*)?: step ${scenario.steps.length} .*${member}: expected`)
    assert.match(failures[i] ?? "", where, `a change of ${member} in ${scenario.id}`)
  }
}

/** A few scenarios of a suite that together have every member, for each class that it is about. */
async function scenariosOf(suite: (typeof suites)[number]): Promise<Scenario[]> {
  const seen = new Set<string>()
  const lines = (await readFile(recordingOf(suite), "utf8")).trim().split("\n")
  return lines.map(parseScenario).filter(({ setup, steps }) => {
    const members = Object.keys(steps.at(-1)?.expect ?? {}).map((member) => `${String(setup["sync"])} ${member}`)
    const isNew = members.some((member) => !seen.has(member))
    for (const member of members) seen.add(member)
    return isNew
  })
}

/** The scenario with another expectation of its last step, once for each member. */
function changedInOneMember(recorded: Scenario): { scenario: Scenario; member: string }[] {
  const last = recorded.steps.at(-1)
  assert(last !== undefined)
  return Object.keys(last.expect).map((member) => {
    const changed = { ...last, expect: { ...last.expect, [member]: otherThan(last.expect[member], member) } }
    return { scenario: { ...recorded, steps: [...recorded.steps.slice(0, -1), changed] }, member }
  })
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
