/** Scenarios on worker threads. Rule ids are those of docs/spec/oracle.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { expectations } from "../expectation.ts"
import type { JsonObject } from "../json.ts"
import { recordingOf } from "../recordings.ts"
import { replay, replayFile, replayLines } from "../replay.ts"
import { makeSubject } from "../suites/sync/subjects.ts"
import { onVirtualThreads } from "../threads.ts"
import type { Scenario } from "../trace.ts"
import { ActorWorkers } from "./actor-workers.ts"

const both = ["platform", "platform-awaiting"] as const

async function assertReplays(kind: (typeof both)[number]): Promise<void> {
  await using threads = new ActorWorkers(kind)
  const { passed, failures } = await replayFile(recordingOf("sync"), threads)
  assert.equal(failures.length, 0, `${failures.length} of ${passed + failures.length} differ:\n${failures.join("\n")}`)
}

test("[OR14] the recorded JDK 17 scenarios of suite sync replay with the same trace on worker threads that block", () =>
  assertReplays("platform"))

test("[OR14] the recorded JDK 17 scenarios of suite sync replay with the same trace on worker threads that await", () =>
  assertReplays("platform-awaiting"))

// ------------------------------------------------------------------ the replayer itself

function scenario(
  setup: JsonObject,
  steps: readonly (readonly [op: JsonObject, expect: JsonObject])[],
  suite = "sync",
): Scenario {
  return { id: "made-up", suite, setup, steps: steps.map(([op, expect]) => ({ op, expect })) }
}

test("[OR6] a suite that threads of the kind cannot replay yet fails on them", async () => {
  await using threads = new ActorWorkers("platform")
  const line = JSON.stringify(scenario({}, [[{ do: "poll" }, {}]], "queue"))
  const { passed, failures } = await replayLines([line], threads)
  assert.equal(passed, 0)
  assert.match(failures.join(), /suite queue cannot be replayed on platform threads yet/)
})

test("[OR7] a thread that blocks must be refused where it waits for itself for ever in the JDK", async () => {
  const upgrade = scenario({ sync: "ReentrantReadWriteLock", fair: false }, [
    [
      { do: "readLock", by: "a1" },
      { completed: [{ by: "a1", do: "readLock" }], blocked: [] },
    ],
    [
      { do: "writeLock", by: "a1" },
      { blocked: ["a1:writeLock"], queued: ["a1"] },
    ],
    [
      { do: "readLock", by: "a2" },
      { blocked: ["a1:writeLock", "a2:readLock"], queued: ["a1", "a2"] },
    ],
  ])
  const refused = expectations(upgrade, "platform").map((expectation) => expectation["refused"])
  assert.deepEqual(refused, [[], ["a1:writeLock"], []])
  assert(!expectations(upgrade, "platform-awaiting").some((expectation) => "refused" in expectation))
  await using threads = new ActorWorkers("platform")
  assert.equal(await replay(upgrade, threads), undefined)
})

const semaphore = { sync: "Semaphore", permits: 0, fair: false }
const acquire = { do: "acquireUninterruptibly", permits: 1 }

for (const kind of both) {
  test(`[OR15] an actor on ${kind} threads that was rung is not at rest before it rests anew`, async () => {
    await using threads = new ActorWorkers(kind)
    const actor = await threads.take()
    const subject = makeSubject(semaphore)
    actor.open(subject.post(), { completed: () => undefined, refused: () => undefined, mistaken: assert.ifError })
    assert.equal(actor.rest, undefined)
    actor.perform(acquire)
    await eventually(() => actor.rest !== undefined)
    await actor.answer()
    const rest = actor.rest
    assert.notEqual(rest, undefined)
    actor.interrupt() // it cannot be interrupted, and goes to sleep again
    assert.notEqual(actor.rest, rest)
    await eventually(() => actor.rest !== undefined && actor.rest !== rest)
    assert.notEqual(actor.current, undefined)
    subject.openUp()
    await eventually(() => actor.current === undefined)
  })

  test(`[OR15] on ${kind} threads nothing is compared while somebody goes on`, async () => {
    await using threads = new ActorWorkers(kind)
    const relay = relayOf(["a1", "a2", "a3", "a4", "a5"])
    for (let times = 10; times > 0; times--) assert.equal(await replay(relay, threads), undefined)
  })
}

/** All want one lock. Whoever has it unlocks it and stands in line again, four times round. */
function relayOf(names: readonly string[]): Scenario {
  const steps: [JsonObject, JsonObject][] = names.map((by, i) => [
    { do: "lock", by },
    { owner: "a1", queued: names.slice(1, i + 1) },
  ])
  const line = [...names]
  for (let turns = 4 * names.length; turns > 0; turns--) {
    const by = line.shift() ?? ""
    steps.push([
      { do: "unlock", by },
      { owner: line[0] ?? null, queued: line.slice(1) },
    ])
    line.push(by)
    steps.push([
      { do: "lock", by },
      { owner: line[0] ?? null, queued: line.slice(1) },
    ])
  }
  return scenario({ sync: "ReentrantLock", fair: true, conditions: [] }, steps)
}

test("[OR16] with several kinds of threads a scenario passes if it does on all that can replay it", async () => {
  await using threads = new ActorWorkers("platform")
  const good = scenario(semaphore, [[{ do: "isFair" }, { result: { returned: false } }]])
  const bad = scenario(semaphore, [[{ do: "isFair" }, { result: { returned: true } }]])
  const pool = scenario({ threads: 1 }, [[{ do: "shutdown" }, { isShutdown: true }]], "invoke")
  const lines = [good, bad, pool].map((made) => JSON.stringify(made))
  const { passed, failures } = await replayLines(lines, onVirtualThreads, threads)
  assert.equal(passed, 2, failures.join())
  assert.match(failures.join("\n"), /^made-up: step 1 [^\n]*$/)
})
