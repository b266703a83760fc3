/** `record()` of `corepool/trace`, on real pools: docs/spec/trace.md. */
import { Executors, ThreadPoolExecutor, virtualThreads } from "corepool"
import { type ChromeTrace, record, type TraceEvent } from "corepool/trace"
import assert from "node:assert/strict"
import { test } from "node:test"
import { assertTrace } from "../../support/chrome-trace.ts"

function newPool(name: string): ThreadPoolExecutor {
  return new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: virtualThreads(), name })
}

function runs({ traceEvents }: ChromeTrace): TraceEvent[] {
  return traceEvents.filter(({ ph, cat }) => ph === "X" && cat === "task")
}

test("[TE1] [TE2] [TE3] [TE9] a recording has what was submitted and run until it was stopped", async () => {
  await using pool = newPool("images")
  await pool.submit(function early() {})
  const recording = record()
  await pool.submit((n: number) => n, 1)
  await pool.submit(async function resize(secret: string) {
    await new Promise((resolve) => setImmediate(resolve))
    return secret
  }, "secret argument")
  await assert.rejects(async () =>
    pool.submit(function fail() {
      throw new Error("secret error")
    }),
  )
  await using later = newPool("later")
  await later.submit(function other() {})
  while (later.completedTaskCount === 0) await new Promise((resolve) => setImmediate(resolve))
  const trace = recording.stop()
  await pool.submit(function late() {})
  assert.equal(recording.stop(), trace)
  assertTrace(trace)
  assert.deepEqual(
    runs(trace).map(({ name, args }) => [name, args?.["pool"], args?.["outcome"]]),
    [
      ["anonymous function", "images", "success"],
      ["resize", "images", "success"],
      ["fail", "images", "failed"],
      ["other", "later", "success"],
    ],
  )
  const arrows = trace.traceEvents.filter(({ ph }) => ph === "s")
  assert.equal(arrows.length, 4)
  assert.ok(trace.traceEvents.some(({ ph, name }) => ph === "C" && name === "images queue"))
  assert.equal(trace.otherData.dropped, 0)
  assert.ok(Math.abs(Date.parse(trace.otherData.started) - Date.now()) < 600_000)
  assert.doesNotMatch(JSON.stringify(trace), /secret/)
})

test("[TE9] pools that were not asked for are not recorded, and what is no pool is refused", async () => {
  await using asked = newPool("asked")
  await using other = newPool("other")
  const recording = record([asked])
  await other.submit(function silent() {})
  await asked.submit(function heard() {})
  while (asked.completedTaskCount === 0) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(
    runs(recording.stop()).map(({ name }) => name),
    ["heard"],
  )
  for (const wrong of [5, null, [{}], {}]) assert.throws(() => record(wrong as never), TypeError)
})

test("[TE9] a recording that is disposed of ends", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  const recording = record([pool])
  recording[Symbol.dispose]()
  await pool.submit(() => 1)
  assert.deepEqual(runs(recording.stop()), [])
})
