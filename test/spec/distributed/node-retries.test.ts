import { CancellationError, NodeDeathError, RejectedExecutionError } from "corepool"
import { retryDelay } from "#src/distributed/node/job-checks.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { Calls, Driver, KINDS, NodeGate } from "./node-driver.ts"

test("[ND20] a job is tried again until it succeeds", async () => {
  await using driver = await Driver.open()
  await driver.start()
  const calls = new Calls()
  const job = await driver.add("failTimes", [calls.index, 2], { attempts: 5 })
  assert.deepEqual(await job.end, { kind: "completed", value: 3 })
  assert.equal(job.starts(), 3)
  assert.equal(job.ends.length, 1)
})

test("[ND20] a job whose attempts all fail ends as the last one did", async () => {
  await using driver = await Driver.open()
  await driver.start()
  const calls = new Calls()
  await assert.rejects(driver.valueOf("failTimes", [calls.index, 9], { attempts: 3 }), { message: "call 3" })
  assert.equal(calls.value, 3)
})

test("[ND20] without further attempts the first failure is the end", async () => {
  await using driver = await Driver.open()
  await driver.start()
  const calls = new Calls()
  await assert.rejects(driver.valueOf("failTimes", [calls.index, 9]), { message: "call 1" })
  assert.equal(calls.value, 1)
})

for (const kind of KINDS) {
  test(`[ND54] after a CancellationError or a RejectedExecutionError of the task it is not tried again (${kind})`, async () => {
    await using driver = await Driver.open()
    await driver.start({ executor: driver[kind](1) })
    for (const type of [CancellationError, RejectedExecutionError]) {
      const calls = new Calls()
      const job = await driver.add("giveUp", [calls.index, type.name], { attempts: 3 })
      const end = await job.end
      assert.ok(end.kind === "failed" && end.failure === "error" && end.error instanceof type)
      assert.deepEqual([end.error.message, calls.value, job.starts()], ["call 1", 1, 1])
    }
  })
}

test("[ND21] the delay grows by its factor up to its maximum", () => {
  const delays = (retry: Parameters<typeof retryDelay>[0]): number[] =>
    [0, 1, 2, 3].map((failures) => retryDelay(retry, failures, 0.5))
  assert.deepEqual(delays(undefined), [0, 0, 0, 0])
  assert.deepEqual(delays({ delay: 100, factor: 1 }), [100, 100, 100, 100])
  assert.deepEqual(delays({ delay: 100, factor: 2 }), [100, 200, 400, 800])
  assert.deepEqual(delays({ delay: 100, factor: 2, maxDelay: 300 }), [100, 200, 300, 300])
  assert.equal(retryDelay({ delay: 10, factor: 10 }, 10_000, 0), Number.MAX_SAFE_INTEGER)
  assert.equal(retryDelay({ delay: 0, factor: 10 }, 10_000, 0), 0)
})

test("[ND21] with jitter the delay is a random part of that, at least half", () => {
  const retry = { delay: 100, factor: 2, jitter: true }
  assert.equal(retryDelay(retry, 1, 0), 100)
  assert.equal(retryDelay(retry, 1, 0.5), 150)
  assert.equal(retryDelay(retry, 1, 1), 200)
})

test("[ND21] the engine is told of the delay", async () => {
  await using driver = await Driver.open()
  await driver.start()
  const calls = new Calls()
  const retry = { delay: 20, factor: 3 }
  const before = driver.engine.now()
  const job = await driver.add("failTimes", [calls.index, 2], { attempts: 3, data: { retry } })
  await job.end
  const [first = 0, second = 0] = job.delays
  assert.ok(first >= before + 20)
  assert.ok(second >= first + 60)
})

test("[ND22] a job that has cost too many nodes fails, and is not run by the next one", async () => {
  await using driver = await Driver.open()
  using gate = new NodeGate()
  const nodes = [await driver.start(), await driver.start(), await driver.start()]
  const job = await driver.add("pass", [gate.index])
  await gate.reached(1)
  for (const reached of [2, 2]) {
    const holder = nodes.find(({ running }) => running === 1)
    assert.ok(holder)
    driver.engine.kill(holder.id)
    nodes.splice(nodes.indexOf(holder), 1)
    await gate.reached(reached)
  }
  const end = await job.end
  assert.ok(end.kind === "failed" && end.failure === "node-death" && end.error instanceof NodeDeathError)
  assert.match(end.error.message, /2 nodes/)
  assert.equal(gate.arrived, 2)
})

test("[ND22] maxDeaths says how many nodes a job may cost", async () => {
  await using driver = await Driver.open()
  using gate = new NodeGate()
  const first = await driver.start()
  const job = await driver.add("pass", [gate.index], { data: { maxDeaths: 0 } })
  await gate.reached()
  driver.engine.kill(first.id)
  await driver.start()
  const end = await job.end
  assert.ok(end.kind === "failed" && end.failure === "node-death")
  assert.equal(gate.arrived, 1)
})

for (const kind of KINDS) {
  test(`[ND23] what a node has lost is interrupted, and another node runs it (${kind})`, async () => {
    await using driver = await Driver.open()
    const gate = new NodeGate()
    const first = await driver.start({ executor: driver[kind](1) })
    const job = await driver.add("awaitInterrupt", [gate.index])
    await gate.reached(1)
    await driver.start({ executor: driver[kind](1) })
    driver.engine.cutOff(first.id)
    await gate.reached(2)
    await eventually(() => first.running === 0)
    assert.equal(gate.left, 1)
    assert.equal(job.ends.length, 0)
    await job.cancel()
    assert.equal((await job.end).kind, "failed")
    assert.equal(job.ends.length, 1)
  })
}

test("[ND23] a node that was cut off takes jobs again when the engine is back", async () => {
  await using driver = await Driver.open()
  const node = await driver.start()
  driver.engine.cutOff(node.id)
  const job = await driver.add("add", [1, 2])
  driver.engine.reconnect(node.id)
  assert.deepEqual(await job.end, { kind: "completed", value: 3 })
})
