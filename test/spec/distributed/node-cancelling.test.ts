import { CancellationError, Executors, platformThreads } from "corepool"
import { Catalogue } from "#src/distributed/job/catalogue.js"
import type { Consumer, EngineQueue } from "#src/distributed/job/engine.js"
import { decodeFailure } from "#src/distributed/job/failure.js"
import type { JobData } from "#src/distributed/job/job-data.js"
import type { JobHost } from "#src/distributed/node/job-run.js"
import { NodeJobs } from "#src/distributed/node/node-jobs.js"
import { RecentCancels } from "#src/distributed/node/recent-cancels.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { claimedJob } from "../../support/claimed-job.ts"
import { eventually, turns } from "../../support/harness.ts"
import { Calls, Driver, type DrivenJob, KINDS, NodeGate } from "./node-driver.ts"

async function assertCancelled(job: DrivenJob): Promise<void> {
  const end = await job.end
  assert.ok(end.kind === "failed" && end.failure === "cancelled" && end.error instanceof CancellationError)
  assert.equal(job.ends.length, 1)
}

for (const kind of KINDS) {
  test(`[ND24] a cancel message interrupts the job (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    const gate = new NodeGate()
    const job = await driver.add("awaitInterrupt", [gate.index], { attempts: 5 })
    await gate.reached()
    await job.cancel()
    await assertCancelled(job)
    assert.equal(gate.left, 1)
    assert.equal(job.starts(), 1)
  })

  test(`[ND25] without interrupt the task goes on, and the job ends with it, as cancelled (${kind})`, async () => {
    await using driver = await Driver.open()
    const node = await driver.start({ executor: driver[kind](1) })
    using gate = new NodeGate()
    const job = await driver.add("pass", [gate.index])
    await gate.reached()
    await job.cancel(false)
    await turns()
    assert.equal(job.ends.length, 0)
    assert.equal(node.running, 1)
    gate.open()
    await assertCancelled(job)
    assert.equal(gate.left, 1)
  })

  test(`[ND25] a second message may interrupt it (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    const gate = new NodeGate()
    const job = await driver.add("awaitInterrupt", [gate.index])
    await gate.reached()
    await job.cancel(false)
    await turns()
    assert.equal(gate.left, 0)
    await job.cancel(true)
    await assertCancelled(job)
    assert.equal(gate.left, 1)
  })

  test(`[ND30] a job that is deaf to its interrupt keeps its place until it has stopped (${kind})`, async () => {
    await using driver = await Driver.open()
    const node = await driver.start({ executor: driver[kind](1) })
    using gate = new NodeGate()
    const job = await driver.add("pass", [gate.index])
    await gate.reached()
    const next = await driver.add("add", [1, 2])
    await job.cancel()
    await turns()
    assert.equal(job.ends.length, 0)
    assert.equal(node.running, 1)
    assert.equal(next.starts(), 0)
    gate.open()
    await assertCancelled(job)
    assert.equal(gate.left, 1)
    assert.deepEqual(await next.end, { kind: "completed", value: 3 })
  })
}

test("[ND24] a platform thread that never stops is terminated", async () => {
  await using driver = await Driver.open()
  await driver.start({ executor: driver.platform(1, 50) })
  const gate = new NodeGate()
  const job = await driver.add("spin", [gate.index])
  await gate.reached()
  await job.cancel()
  await assertCancelled(job)
  assert.equal(await driver.valueOf("add", [1, 2]), 3)
})

test("[ND24][ND30] a job is cancelled in the same way on a thread of its own", async () => {
  await using driver = await Driver.open()
  const executor = driver.adopt(Executors.newThreadPerTaskExecutor(platformThreads({ terminateAfter: 50 })))
  const node = await driver.start({ executor, concurrency: 2 })
  const gate = new NodeGate()
  const jobs = [await driver.add("spin", [gate.index]), await driver.add("awaitInterrupt", [gate.index])]
  await gate.reached(2)
  for (const job of jobs) await job.cancel()
  for (const job of jobs) await assertCancelled(job)
  assert.equal(node.running, 0)
})

