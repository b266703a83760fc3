/** Rule ids like [OR1] refer to docs/spec/oracle.md. */
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { devNull } from "node:os"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { type Ended, runFile } from "../support/child.ts"
import { deliberateDifferences } from "./deliberate-differences.ts"
import { expectations } from "./expectation.ts"
import type { JsonObject } from "./json.ts"
import { recordingOf, suites } from "./recordings.ts"
import { replay, replayFile, replayLines } from "./replay.ts"
import { onVirtualThreads } from "./threads.ts"
import { parseScenario, type Scenario } from "./trace.ts"

async function assertReplays(suite: (typeof suites)[number]): Promise<void> {
  const { passed, failures } = await replayFile(recordingOf(suite), onVirtualThreads)
  assert.equal(failures.length, 0, `${failures.length} of ${passed + failures.length} differ:\n${failures.join("\n")}`)
}

test("[OR1] the recorded JDK 17 scenarios of suite threadpool replay with the same trace", () =>
  assertReplays("threadpool"))

test("[OR2] the recorded JDK 17 scenarios of suite futuretask replay with the same trace", () =>
  assertReplays("futuretask"))

test("[OR3] the recorded JDK 17 scenarios of suite queue replay with the same trace", () => assertReplays("queue"))

test("[OR4] the recorded JDK 17 scenarios of suite invoke replay with the same trace", () => assertReplays("invoke"))

test("[OR10] the recorded JDK 17 scenarios of suite scheduled replay with the same trace", () =>
  assertReplays("scheduled"))

test("[OR13] the recorded JDK 17 scenarios of suite sync replay with the same trace on flows of one thread", () =>
  assertReplays("sync"))

// ------------------------------------------------------------------ the replayer itself

/** A pool of one with a queue of one that discards; the second and third task never start. */
const setup = {
  corePoolSize: 1,
  maximumPoolSize: 1,
  keepAliveMs: 60_000,
  queue: { kind: "array", capacity: 1 },
  handler: "discard",
  allowCoreThreadTimeOut: false,
}

function scenario(
  steps: readonly (readonly [op: JsonObject, expect: JsonObject])[],
  more: Partial<Scenario> = {},
): Scenario {
  return { id: "made-up", suite: "threadpool", setup, steps: steps.map(([op, expect]) => ({ op, expect })), ...more }
}

const submit = (task: string): JsonObject => ({ do: "submit", task })

test("[OR5] a wrong expectation is reported with id, step, op, member, expected and got", async () => {
  const wrong = scenario([
    [submit("t1"), { poolSize: 1 }],
    [submit("t2"), { poolSize: 1, queuedTasks: [] }],
  ])
  const { passed, failures } = await replayLines([JSON.stringify(wrong)], onVirtualThreads)
  assert.equal(passed, 0)
  assert.deepEqual(failures, ['made-up: step 2 {"do":"submit","task":"t2"}: queuedTasks: expected [], got ["t2"]'])
})

test("[OR6] what cannot be replayed fails", async () => {
  const lines = [
    "no JSON",
    JSON.stringify(scenario([])),
    JSON.stringify(scenario([[{ do: "idle" }, {}]], { suite: "chess" })),
    JSON.stringify(scenario([[{ do: "idle" }, {}]], { suite: "sync", setup: { sync: "CountDownLatch", count: 1 } })),
    JSON.stringify(scenario([[{ do: "juggle" }, {}]])),
    JSON.stringify(scenario([[{ do: "release", task: "t1" }, {}]])),
  ]
  const { passed, failures } = await replayLines(lines, onVirtualThreads)
  assert.equal(passed, 0)
  const reasons = [/line 1: is no scenario/, /has no steps/, /suite chess is unknown/, /Suite sync has no op/]
  for (const [i, reason] of [...reasons, /has no op/, /No task is called t1/].entries())
    assert.match(failures[i] ?? "", reason)
})

test("[OR6] a file that is not there or holds nothing fails", async () => {
  const missing = await replayFile("no/such/file.jsonl", onVirtualThreads)
  assert.match(missing.failures.join(), /cannot be read/)
  const empty = await replayFile(devNull, onVirtualThreads)
  assert.match(empty.failures.join(), /holds no scenario/)
})

test("[OR7] a discarded task's future must be cancelled where the JDK leaves it new", async () => {
  const discarded = scenario([
    [submit("t1"), { futures: { t1: "running" } }],
    [submit("t2"), { futures: { t1: "running", t2: "new" }, queuedTasks: ["t2"] }],
    [submit("t3"), { futures: { t1: "running", t2: "new", t3: "new" }, queuedTasks: ["t2"] }],
    [{ do: "get", task: "t3", timeoutMs: 10 }, { result: { thrown: "TimeoutException" } }],
    [{ do: "cancel", task: "t3", mayInterrupt: false }, { result: { returned: true } }],
  ])
  const [, , third, get, cancel] = expectations(discarded)
  assert.deepEqual(third?.["futures"], { t1: "running", t2: "new", t3: "cancelled" })
  assert.deepEqual(get?.["result"], { thrown: "CancellationError" })
  assert.deepEqual(cancel?.["result"], { returned: false })
  assert.equal(await replay(discarded, onVirtualThreads), undefined)
})

