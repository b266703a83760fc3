/** How lanes are made of events: docs/spec/monitor.md. */
import { LaneRecorder } from "#src/monitor/lane-recorder.js"
import { startMonitorOn } from "#src/monitor/monitor.js"
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
    [1, 0, 1010, 3, 2, 1, 1, 1],
    [2, 0, 1011, 4, 2, 2, 2, 1],
  ])
  assert.deepEqual(frame.open, [[1, 1, 1020, 3]])
  assert.deepEqual(frame.marks, [
    [1, "started", 1005],
    [2, "stole", 1012],
  ])
  assert.deepEqual([frame.tasks, frame.isSampled], [2, false])
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
      events.event("exited", 16, { thread: TWO }),
    ],
    0,
  )
  const { blocks, marks, open } = recorder.frame(0)
  assert.deepEqual(blocks, [[1, 0, 10, 5, -1, 1, OUTCOMES.indexOf("died"), 1]])
  assert.deepEqual(marks, [
    [1, "died", 15],
    [2, "exited", 16],
  ])
  assert.deepEqual(open, [])
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
  assert.equal(frame.isSampled, true)
  assert.ok(frame.blocks.length <= 2000)
  assert.equal(frame.tasks, 12_501)
  assert.equal(
    frame.blocks.reduce((sum, block) => sum + block[7], 0),
    12_501,
  )
  assert.equal(frame.blocks.filter((block) => block[6] === OUTCOMES.indexOf("failed")).length, 1)
  assert.deepEqual(frame.blocks.at(-1), [1, 1, 300, 50, 2, 20_000, 1, 1])
  assert.equal(frame.dropped, 3)
  assert.equal(recorder.frame(0).isSampled, false)
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
