/** Scenarios on pools of worker threads. Rule ids are those of docs/spec/oracle.md. */
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { test } from "node:test"
import { Executors } from "corepool"
import type { JsonObject } from "../json.ts"
import { pastShortTimeout } from "../quiescence.ts"
import { recordingOf } from "../recordings.ts"
import { replay, replayLines, type Report } from "../replay.ts"
import { VoidReplay } from "../suites/scenario-clock.ts"
import type { Scenario } from "../trace.ts"
import { ActorWorkers } from "../workers/actor-workers.ts"
import type { Part } from "./part.ts"
import { WorkerStage } from "./worker-stage.ts"

/** One scenario in so many is in the sample; `npm run oracle` replays all. */
const SAMPLE = { threadpool: 48, invoke: 8 }

function assertAllPassed({ passed, failures }: Report): void {
  assert.equal(failures.length, 0, `${failures.length} of ${passed + failures.length} differ:\n${failures.join("\n")}`)
  assert(passed > 0)
}

async function sampleOf(suite: keyof typeof SAMPLE, first: number): Promise<string[]> {
  const lines = (await readFile(recordingOf(suite), "utf8")).trim().split("\n")
  return lines.filter((_, i) => i % SAMPLE[suite] === first)
}

test("[OR17] a sample of the recorded JDK 17 scenarios of suite threadpool replays on worker threads", async () => {
  await using threads = new ActorWorkers("platform")
  assertAllPassed(await replayLines(await sampleOf("threadpool", 0), threads))
})

for (const [first, kind] of (["platform", "platform-awaiting"] as const).entries()) {
  test(`[OR17] a sample of the recorded JDK 17 scenarios of suite invoke replays on ${kind} threads`, async () => {
    await using threads = new ActorWorkers(kind)
    assertAllPassed(await replayLines(await sampleOf("invoke", first), threads))
  })
}

/** Of suite scheduled, where every scenario takes seconds: what runs again, ends early, and needs several threads or none. Half for each kind. */
const TIMED_SAMPLE = {
  platform: ["fixed-rate-catches-up", "cancel-self", "core-zero"],
  "platform-awaiting": ["two-threads-do-not-wait", "cancel-periodic-while-running", "shutdownnow"],
}

for (const kind of ["platform", "platform-awaiting"] as const) {
  test(`[OR20] a sample of the recorded JDK 17 scenarios of suite scheduled replays on ${kind} threads`, async () => {
    await using threads = new ActorWorkers(kind)
    const lines = (await readFile(recordingOf("scheduled"), "utf8")).split("\n")
    const sample = TIMED_SAMPLE[kind].flatMap(
      (name) => lines.find((line) => line.includes(`"named-scheduled-${name}"`)) ?? [],
    )
    assert.equal(sample.length, TIMED_SAMPLE[kind].length)
    assertAllPassed(await replayLines(sample, threads))
  })
}

// ------------------------------------------------------------------ the replayer itself

const setup: JsonObject = {
  corePoolSize: 1,
  maximumPoolSize: 1,
  keepAliveMs: 60_000,
  queue: { kind: "linked", capacity: null },
  handler: "abort",
  allowCoreThreadTimeOut: false,
}

test("[OR18] nothing is compared while tasks are still to run", async () => {
  await using threads = new ActorWorkers("platform")
  const names = Array.from({ length: 12 }, (_, i) => `t${i + 1}`)
  const steps: [JsonObject, JsonObject][] = names.map((task, i) => [
    { do: "execute", task },
    { queueSize: i, activeCount: 1 },
  ])
  for (const task of names.slice(1, -1)) steps.push([{ do: "release", task }, { completedTaskCount: 0 }])
  // Now one after the other goes through its gate, as far as the last one.
  const ended = names.slice(0, -1)
  steps.push([
    { do: "release", task: "t1" },
    { completedTaskCount: 11, activeCount: 1, newEnds: ended.map((name) => `${name}:returned`).sort() },
  ])
  const relay: Scenario = {
    id: "made-up",
    suite: "threadpool",
    setup,
    steps: steps.map(([op, expect]) => ({ op, expect })),
  }
  for (let times = 5; times > 0; times--) assert.equal(await replay(relay, threads), undefined)
})

function part(name: string, number: number): Part {
  return { name, number, body: "gate", uninterruptible: false, spawns: [] }
}

test("[OR18] a stage is not quiet while a thread starts, and is when its task is at the gate", async () => {
  const stage = new WorkerStage({ get pool() { return pool }, execute: () => undefined }, true) // prettier-ignore
  const pool = Executors.newFixedThreadPool(1, stage.factory())
  const task = part("t1", 0)
  pool.execute(stage.callable(task))
  assert.equal(stage.hasStarted(task), false)
  await stage.quiet(() => "")
  assert.deepEqual(stage.page(), { newStarts: ["t1"], newEnds: [] })
  stage.tell(task, "release")
  await stage.quiet(() => "")
  assert.deepEqual(stage.page(), { newStarts: [], newEnds: ["t1:returned"] })
  pool.shutdown()
  await stage.quiet(() => "")
  assert.equal(pool.isTerminated, true)
  await stage.close()
})

test("[OR23] a replay in which a thread began too late for a short time-out is void, but not for ever", async () => {
  for (const [attempt, isVoid] of [
    [1, true],
    [6, false],
  ] as const) {
    const stage = new WorkerStage({ get pool() { return pool }, execute: () => undefined }, true, { attempt }) // prettier-ignore
    const pool = Executors.newFixedThreadPool(1, stage.factory())
    const task = part("t1", 0)
    pool.execute(stage.callable(task))
    await stage.quiet(() => "")
    stage.checkStarts(1e9)
    assert.throws(
      () => stage.checkStarts(1e-6),
      (error) => error instanceof VoidReplay === isVoid,
    )
    pool.shutdown()
    await stage.close()
  }
})

test("[OR23] an op is waited for as long as its time-out has become, though that is longer than all patience", async () => {
  const realNow = performance.now.bind(performance)
  let now = 0
  let isOver = false
  performance.now = () => (now += 1000)
  try {
    await pastShortTimeout(
      { timeoutMs: 1 },
      () => Promise.resolve(),
      () => (isOver = now > 60_000),
      () => 60_000,
    )
  } finally {
    performance.now = realNow
  }
  assert.equal(isOver, true)
})

test("[OR19] a stage whose pool does not end says so when it is closed", async () => {
  const stage = new WorkerStage({ get pool() { return pool }, execute: () => undefined }, true, { patience: 50 }) // prettier-ignore
  const pool = Executors.newFixedThreadPool(1, stage.factory())
  await assert.rejects(stage.close(), /The pool does not end/)
  await pool.close()
})