test("[OR7] a task whose hook throws must fail with the hook's error where the JDK leaves it new", () => {
  const hooks = (before: number): JsonObject => ({ before, after: 0, afterWithThrowable: 0, terminated: 0 })
  const doomed = scenario(
    [
      [submit("t1"), { futures: { t1: "new" }, queuedTasks: [], hooks: hooks(1) }],
      [
        { do: "get", task: "t1", timeoutMs: 10 },
        { result: { thrown: "TimeoutException" }, hooks: hooks(1) },
      ],
    ],
    { setup: { ...setup, beforeExecuteThrows: ["t1"] } },
  )
  const [first, second] = expectations(doomed)
  assert.deepEqual(first?.["futures"], { t1: "done:failed" })
  assert.deepEqual(second?.["result"], { thrown: "OwnError", message: "beforeExecute" })
})

test("[OR7] a caller of invokeAll must be released by shutdownNow where it waits for ever in the JDK", async () => {
  const tasks = ["t1", "t2"].map((task) => ({ task, body: "gate" }))
  const late = { by: "a1", do: "invokeAll", thrown: "InterruptedException" }
  const released = scenario(
    [
      [
        { do: "invokeAll", tasks, by: "a1" },
        { newEnds: [], blocked: ["a1:invokeAll"], completed: [] },
      ],
      [{ do: "shutdownNow" }, { newEnds: ["t1:interrupted"], blocked: ["a1:invokeAll"], completed: [] }],
      [
        { do: "interrupt", actor: "a1" },
        { newEnds: [], blocked: [], completed: [late] },
      ],
    ],
    { suite: "invoke", setup: { threads: 1 } },
  )
  const [first, second, third] = expectations(released)
  assert.deepEqual(first?.["blocked"], ["a1:invokeAll"])
  const answer = [
    { task: "t1", state: "done:failed", cause: "t1 interrupted" },
    { task: "t2", state: "cancelled" },
  ]
  assert.deepEqual(
    [second?.["blocked"], second?.["completed"]],
    [[], [{ by: "a1", do: "invokeAll", returned: answer }]],
  )
  assert.deepEqual([third?.["blocked"], third?.["completed"]], [[], []])
  assert.equal(await replay(released, onVirtualThreads), undefined)
})

test("[OR8] without a row that applies, the recording is expected as it is", async () => {
  for (const suite of suites) {
    for (const line of (await readFile(recordingOf(suite), "utf8")).trim().split("\n")) {
      const recorded = parseScenario(line)
      if (/Exception|Error/.test(line) || /discard|callerRuns|shutdownNow|Throws/.test(line)) continue
      assert.deepEqual(
        expectations(recorded),
        recorded.steps.map(({ expect }) => expect),
        recorded.id,
      )
    }
  }
})

test("[OR8] the rows have distinct ids and say what Java does and what corepool does", () => {
  assert.equal(new Set(deliberateDifferences.map(({ id }) => id)).size, deliberateDifferences.length)
  for (const { java, here } of deliberateDifferences) assert(java.length > 0 && here.length > 0)
})

// ------------------------------------------------------------------ the command

function oracle(...args: string[]): Promise<Ended> {
  return runFile(fileURLToPath(new URL("main.js", import.meta.url)), ...args)
}

test("[OR9] the command tells how many passed and failed, and exits accordingly", async () => {
  const good = await oracle("--threads", "virtual", recordingOf("invoke"))
  assert.deepEqual([good.code, good.stdout], [0, "40 passed, 0 failed\n"])
  const bad = await oracle("no/such/file.jsonl")
  assert.equal(bad.code, 1)
  assert.match(bad.stdout, /\n0 passed, 1 failed\n$/)
})

test("[OR9] the command takes the kind of threads", async () => {
  const { code, stdout } = await oracle("--threads", "platform", recordingOf("futuretask"))
  assert.equal(code, 1)
  assert.match(stdout, /suite futuretask cannot be replayed on platform threads yet\n0 passed, \d\d+ failed\n$/)
})

test("[OR9] the command refuses what it does not know", async () => {
  for (const args of [["--threads", "green"], ["--nonsense"]]) {
    const { code, stdout, stderr } = await oracle(...args)
    assert.deepEqual([code, stdout], [2, ""])
    assert.notEqual(stderr, "")
  }
})
