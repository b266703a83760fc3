/** How lanes are made of events: docs/spec/monitor.md. */
import { LaneRecorder } from "#src/monitor/lane-recorder.js"
import type { PoolEvent } from "#src/events/event-source.js"
import { startMonitorOn } from "#src/monitor/monitor.js"
import { computeOf } from "#src/task/reference.js"
import { OUTCOMES } from "#src/monitor/wire.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { MadeEvents } from "../../support/monitor-events.ts"
import { frames } from "./support/client.js"

const ONE = { id: 1, name: "thread-1" }
const TWO = { id: 2, name: "thread-2" }

test("[MO14] a block for each task, from its beginning to its end, with its waiting time; marks of threads", () => {
  const events = new MadeEvents()
  const recorder = new LaneRecorder()
  recorder.add(
    [
      events.event("started", 5, { thread: ONE }),
      ...events.task(ONE, 1, "add", 10, 3),
      ...events.task(TWO, 2, "add", 11, 4, "failed"),
      events.event("stole", 12, { thread: TWO }),
      events.event("began", 20, { thread: ONE, task: 3, name: "sub" }),
    ],
    1000,
  )
  const frame = recorder.frame(0)
  assert.deepEqual(frame.lanes, [
    { id: 1, pool: "images", thread: "thread-1" },
    { id: 2, pool: "images", thread: "thread-2" },
  ])
  assert.deepEqual(frame.names, ["add", "sub"])
  assert.deepEqual(frame.blocks, [
    [1, 0, 1010, 3, 2, 1, 1, 1, 0, 3],
    [2, 0, 1011, 4, 2, 2, 2, 1, 0, 4],
  ])
  assert.deepEqual(frame.open, [[1, 1, 1020, 3, 0]])
  assert.deepEqual(frame.marks, [
    [1, "started", 1005],
    [2, "stole", 1012],
  ])
  assert.deepEqual([frame.tasks, frame.grain], [2, 0])
  const next = recorder.frame(0)
  assert.deepEqual([next.lanes, next.names, next.blocks, next.open.length], [[], [], [], 1])
})

test("[MO19] a task whose thread ends before it has died", () => {
  const events = new MadeEvents()
  const recorder = new LaneRecorder()
  recorder.add(
    [
      events.event("began", 10, { thread: ONE, task: 1, name: "crash" }),
      events.event("exited", 15, { thread: ONE, outcome: "failed" }),
      events.event("idle", 15, { thread: TWO }),
      events.event("exited", 16, { thread: TWO }),
    ],
    0,
  )
  const { blocks, marks, open } = recorder.frame(0)
  assert.deepEqual(blocks, [[1, 0, 10, 5, -1, 1, OUTCOMES.indexOf("died"), 1, 0, 5]])
  assert.deepEqual(marks, [
    [1, "died", 15],
    [2, "exited", 16],
  ])
  assert.deepEqual(open, [])
})

test("[MO28] a task inside of another one has a depth, and a wait inside of a task is told with what it is for", () => {
  const events = new MadeEvents()
  const recorder = new LaneRecorder()
  const of = (kind: PoolEvent["kind"], time: number, task: number, name: string): PoolEvent =>
    events.event(kind, time, { thread: ONE, task, name, outcome: kind === "ended" ? "success" : undefined })
  recorder.add(
    [
      of("began", 10, 1, "outer"),
      of("blocked", 11, 1, "join"),
      of("began", 12, 2, "inner"),
      of("blocked", 13, 2, "ReentrantLock"),
      of("unblocked", 15, 2, "ReentrantLock"),
      of("ended", 16, 2, "inner"),
      of("unblocked", 18, 1, "join"),
      of("ended", 20, 1, "outer"),
      of("began", 30, 3, "outer"),
      of("blocked", 31, 3, "Semaphore"),
      of("unblocked", 32, 3, "of a wait that began before"),
    ],
    0,
  )
  const { blocks, waits, open, openWaits, tasks } = recorder.frame(0)
  assert.deepEqual(blocks, [
    [1, 1, 12, 4, -1, 2, 1, 1, 1, 4],
    [1, 0, 10, 10, -1, 1, 1, 1, 0, 10],
  ])
  assert.deepEqual(waits, [
    [1, "ReentrantLock", 13, 2],
    [1, "join", 11, 7],
  ])
  assert.deepEqual(open, [[1, 0, 30, 3, 0]])
  assert.deepEqual(openWaits, [[1, "Semaphore", 31]])
  assert.equal(tasks, 2)
})

