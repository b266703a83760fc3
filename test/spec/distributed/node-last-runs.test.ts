/** Whose fault the death of a node is: docs/spec/distributed-node.md. */
import { Catalogue } from "#src/distributed/job/catalogue.js"
import type { Consumer, EngineQueue } from "#src/distributed/job/engine.js"
import type { ExecutorNode } from "#src/distributed/node/executor-node.js"
import type { JobHost } from "#src/distributed/node/job-run.js"
import { NodeJobs } from "#src/distributed/node/node-jobs.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { claimedJob } from "../../support/claimed-job.ts"
import { eventually, turns } from "../../support/harness.ts"
import { type DrivenJob, Driver, NodeGate } from "./node-driver.ts"

interface Held {
  readonly job: DrivenJob
  readonly gate: NodeGate
}

const gates: NodeGate[] = []

/** What waits at a gate hears no interrupt: whatever becomes of the test, all are open before the nodes end. */
async function onNodes(body: (driver: Driver) => Promise<void>): Promise<void> {
  await using driver = await Driver.open()
  try {
    await body(driver)
  } finally {
    for (const gate of gates.splice(0)) gate.open()
  }
}

async function hold(driver: Driver, id: string, maxDeaths = 1): Promise<Held> {
  const gate = new NodeGate()
  gates.push(gate)
  return { gate, job: await driver.add("pass", [gate.index], { id, data: { maxDeaths } }) }
}

/** A node that dies with these jobs, each of which has begun. */
async function deadWith(driver: Driver, ...ids: string[]): Promise<Held[]> {
  const first = await driver.start({ executor: driver.virtual(ids.length) })
  const held: Held[] = []
  for (const id of ids) held.push(await hold(driver, id))
  for (const { gate } of held) await gate.reached()
  driver.engine.kill(first.id)
  return held
}

async function completes({ job, gate }: Held): Promise<void> {
  gate.open()
  assert.deepEqual(await job.end, { kind: "completed", value: gate.index })
}

test("[ND52] jobs of a node that has died begin again one after the other, each alone, and others wait", () =>
  onNodes(async (driver) => {
    const held = await deadWith(driver, "a", "b", "c")
    const second = await driver.start({ executor: driver.virtual(3) })
    const fresh = await hold(driver, "fresh")
    const left = [...held]
    while (left.length > 0) {
      await eventually(() => left.some(({ gate }) => gate.arrived === 2))
      await turns()
      const [alone, ...others] = left.filter(({ gate }) => gate.arrived === 2)
      assert.deepEqual(others, [])
      assert.equal(second.running, 1)
      if (left.length === held.length) assert.equal(fresh.gate.arrived, 0)
      fresh.gate.open() // if it comes between two of them, the second one waits for its end
      await completes(alone as Held)
      left.splice(left.indexOf(alone as Held), 1)
    }
    await completes(fresh)
  }))

test("[ND52] a job that takes long is alone only for as long as a lock lasts", () =>
  onNodes(async (driver) => {
    const held = await deadWith(driver, "a", "b")
    await driver.start({ executor: driver.virtual(3), lockDuration: 500 })
    const fresh = await hold(driver, "fresh")
    for (const { gate } of held) await gate.reached(2)
    await fresh.gate.reached()
    for (const each of [...held, fresh]) await completes(each)
  }))

/** A node that runs a young job, for which `suspect` waits. */
async function waitingFor(driver: Driver, suspect: Held, name: string): Promise<[Held, ExecutorNode]> {
  const gate = new NodeGate()
  gates.push(gate)
  const young: Held = { gate, job: await driver.add(name, [gate.index], { priority: 1 }) }
  const node = await driver.start()
  await gate.reached()
  await eventually(() => node.running === 2)
  await turns()
  assert.equal(suspect.gate.arrived, 1)
  return [young, node]
}

test("[ND52] a job whose node dies while the job waits to be alone has its last run before it", () =>
  onNodes(async (driver) => {
    const [suspect] = (await deadWith(driver, "suspect")) as [Held]
    const [young, second] = await waitingFor(driver, suspect, "pass")
    driver.engine.kill(second.id)
    const third = await driver.start()
    await young.gate.reached(2)
    await completes(young)
    await suspect.gate.reached(2)
    assert.equal(suspect.job.stored()?.deaths, 2)
    driver.engine.kill(third.id)
    await driver.start()
    const end = await suspect.job.end
    assert.ok(end.kind === "failed" && end.failure === "node-death")
    assert.equal(suspect.gate.arrived, 2)
  }))

test("[ND52] a job that waits to be alone is cancelled as any other", () =>
  onNodes(async (driver) => {
    const [suspect] = (await deadWith(driver, "suspect")) as [Held]
    const [young] = await waitingFor(driver, suspect, "pass")
    await suspect.job.cancel()
    const end = await suspect.job.end
    assert.ok(end.kind === "failed" && end.failure === "cancelled")
    assert.equal(suspect.gate.arrived, 1)
    const next = await hold(driver, "next")
    await next.gate.reached() // the node takes others again
    for (const each of [young, next]) await completes(each)
  }))

test("[ND52] a job that waits to be alone is given back by a node that ends", () =>
  onNodes(async (driver) => {
    const [suspect] = (await deadWith(driver, "suspect")) as [Held]
    const [young, node] = await waitingFor(driver, suspect, "awaitInterrupt")
    await node.close(0)
    const { state, deaths, data } = suspect.job.stored() ?? {}
    assert.deepEqual([state, deaths, data?.lastRun], ["waiting", 1, undefined])
    await young.job.cancel()
    await driver.start()
    await completes(suspect)
  }))

test("[ND52] a last run that cannot be written down does not begin on this node", async () => {
  const refused = (): Promise<boolean> => Promise.resolve(false)
  const failing = (): Promise<boolean> => Promise.reject(new Error("no connection"))
  for (const [rewrite, errors] of [[refused, 0] as const, [failing, 1] as const]) {
    const told: unknown[] = []
    const calls: string[] = []
    const jobs = new NodeJobs({} as EngineQueue, assert.ifError, () => undefined)
    const host = {
      nodeName: "node",
      aloneFor: 1000,
      catalogue: new Catalogue({ add: () => assert.fail() }),
      now: () => 0,
      isCancelled: () => Promise.resolve(false),
      report: (error: unknown) => told.push(error),
    } as unknown as JobHost
    const consumer: Consumer = {
      pause: () => calls.push("pause"),
      resume: () => calls.push("resume"),
      drain: () => Promise.resolve(),
    }
    assert.deepEqual(await jobs.run(claimedJob({ deaths: 1, rewrite }), host, consumer), { kind: "back" })
    assert.deepEqual(calls, ["pause", "resume"])
    assert.equal(told.length, errors)
  }
})
