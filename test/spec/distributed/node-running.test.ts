import { NotSerializableError, TaskNotPortableError, ThreadDeathError, TimeoutError, UnknownTaskError } from "corepool"
import type { ClaimedJob } from "#src/distributed/job/engine.js"
import { checkJob } from "#src/distributed/node/job-checks.js"
import type { JobData } from "#src/distributed/job/job-data.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { claimedJob } from "../../support/claimed-job.ts"
import { eventually, turns } from "../../support/harness.ts"
import { Calls, Driver, KINDS, NodeGate } from "./node-driver.ts"
import * as tasks from "./node-tasks.ts"

for (const kind of KINDS) {
  test(`[ND6] a job calls the function of its name with its arguments (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](2) })
    assert.equal(await driver.valueOf("add", [1, 2]), 3)
    assert.deepEqual(await driver.valueOf("later", [new Map([[1, new Date(5)]])]), new Map([[1, new Date(5)]]))
    assert.equal(await driver.valueOf("same"), undefined)
  })

  test(`[ND7] arguments are read and results written where the task runs (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    const { path } = (await driver.valueOf("travel", [new tasks.Traveller([])])) as tasks.Traveller
    const there = kind === "platform" ? "worker true" : "main"
    assert.deepEqual(path, [
      "written in main",
      `read in ${there}`,
      `used in ${there}`,
      `written in ${there}`,
      "read in main",
    ])
  })

  test(`[ND9] an unknown name fails at once, also one that every object inherits (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    for (const name of ["nothing", "constructor", "__proto__", "toString", "Traveller", "strangeKinds", ""]) {
      const job = await driver.add(name, [], { attempts: 5 })
      const end = await job.end
      assert.ok(end.kind === "failed" && end.failure === "unknown-task" && end.error instanceof UnknownTaskError)
      assert.match(end.error.message, /^Node node knows no task/)
      assert.equal(job.starts(), 1)
    }
  })

  test(`[ND10] a job fails with the error of its task, whole (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1), nodeName: "north" })
    await assert.rejects(driver.valueOf("fail", ["too hot"]), (error) => {
      assert.ok(error instanceof RangeError)
      assert.ok(error.cause instanceof TypeError)
      assert.deepEqual(Object.entries(error), [
        ["code", "E_OWN"],
        ["detail", { n: 1 }],
      ])
      assert.match(error.stack ?? "", /node-tasks[^]*\n {4}at \S+ of north \(corepool\)/)
      return true
    })
  })

  test(`[ND10] whatever a task throws, the node goes on (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    for (const strange of tasks.strangeKinds) {
      const job = await driver.add("throwStrange", [strange])
      assert.equal((await job.end).kind, "failed", strange)
    }
    assert.equal(await driver.valueOf("add", [1, 2]), 3)
  })

  test(`[ND11] a result that cannot be sent fails the job and says which task it was (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    for (const strange of ["symbol", "revoked", "function"]) {
      await assert.rejects(driver.valueOf("giveStrange", [strange]), (error) => {
        assert.ok(error instanceof NotSerializableError, strange)
        assert.match(error.message, /result of the task `giveStrange`/)
        return true
      })
    }
    await assert.rejects(driver.valueOf("giveShared"), NotSerializableError)
    assert.equal(await driver.valueOf("add", [1, 2]), 3)
  })

  test(`[ND11] a result with more bytes than maxPayload fails the job (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1), maxPayload: 1000 })
    assert.deepEqual(await driver.valueOf("giveBytes", [500]), new Uint8Array(500))
    await assert.rejects(driver.valueOf("giveBytes", [2000]), { name: "NotSerializableError", message: /maxPayload/ })
  })

  test(`[ND12] arguments that cannot be read fail the job at once, and the task is not called (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    for (const args of ["?", "AQ==", "CQkJCQkJ", "AQX/////"]) {
      const job = await driver.add("same", [], { data: { args }, attempts: 3 })
      const end = await job.end
      assert.ok(end.kind === "failed" && end.error instanceof NotSerializableError, args)
      assert.equal(job.starts(), 1)
    }
  })

  test(`[ND16] an attempt that is out of time fails and is interrupted (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    const gate = new NodeGate()
    const job = await driver.add("awaitInterrupt", [gate.index], { data: { timeout: 5 }, attempts: 2 })
    const end = await job.end
    assert.ok(end.kind === "failed" && end.failure === "timeout" && end.error instanceof TimeoutError)
    assert.equal(job.starts(), 2)
    assert.equal(gate.left, gate.arrived)
  })

  test(`[ND19] a job with \`each\` calls its task for each element (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    const calls = new Calls()
    const given = [[calls.index, calls.index, calls.index]]
    assert.deepEqual(await driver.valueOf("count", given, { data: { each: true } }), [1, 2, 3])
    await assert.rejects(driver.valueOf("fail", [["a", "b"]], { data: { each: true } }), { message: "a" })
  })
}

test("[ND8] a function without a module runs as it is on virtual threads, and as source on platform threads", async () => {
  await using driver = await Driver.open()
  const outside = Number("2") // not a number that a compiler could put in its place
  const catalogue = { double: (n: number) => n * outside, square: (n: number) => n * n }
  const node = await driver.start({ tasks: catalogue, executor: driver.virtual(1) })
  assert.equal(await driver.valueOf("double", [21]), 42)
  await node.close()
  await driver.start({ tasks: catalogue, executor: driver.platform(1) })
  assert.equal(await driver.valueOf("square", [4]), 16)
  await assert.rejects(driver.valueOf("double", [21]), (error) => {
    assert.ok(error instanceof TaskNotPortableError)
    assert.match(error.message, /`outside`/)
    return true
  })
})

test("[ND13] data that is not that of a job fails the job and says what is wrong", async () => {
  await using driver = await Driver.open()
  await driver.start()
  const calls = new Calls()
  const wrong: [object, RegExp][] = [
    [{ v: "1" }, /`v` is "1"/],
    [{ v: 0 }, /`v` is 0/],
    [{ args: 7 }, /`args` is 7/],
    [{ args: null }, /`args` is null/],
    [{ timeout: "soon" }, /`timeout` is "soon"/],
    [{ startBy: [] }, /`startBy` is an instance of Array/],
    [{ maxDeaths: -1 }, /`maxDeaths` is -1/],
    [{ title: {} }, /`title` is/],
    [{ retry: { delay: "1" } }, /`retry.delay` is "1"/],
    [{ series: { due: 1, runs: {} } }, /`series.runs` is/],
  ]
  for (const [data, message] of wrong) {
    await assert.rejects(driver.valueOf("count", [calls.index], { data }), {
      name: "NotSerializableError",
      message,
    })
  }
  assert.equal(calls.value, 0)
})

test("[ND14] a job of a newer form is put off as it is, and ended if it is cancelled", async () => {
  await using driver = await Driver.open()
  await driver.start()
  const data = { v: 2, news: [1] } as unknown as Partial<JobData>
  const before = driver.engine.now()
  const job = await driver.add("add", [1, 2], { data, attempts: 1 })
  await eventually(() => job.delays.length === 1)
  const stored = job.stored()
  assert.deepEqual({ ...stored?.data, args: "" }, { v: 2, args: "", from: "driver", news: [1] })
  assert.equal(stored?.failures, 0)
  assert.ok((job.delays[0] as number) > before)
  const cancelled = await driver.add("add", [1, 2], { data: { ...data, cancelled: true } })
  assert.deepEqual(await cancelled.end.then((end) => end.kind === "failed" && end.failure), "cancelled")
})

test("[ND15] a task that ends its thread fails, and the node goes on", async () => {
  await using driver = await Driver.open()
  await driver.start({ executor: driver.platform(1) })
  const job = await driver.add("exit", [], { attempts: 2 })
  const end = await job.end
  assert.ok(end.kind === "failed" && end.failure === "error" && end.error instanceof ThreadDeathError)
  assert.equal(job.starts(), 2)
  assert.equal(await driver.valueOf("add", [1, 2]), 3)
})

test("[ND16][ND30] a platform thread that does not stop is terminated, and the job ends when it is", async () => {
  await using driver = await Driver.open()
  const node = await driver.start({ executor: driver.platform(1, 50) })
  const gate = new NodeGate()
  const job = await driver.add("spin", [gate.index], { data: { timeout: 20 } })
  assert.equal(await job.end.then((end) => end.kind === "failed" && end.failure), "timeout")
  await eventually(() => node.running === 0)
  assert.equal(await driver.valueOf("add", [1, 2]), 3)
})

test("[ND17] a job that is taken too late is not run", async () => {
  await using driver = await Driver.open({ ahead: 3_600_000 })
  await driver.start()
  const calls = new Calls()
  const past = driver.engine.now() - 1
  const late = await driver.add("count", [calls.index], { data: { startBy: past }, attempts: 3 })
  const end = await late.end
  assert.ok(end.kind === "failed" && end.failure === "timeout" && end.error instanceof TimeoutError)
  assert.equal(calls.value, 0)
  assert.equal(await driver.valueOf("count", [calls.index], { data: { startBy: past + 60_000 } }), 1)
})

test("[ND17] what has begun once was in time", () => {
  const job = claimedJob({ data: { v: 1, args: "", from: "test", startBy: 1000 }, attempts: 9 })
  const isRefused = (of: Partial<ClaimedJob>): boolean => checkJob({ ...job, ...of }, false, 1001, "node") !== undefined
  assert.equal(isRefused({}), true)
  assert.equal(isRefused({ failures: 1 }), false)
  assert.equal(isRefused({ deaths: 1 }), false)
  const series = { kind: "rate", period: 1, due: 0, runs: 1, deathsBefore: 0 } as const
  assert.equal(isRefused({ data: { ...job.data, series } }), false)
  assert.equal(isRefused({ data: { ...job.data, series: { ...series, runs: 0 } } }), true)
})

test("[ND18] a command that has finally failed tells the node", async () => {
  await using driver = await Driver.open()
  await driver.start()
  const calls = new Calls()
  const command = await driver.add("failTimes", [calls.index, 9], { data: { command: true }, attempts: 3 })
  await command.end
  const [told, ...more] = driver.takeErrors()
  assert.deepEqual(more, [])
  assert.ok(told !== undefined && told.error instanceof Error)
  assert.equal(told.error.message, "call 3")
  assert.deepEqual(told.context, { node: "node", job: { id: command.id, name: "failTimes" } })
  await assert.rejects(driver.valueOf("fail", ["for its future"]), RangeError)
  await turns()
  assert.deepEqual(driver.errors, [])
})
