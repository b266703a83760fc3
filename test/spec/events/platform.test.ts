/** Events of platform threads, which they write into rings: docs/spec/events.md. */
import {
  Executors,
  platformThreads,
  type TaskContext,
  type TaskRunContext,
  virtualThreads,
  type WorkerMessage,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import type { PoolEvent } from "#src/events/event-source.js"
import { eventSource } from "#src/events/listening.js"
import { Recorder } from "../../support/channels.ts"
import { eventually } from "../../support/harness.ts"

test("[EV30] the events of a task on a platform thread, and of its thread", async () => {
  const heard: PoolEvent[] = []
  const listening = eventSource.listen((events) => heard.push(...events))
  const pool = Executors.newFixedThreadPool(1, platformThreads({ name: "lane" }))
  assert.equal(
    await pool.submit(function first(n: number) {
      return n + 1
    }, 1),
    2,
  )
  await assert.rejects(
    pool
      .submit(function second() {
        throw new Error("no")
      })
      .get(),
  )
  pool.execute(function third() {})
  await eventually(() => {
    listening.drain()
    return heard.some(({ kind, thread }) => kind === "idle" && thread?.name === "lane-1")
  })
  await pool.close()
  // The thread ends a moment after the pool.
  await eventually(() => {
    listening.drain()
    const isSettled = heard.some(({ kind, name }) => kind === "settled" && name === "third")
    return isSettled && heard.some(({ kind, thread }) => kind === "exited" && thread?.name === "lane-1")
  })
  listening.stop()
  const of = (name: string): unknown[][] =>
    heard.filter((event) => event.name === name).map(({ kind, thread, outcome }) => [kind, thread?.name, outcome])
  assert.deepEqual(
    of("first").filter(([kind]) => kind !== "settled"),
    [
      ["submitted", undefined, undefined],
      ["began", "lane-1", undefined],
      ["ended", "lane-1", "success"],
    ],
  )
  for (const [name, outcome] of [
    ["first", "success"],
    ["second", "failed"],
    ["third", "success"],
  ] as const) {
    const own = heard.filter((event) => event.name === name)
    assert.deepEqual(own.map(({ kind }) => kind).sort(), ["began", "ended", "settled", "submitted"], name)
    assert.equal(new Set(own.map(({ task }) => task)).size, 1, name)
    assert.deepEqual(
      own.filter((event) => event.outcome !== undefined).map((event) => event.outcome),
      [outcome, outcome],
    )
    const [began, ended] = ["began", "ended"].map((kind) => own.find((event) => event.kind === kind)?.time ?? NaN)
    assert.ok((began as number) <= (ended as number))
  }
  const kinds = heard.filter(({ thread }) => thread?.name === "lane-1").map(({ kind }) => kind)
  assert.equal(kinds.filter((kind) => kind === "started").length, 1)
  assert.equal(kinds.at(-1), "exited")
  assert.ok(kinds.includes("idle"))
  assert.equal(listening.dropped, 0)
})

test("[EV31] corepool:task.run has tasks of platform threads, with the times of their threads", async () => {
  using submitted = Recorder.tracing<TaskContext>("task")
  using heard = Recorder.tracing<TaskRunContext>("task.run")
  using workers = new Recorder<WorkerMessage>(["worker.started", "worker.exited"])
  const pool = Executors.newFixedThreadPool(1, platformThreads())
  await pool.submit(function work() {
    return 1
  })
  await eventually(() => heard.parts().length === 4)
  await pool.close()
  await eventually(() => workers.messages.length === 2)
  assert.deepEqual(heard.parts(), ["start", "end", "asyncStart", "asyncEnd"])
  const [run] = heard.messages
  assert.ok(heard.messages.every((message) => message === run))
  const [task] = submitted.messages
  assert.equal(run?.submission, task)
  assert.ok((task?.submittedAt as number) <= (run?.startedAt as number))
  assert.ok((run?.endedAt as number) <= (task?.settledAt as number))
  assert.equal(run?.outcome, "success")
  assert.deepEqual(workers.parts(), ["worker.started", "worker.exited"])
  assert.equal(workers.messages[1]?.died, false)
})

test("[EV31] a failed run on a platform thread has no error: its task has it", async () => {
  using submitted = Recorder.tracing<TaskContext>("task")
  using heard = Recorder.tracing<TaskRunContext>("task.run")
  await using pool = Executors.newFixedThreadPool(1, platformThreads())
  const work = (): never => {
    throw new Error("no")
  }
  await assert.rejects(pool.submit(work).get())
  await eventually(() => heard.parts().length === 5)
  const [run] = heard.messages
  assert.equal(run?.outcome, "failed")
  assert.ok(!("error" in run))
  const [task] = submitted.messages
  assert.ok(task?.error instanceof Error)
  assert.equal(task.error.message, "no")
})

test("[EV32] the task and the thread of a thread that dies", async () => {
  const heard: PoolEvent[] = []
  const listening = eventSource.listen((events) => heard.push(...events))
  await using pool = Executors.newFixedThreadPool(1, platformThreads({ name: "mortal" }))
  await assert.rejects(pool.submit(() => process.exit(3)).get())
  assert.equal(await pool.submit(() => 1), 1)
  await eventually(() => {
    listening.drain()
    return heard.some(({ kind, thread }) => kind === "ended" && thread?.name === "mortal-2")
  })
  listening.stop()
  const died = heard.find(({ kind, thread }) => kind === "exited" && thread?.name === "mortal-1")
  assert.equal(died?.outcome, "failed")
  assert.ok(!heard.some(({ kind, thread }) => kind === "ended" && thread?.name === "mortal-1"))
  const began = heard.filter(({ kind }) => kind === "began").map(({ thread }) => thread?.name)
  assert.deepEqual(began, ["mortal-1", "mortal-2"])
})

test("[EV38] the run of a task that kills its thread has an end on the channel", async () => {
  using heard = Recorder.tracing<TaskRunContext>("task.run")
  await using pool = Executors.newFixedThreadPool(1, platformThreads())
  await assert.rejects(pool.submit(() => process.exit(3)).get())
  await eventually(() => heard.parts().length === 5)
  assert.deepEqual(heard.parts(), ["start", "end", "error", "asyncStart", "asyncEnd"])
  const [run] = heard.messages
  assert.equal(run?.outcome, "failed")
  assert.ok(run.endedAt !== undefined && run.endedAt >= run.startedAt)
})

for (const [kind, threads] of [
  ["platform", () => platformThreads({ name: "mortal", uncaughtException: () => undefined })],
  ["virtual", () => virtualThreads({ name: "mortal", uncaughtException: () => undefined })],
] as const) {
  test(`[EV40] commands that throw, on ${kind} threads: each thread has exited, and each run has ended`, async () => {
    using exits = new Recorder<WorkerMessage>(["worker.exited"])
    const heard: PoolEvent[] = []
    const listening = eventSource.listen((events) => heard.push(...events))
    await using pool = Executors.newFixedThreadPool(1, threads())
    for (let i = 0; i < 3; i++) {
      pool.execute(function fails() {
        throw new Error("of a command")
      })
    }
    assert.equal(await pool.submit(() => 1), 1)
    await pool.close()
    // A thread of an earlier test's pool may exit meanwhile.
    const own = () => exits.messages.filter(({ thread }) => thread.name.startsWith("mortal-"))
    await eventually(() => own().length === 4)
    listening.drain()
    listening.stop()
    assert.deepEqual(
      own().map(({ thread, died }) => [thread.name, died]),
      [
        ["mortal-1", true],
        ["mortal-2", true],
        ["mortal-3", true],
        ["mortal-4", false],
      ],
    )
    const ends = heard.filter((event) => event.kind === "ended" && event.name === "fails")
    assert.deepEqual(
      ends.map(({ thread, outcome }) => [thread?.name, outcome]),
      [1, 2, 3].map((n) => [`mortal-${n}`, "failed"]),
    )
  })
}

test("[EV33] threads write only while there is a listener, and events that were not read in time are counted", async () => {
  await using pool = Executors.newFixedThreadPool(1, platformThreads())
  await pool.submit(() => 1)
  const heard: PoolEvent[] = []
  const listening = eventSource.listen((events) => heard.push(...events))
  const many = 3000
  const futures = Array.from({ length: many }, () => pool.submit(() => 1))
  for (const future of futures) future.getSync() // so the event loop does not turn, and the ring is not read
  listening.drain()
  const ends = heard.filter(({ kind }) => kind === "ended").length
  assert.ok(ends > 0 && ends < many)
  assert.ok(listening.dropped > 0)
  listening.stop()
  const before = heard.length
  await pool.submit(() => 1)
  assert.equal(heard.length, before)
})