test("[ND24][ND30] a job that waits for a thread of the local executor is cancelled", async () => {
  await using driver = await Driver.open()
  using gate = new NodeGate()
  for (const kind of KINDS) {
    const node = await driver.start({ executor: driver[kind](1), concurrency: 2 })
    const first = await driver.add("pass", [gate.index])
    await gate.reached()
    const calls = new Calls()
    const second = await driver.add("count", [calls.index])
    await eventually(() => node.running === 2)
    await second.cancel()
    gate.open()
    await assertCancelled(second)
    assert.equal((await first.end).kind, "completed")
    assert.equal(calls.value, 0)
    await node.close()
  }
})

test("[ND26] a job that is marked as cancelled is not run", async () => {
  await using driver = await Driver.open()
  await driver.start()
  const calls = new Calls()
  const job = await driver.add("count", [calls.index], { data: { cancelled: true }, attempts: 3 })
  await assertCancelled(job)
  assert.equal(calls.value, 0)
})

test("[ND27] a message that overtakes its job is remembered, and the engine is asked", async () => {
  for (const isMarked of [true, false]) {
    const data: JobData = { v: 1, args: "", from: "test" }
    const record = { id: "a", name: "add", data: isMarked ? { ...data, cancelled: true as const } : data }
    const queue = { find: async () => [record] } as unknown as EngineQueue
    const jobs = new NodeJobs(queue, assert.ifError, () => undefined)
    jobs.control({ kind: "cancel", id: "a", interrupt: true })
    const host = {
      nodeName: "node",
      catalogue: new Catalogue({ other: () => 1 }),
      now: () => 0,
      isCancelled: (id: string) => jobs.isCancelled(id),
    } as unknown as JobHost
    const end = await jobs.run(claimedJob({ ...record, data }), host, {} as Consumer)
    assert.ok(end.kind === "failed")
    assert.equal(decodeFailure(end.reason).kind, isMarked ? "cancelled" : "unknown-task")
  }
})

test("[ND27] a message that overtakes the mark, too, is not lost", async () => {
  await using driver = await Driver.open()
  const { engine } = driver
  const open = engine.open.bind(engine)
  let looks = 0
  engine.open = async (queue, role) => {
    const opened = await open(queue, role)
    const find = opened.find.bind(opened)
    opened.find = async (ids) => {
      if (++looks > 1) await driver.mark("early") // it comes after the first look
      return find(ids)
    }
    return opened
  }
  await driver.start()
  await driver.publish({ kind: "cancel", id: "early", interrupt: true })
  await turns()
  const gate = new NodeGate()
  const job = await driver.add("awaitInterrupt", [gate.index], { id: "early" })
  await assertCancelled(job)
  assert.equal(gate.arrived, 1)
  assert.equal(gate.left, 1)
})

test("[ND27] another job of the same id is run", async () => {
  await using driver = await Driver.open()
  await driver.start()
  const id = "invoice-17"
  const gone = await driver.add("add", [1, 2], { id, keep: 0 })
  await gone.end
  await gone.cancel() // too late: nodes hear of it, and do not have it
  await turns()
  const next = await driver.add("add", [3, 4], { id })
  assert.deepEqual(await next.end, { kind: "completed", value: 7 })
})

test("[ND27] what is remembered is bounded by number and by time", () => {
  let time = 0
  const cancels = new RecentCancels(() => time)
  for (let i = 0; i < 5000; i++) cancels.add(`job-${i}`)
  assert.equal(cancels.size, 1000)
  assert.equal(cancels.take("job-3999"), false)
  assert.equal(cancels.take("job-4000"), true)
  assert.equal(cancels.take("job-4000"), false)
  time = 59_999
  cancels.add("new")
  assert.equal(cancels.take("job-4001"), true)
  time = 60_000
  assert.equal(cancels.take("job-4002"), false)
  assert.equal(cancels.size, 1)
  assert.equal(cancels.take("new"), true)
})

test("[ND28] a node that may have missed messages looks whether its jobs are cancelled", async () => {
  await using driver = await Driver.open()
  await driver.start()
  const gate = new NodeGate()
  const job = await driver.add("awaitInterrupt", [gate.index])
  await gate.reached()
  driver.engine.loseEvents()
  await job.cancel()
  await turns()
  assert.equal(gate.left, 0)
  driver.engine.recover()
  await assertCancelled(job)
})
