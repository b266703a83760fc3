/** How a trace is made of events: docs/spec/trace.md. */
import type { PoolEvent } from "#src/events/event-source.js"
import { traceOfEvents } from "#src/trace/trace-of-events.js"
import type { ChromeTrace, TraceEvent } from "#src/trace/trace-writer.js"
import fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"
import { assertTrace } from "../../support/chrome-trace.ts"
import { MadeEvents } from "../../support/monitor-events.ts"

const ONE = { id: 1, name: "images-thread-1" }
const TWO = { id: 2, name: "thread-2" }

function traced(events: readonly PoolEvent[], dropped = 0): ChromeTrace {
  const trace = traceOfEvents(events, { from: 1000, to: 1100, started: 0, dropped, pid: 70, program: "main.js" })
  assertTrace(trace)
  return trace
}

function ofKind(trace: ChromeTrace, ph: TraceEvent["ph"], cat?: string): TraceEvent[] {
  return trace.traceEvents.filter((event) => event.ph === ph && (cat === undefined || event.cat === cat))
}

test("[TE1] [TE2] a lane for each thread, with a slice for each task, from its beginning to its end", () => {
  const events = new MadeEvents()
  const trace = traced([
    ...events.task(ONE, 1, "add", 1010, 3),
    ...events.task(TWO, 2, "add", 1011, 4.5, "failed"),
    events.event("began", 1020, { thread: ONE, task: 3, name: "sub" }),
  ])
  const names = ofKind(trace, "M").filter(({ name }) => name === "thread_name")
  assert.deepEqual(
    names.map(({ tid, args }) => [tid, args?.["name"]]),
    [
      [70, "submissions"],
      [71, "images-thread-1"],
      [72, "images thread-2"],
    ],
  )
  assert.deepEqual(ofKind(trace, "M")[0]?.args, { name: "main.js" })
  assert.deepEqual(
    ofKind(trace, "X", "task").map(({ name, tid, ts, dur, args }) => [name, tid, ts, dur, args]),
    [
      ["add", 71, 10_000, 3000, { pool: "images", task: 1, outcome: "success", wait: 2 }],
      ["add", 72, 11_000, 4500, { pool: "images", task: 2, outcome: "failed", wait: 2 }],
      ["sub", 71, 20_000, 80_000, { pool: "images", task: 3, outcome: "running" }],
    ],
  )
})

test("[TE3] an arrow from the submission of a task to its run", () => {
  const events = new MadeEvents()
  const trace = traced([
    events.event("submitted", 1001, { task: 1, name: "first" }),
    events.event("submitted", 1001.05, { task: 2, name: "second" }),
    events.event("submitted", 1002, { task: 3, name: "third" }),
    events.event("began", 1010, { thread: ONE, task: 1, name: "first" }),
    events.event("began", 1014, { thread: TWO, task: 3, name: "third" }),
  ])
  assert.deepEqual(
    ofKind(trace, "X", "submit").map(({ name, tid, ts, dur, args }) => [name, tid, ts, dur, args]),
    [
      ["submit several", 70, 1000, 51, { tasks: 2 }],
      ["submit third", 70, 2000, 1, { tasks: 1 }],
    ],
  )
  assert.deepEqual(
    [...ofKind(trace, "s"), ...ofKind(trace, "f")].map(({ ph, id, tid, ts }) => [ph, id, tid, ts]),
    [
      ["s", 1, 70, 1000],
      ["s", 2, 70, 2000],
      ["f", 1, 71, 10_000],
      ["f", 2, 72, 14_000],
    ],
  )
})

test("[TE4] a thread that helps while it waits has slices in each other", () => {
  const events = new MadeEvents()
  const trace = traced([
    events.event("began", 1010, { thread: ONE, task: 1, name: "outer" }),
    events.event("stole", 1011, { thread: ONE, task: 2 }),
    events.event("began", 1011, { thread: ONE, task: 2, name: "inner" }),
    events.event("ended", 1012, { thread: ONE, task: 2, name: "inner", outcome: "success" }),
    events.event("ended", 1013, { thread: ONE, task: 1, name: "outer", outcome: "success" }),
  ])
  assert.deepEqual(
    ofKind(trace, "X", "task").map(({ name, ts, dur }) => [name, ts, dur]),
    [
      ["outer", 10_000, 3000],
      ["inner", 11_000, 1000],
    ],
  )
  assert.deepEqual(
    ofKind(trace, "i").map(({ name, tid, ts, args }) => [name, tid, ts, args]),
    [["stole", 71, 11_000, { task: 2 }]],
  )
})

test("[TE4] asynchronous tasks that take turns on one thread have rows of their own", () => {
  const events = new MadeEvents()
  const trace = traced([
    events.event("began", 1010, { thread: ONE, task: 1, name: "one" }),
    events.event("began", 1011, { thread: ONE, task: 2, name: "two" }),
    events.event("ended", 1012, { thread: ONE, task: 1, name: "one", outcome: "success" }),
    events.event("began", 1013, { thread: ONE, task: 3, name: "three" }),
    events.event("ended", 1014, { thread: ONE, task: 2, name: "two", outcome: "failed" }),
    events.event("ended", 1015, { thread: ONE, task: 3, name: "three", outcome: "success" }),
    events.event("started", 1016, { thread: TWO }),
  ])
  assert.deepEqual(
    ofKind(trace, "X", "task").map(({ name, tid, ts, dur, args }) => [name, tid, ts, dur, args?.["outcome"]]),
    [
      ["one", 71, 10_000, 2000, "success"],
      ["two", 72, 11_000, 3000, "failed"],
      ["three", 71, 13_000, 2000, "success"],
    ],
  )
  assert.deepEqual(
    ofKind(trace, "M").flatMap(({ name, args }) => (name === "thread_name" ? [args?.["name"]] : [])),
    ["submissions", "images-thread-1", "images-thread-1 (2)", "images thread-2"],
  )
})

