import { Executors } from "corepool"
import { currentJob, entryOf } from "#src/distributed/node/job-in-thread.js"
import { ProgressInbox } from "#src/distributed/node/progress-inbox.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { claimedJob } from "../../support/claimed-job.ts"
import { eventually, turns } from "../../support/harness.ts"
import { Driver, KINDS, NodeGate } from "./node-driver.ts"

for (const kind of KINDS) {
  test(`[ND31] the engine tells what a task reports, the last value before the end (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    const job = await driver.add("report", [[0.5, "half", { done: 1, of: [2] }, null]])
    const seen = job.end.then(() => [...job.progress])
    assert.equal((await seen).at(-1), null)
    assert.ok((await seen).length >= 1)
  })

  test(`[ND31][ND32] of many values some are told, in order, and the last one is (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](2) })
    const jobs = [await driver.add("flood", [3000]), await driver.add("flood", [2000])]
    for (const job of jobs) {
      const end = await job.end
      assert.ok(end.kind === "completed")
      assert.equal(job.progress.at(-1), end.value)
      const values = job.progress as number[]
      assert.deepEqual(
        values,
        values.toSorted((a, b) => a - b),
      )
    }
  })

  test(`[ND33] what JSON cannot write is refused to the task (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    assert.equal(await driver.valueOf("reportStrange", ["function"]), "TypeError")
    assert.equal(await driver.valueOf("reportStrange", ["bigint"]), "TypeError")
    assert.equal(await driver.valueOf("reportStrange", ["long"]), "NotSerializableError")
  })

  test(`[ND34] what a task has left behind reports nothing (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    using gate = new NodeGate()
    const first = await driver.add("reportLater", [gate.index])
    await first.end
    using second = new NodeGate()
    const next = await driver.add("pass", [second.index]) // on the same thread
    await second.reached()
    gate.open()
    await eventually(() => gate.left === 1)
    second.open()
    await next.end
    assert.deepEqual([...first.progress, ...next.progress], [])
  })

  test(`[ND35] a task knows its job (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    const job = await driver.add("job")
    const expected = { id: job.id, name: "job", attempt: 1, deaths: 0 }
    assert.deepEqual(await job.end, { kind: "completed", value: [expected, expected] })
    assert.equal(currentJob(), undefined)
  })
}

test("[ND35] attempt and deaths are those of the job", async () => {
  await using driver = await Driver.open()
  const seen: unknown[] = []
  const tasks = {
    look: () => {
      seen.push(currentJob())
      if (seen.length < 3) throw new Error("again")
    },
  }
  await driver.start({ tasks })
  await driver.valueOf("look", [], { id: "x", attempts: 3 })
  assert.deepEqual(
    seen,
    [1, 2, 3].map((attempt) => ({ id: "x", name: "look", attempt, deaths: 0 })),
  )
})

test("[ND35] a task of another executor has no job", async () => {
  await using pool = Executors.newVirtualThreadPerTaskExecutor()
  assert.equal(await pool.submit(() => currentJob()), undefined)
})

test("[ND31] one value is on its way at a time, and newer ones replace each other", async () => {
  const sent: unknown[] = []
  const arrived: (() => void)[] = []
  const inbox = new ProgressInbox(assert.ifError)
  const job = claimedJob({
    progress(value) {
      sent.push(value)
      return new Promise((resolve) => arrived.push(resolve))
    },
  })
  const run = inbox.begin(job)
  const report = async (value: number): Promise<void> => {
    inbox.queue.add(entryOf(run, value, String(value)))
    await turns()
  }
  for (const value of [1, 2, 3]) await report(value)
  assert.deepEqual(sent, [1])
  arrived.shift()?.()
  await turns()
  assert.deepEqual(sent, [1, 3])
  let isOver = false
  const over = inbox.end(run).then(() => (isOver = true))
  await turns()
  assert.equal(isOver, false)
  arrived.shift()?.()
  await over
  inbox.close()
})

test("[ND31] the last value comes with the outcome, and an older one that comes after it is dropped", async () => {
  const sent: unknown[] = []
  const inbox = new ProgressInbox(assert.ifError)
  const job = claimedJob({ progress: async (value) => void sent.push(value) })
  const run = inbox.begin(job)
  const over = inbox.end(run, entryOf(run, 3, "3"))
  inbox.queue.add(entryOf(run, 2, "2"))
  await over
  await turns()
  const next = inbox.begin(job)
  for (const count of [2, 1, 3]) {
    inbox.queue.add(entryOf(next, count, `"${count} of the next"`))
    await turns()
  }
  await inbox.end(next)
  inbox.close()
  assert.deepEqual(sent, [3, "2 of the next", "3 of the next"])
})

test("[ND31][ND48] that the engine does not take a value is told, and the job goes on", async () => {
  const told: unknown[] = []
  const inbox = new ProgressInbox((error) => told.push(error))
  const failure = new Error("no connection")
  const run = inbox.begin(claimedJob({ progress: () => Promise.reject(failure) }))
  inbox.queue.add(entryOf(run, 1, "1"))
  await inbox.end(run)
  inbox.close()
  assert.deepEqual(told, [failure])
})

test("[ND32] a task that reports without pause has one value waiting", async () => {
  await using driver = await Driver.open()
  await driver.start({ executor: driver.virtual(1) })
  // On a virtual thread the node cannot look before the task is over.
  const job = await driver.add("flood", [5000])
  await job.end
  assert.ok(job.progress.length <= 2)
  assert.equal(job.progress.at(-1), 5000)
})