test("[MO28] a thread that dies ends what runs and what waits in it", () => {
  const events = new MadeEvents()
  const recorder = new LaneRecorder()
  recorder.add(
    [
      events.event("began", 10, { thread: ONE, task: 1, name: "outer" }),
      events.event("began", 12, { thread: ONE, task: 2, name: "inner" }),
      events.event("blocked", 13, { thread: ONE, task: 2, name: "Phaser" }),
      events.event("exited", 20, { thread: ONE, outcome: "failed" }),
    ],
    0,
  )
  const { blocks, waits, open, openWaits } = recorder.frame(0)
  assert.deepEqual(
    blocks.map((block) => [block[5], block[3], block[6]]),
    [
      [2, 8, OUTCOMES.indexOf("died")],
      [1, 10, OUTCOMES.indexOf("died")],
    ],
  )
  assert.deepEqual(waits, [[1, "Phaser", 13, 7]])
  assert.deepEqual([open, openWaits], [[], []])
})

test("[MO29] a frame is bounded: joined blocks grow with the number of threads, names are cut, and threads without lanes counted", () => {
  const events = new MadeEvents()
  const recorder = new LaneRecorder()
  const threads = Array.from({ length: 300 }, (_, at) => ({ id: at, name: `t${at} ${"x".repeat(100_000)}` }))
  const huge = "f".repeat(1_000_000)
  let task = 0
  for (let time = 0; time < 250; time += 2) {
    for (const thread of threads) recorder.add(events.task(thread, ++task, huge, time, 0.5), 0)
  }
  const frame = recorder.frame(0)
  assert.ok(frame.grain > 4)
  assert.ok(frame.blocks.length <= 2000, `${frame.blocks.length} blocks`)
  assert.equal(frame.tasks, task)
  assert.deepEqual([frame.lanes.length, frame.moreThreads], [256, 44])
  assert.ok(JSON.stringify(frame).length < 500_000)
  for (const thread of threads) recorder.add([events.event("exited", 300, { thread })], 0)
  const after = recorder.frame(0)
  assert.deepEqual([after.moreThreads, after.marks.length], [0, 256])
})

test("[MO29] threads that live for a task each take turns in the lanes of their pool", () => {
  const events = new MadeEvents()
  const recorder = new LaneRecorder()
  for (let at = 0; at < 1000; at++) {
    const thread = { id: at, name: `virtual-${at}` }
    recorder.add(events.task(thread, at, "once", at, 0.5), 0)
    recorder.add([events.event("exited", at + 0.6, { thread })], 0)
  }
  const { lanes, blocks } = recorder.frame(0)
  assert.deepEqual(new Set(lanes.map(({ id }) => id)), new Set([1, 2, 3, 4, 5]))
  assert.equal(lanes.at(-1)?.thread, "virtual-999")
  assert.equal(blocks.length, 1000)
})

test("[MO29] names beyond the first 5,000 are one", () => {
  const events = new MadeEvents()
  const recorder = new LaneRecorder()
  for (let at = 0; at < 6000; at++) recorder.add(events.task(ONE, at + 1, `request ${at}`, at * 10, 5), 0)
  const { names, blocks } = recorder.frame(0)
  assert.deepEqual([names.length, names[4999]], [5001, "request 4999"])
  assert.equal(blocks.at(-1)?.[1], 5000)
})

test("[MO33] a task that is an object has the name of its class", () => {
  class Sum {
    readonly from = 0
  }
  assert.equal(computeOf(Sum).name, "Sum")
  const Hostile = Object.defineProperty(
    class {
      readonly from = 0
    },
    "name",
    {
      get() {
        throw new Error("no name")
      },
    },
  )
  assert.equal(computeOf(Hostile).name, "")
})

test("[MO18] more tasks than can be shown are joined: none is lost from the count, and no failure is hidden", () => {
  const events = new MadeEvents()
  const recorder = new LaneRecorder()
  for (let i = 0; i < 12_500; i++) {
    const thread = i % 2 === 0 ? ONE : TWO
    recorder.add(events.task(thread, i + 1, "tiny", i * 0.02, 0.01, i === 7000 ? "failed" : "success"), 0)
  }
  recorder.add(events.task(ONE, 20_000, "long", 300, 50), 0)
  const frame = recorder.frame(3)
  assert.equal(frame.grain, 4)
  assert.ok(frame.blocks.length <= 2000)
  assert.equal(frame.tasks, 12_501)
  assert.equal(
    frame.blocks.reduce((sum, block) => sum + block[7], 0),
    12_501,
  )
  assert.equal(frame.blocks.filter((block) => block[6] === OUTCOMES.indexOf("failed")).length, 1)
  assert.deepEqual(frame.blocks.at(-1), [1, 1, 300, 50, 2, 20_000, 1, 1, 0, 50])
  assert.equal(frame.dropped, 3)
  assert.equal(recorder.frame(0).grain, 0)
})

test("[MO2] events are listened to only while a client looks", async () => {
  const events = new MadeEvents()
  await using monitor = await startMonitorOn(events, { pools: [] })
  assert.equal(events.isHeard, false)
  const stream = frames(monitor)
  await stream.next()
  assert.equal(events.isHeard, true)
  await stream.return(undefined)
  while (events.isHeard) await new Promise((resolve) => setImmediate(resolve))
})