test("[TE8] what a task waits for is a slice within its run", () => {
  const events = new MadeEvents()
  const trace = traced([
    events.event("began", 1010, { thread: ONE, task: 1, name: "outer" }),
    events.event("blocked", 1011, { thread: ONE, task: 1, name: "ReentrantLock" }),
    events.event("unblocked", 1013, { thread: ONE, task: 1, name: "ReentrantLock" }),
    events.event("ended", 1014, { thread: ONE, task: 1, name: "outer", outcome: "success" }),
    events.event("unblocked", 1015, { thread: ONE, task: 1, name: "Semaphore" }),
    events.event("began", 1020, { thread: TWO, task: 2, name: "stuck" }),
    events.event("blocked", 1021, { thread: TWO, task: 2, name: "Semaphore" }),
  ])
  assert.deepEqual(
    ofKind(trace, "X").map(({ name, cat, tid, ts, dur }) => [name, cat, tid, ts, dur]),
    [
      ["outer", "task", 71, 10_000, 4000],
      ["wait for ReentrantLock", "blocked", 71, 11_000, 2000],
      ["stuck", "task", 72, 20_000, 80_000],
      ["wait for Semaphore", "blocked", 72, 21_000, 79_000],
    ],
  )
})

test("[TE5] a thread that dies takes its task with it; what began before the recording begins with it", () => {
  const events = new MadeEvents()
  const trace = traced([
    events.event("ended", 1004, { thread: TWO, task: 9, name: "early", outcome: "success" }),
    events.event("ended", 1005, { thread: TWO, task: 10, name: "lost", outcome: "success" }),
    events.event("began", 1010, { thread: ONE, task: 1, name: "crash" }),
    events.event("exited", 1015, { thread: ONE, outcome: "failed" }),
    events.event("started", 1016, { thread: { id: 3, name: "thread-3" } }),
    events.event("exited", 1017, { thread: TWO }),
  ])
  assert.deepEqual(
    ofKind(trace, "X", "task").map(({ name, ts, dur, args }) => [name, ts, dur, args?.["outcome"]]),
    [
      ["early", 0, 4000, "success"],
      ["crash", 10_000, 5000, "died"],
    ],
  )
  assert.deepEqual(
    ofKind(trace, "i").map(({ name, tid, cat }) => [name, tid, cat]),
    [
      ["died", 72, "thread"],
      ["started", 73, "thread"],
      ["exited", 71, "thread"],
    ],
  )
})

test("[TE6] the number of tasks that wait, at each time at which it has changed", () => {
  const events = new MadeEvents()
  const trace = traced([
    events.event("submitted", 1001, { task: 1, name: "a" }),
    events.event("submitted", 1001.01, { task: 2, name: "a" }),
    events.event("submitted", 1001.02, { task: 3, name: "a" }),
    events.event("began", 1005, { thread: ONE, task: 1, name: "a" }),
    events.event("settled", 1006, { task: 2, name: "a", outcome: "cancelled" }),
    events.event("rejected", 1007, { task: 3, name: "a" }),
    events.event("settled", 1008, { task: 1, name: "a", outcome: "success" }),
  ])
  assert.deepEqual(
    ofKind(trace, "C").map(({ name, ts, args }) => [name, ts, args?.["queued"]]),
    [
      ["images queue", 1000, 1],
      ["images queue", 1020, 3],
      ["images queue", 5000, 2],
      ["images queue", 6000, 1],
      ["images queue", 7000, 0],
    ],
  )
  assert.deepEqual(
    ofKind(trace, "i").map(({ name, tid, args }) => [name, tid, args?.["task"]]),
    [["rejected", 70, 3]],
  )
})

test("[TE7] events in any order, with any names, make a trace that all readers understand; losses are told", () => {
  const threads = [ONE, TWO, { id: 3, name: "" }]
  const event = fc.record({
    kind: fc.constantFrom<PoolEvent["kind"]>(
      ...([
        "submitted",
        "settled",
        "rejected",
        "began",
        "ended",
        "idle",
        "blocked",
        "unblocked",
        "stole",
        "started",
        "exited",
      ] as const),
    ),
    time: fc.double({ min: 1000, max: 1100, noNaN: true }),
    pool: fc.constantFrom({ id: 1, name: "p", isVirtual: false }, { id: 2, name: "", isVirtual: true }),
    thread: fc.constantFrom(undefined, ...threads),
    task: fc.nat(5),
    name: fc.string({ unit: "binary" }),
    outcome: fc.constantFrom<PoolEvent["outcome"]>(undefined, "success", "failed", "cancelled"),
  })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), fc.nat(3), (events, dropped) => {
      const trace = traced(events, dropped)
      assert.equal(trace.otherData.dropped, dropped)
      assert.equal(trace.otherData.started, "1970-01-01T00:00:00.000Z")
    }),
  )
})
