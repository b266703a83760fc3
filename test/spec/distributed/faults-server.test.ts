/** A server that is killed, and connections that are cut or delayed: docs/spec/distributed-faults.md. */
import { CancellationError, IllegalStateError } from "corepool"
import type { DistributedExecutor, DistributedFuture } from "corepool/distributed"
import assert from "node:assert/strict"
import { test } from "node:test"
import * as tasks from "../../support/fault.tasks.ts"
import { BRIEF, type EngineAddress, FaultLab, onEachServer, portOf, through, until } from "../../support/fault-lab.ts"
import { startPostgres } from "../../support/postgres.ts"
import { startRedis, withoutRedis } from "../../support/redis.ts"
import { TcpProxy } from "../../support/tcp-proxy.ts"

/** A node that cannot reach the server has died to all others: these faults cost more nodes than a task may cost by default. */
const MANY_DEATHS = { maxDeaths: 100 }

function submitAll(fleet: DistributedExecutor, from: number, to: number): DistributedFuture<string>[] {
  const view = fleet.with(MANY_DEATHS)
  return Array.from({ length: to - from }, (_, n) => view.submit(tasks.workAwhile, `t${from + n}`))
}

/** All have their own values, all have run, and what has run twice has lost a node. */
async function account(
  lab: FaultLab,
  fleet: DistributedExecutor,
  futures: DistributedFuture<string>[],
  { failed = 0, others = [] }: { readonly failed?: number; readonly others?: readonly string[] } = {},
): Promise<void> {
  const keys = futures.map((_, n) => `t${n}`)
  assert.deepEqual(await Promise.all(futures), keys)
  assert.deepEqual([...lab.runs.keys()].sort(), [...keys, ...others].sort())
  lab.repeatsFollowDeaths()
  await until(async () => (await fleet.stats()).outstanding === 0, "the end of all")
  await lab.settled(fleet, { completed: futures.length, failed })
}

onEachServer((kind) => {
  const { name, skip } = kind

  test(
    `[DF13] after the server was killed under load and started again, every future gets its value, on ${name}`,
    { skip },
    async () => {
      await using server = await (name === "Redis" ? startRedis({ keepsData: true }) : startPostgres())
      const address: EngineAddress =
        name === "Redis"
          ? { kind: "redis", options: { url: server.url } }
          : { kind: "postgres", options: { url: server.url, migrate: true } }
      await using lab = await FaultLab.open(address)
      const fleet = lab.fleet()
      const nodes = await Promise.all(["n1", "n2"].map((node) => lab.node(node, BRIEF)))
      const futures = submitAll(fleet, 0, 150)
      await lab.ended("t10")
      await server.kill()
      futures.push(...submitAll(fleet, 150, 200))
      await server.restart()
      futures.push(...submitAll(fleet, 200, 250))
      await account(lab, fleet, futures)
      for (const node of nodes) await node.close()
    },
  )

  test(
    `[DF14] connections that are cut again and again, of nodes and of the program that submits: every future gets its value, on ${name}`,
    { skip },
    async () => {
      const address = await kind.address()
      await using ofNodes = await TcpProxy.to(portOf(address))
      await using ofFleet = await TcpProxy.to(portOf(address))
      await using lab = await FaultLab.open(through(ofFleet.port, address))
      const fleet = lab.fleet()
      const options = { ...BRIEF, address: through(ofNodes.port, address) }
      const nodes = await Promise.all(["n1", "n2"].map((node) => lab.node(node, options)))
      const futures: DistributedFuture<string>[] = []
      for (let round = 0; round < 6; round++) {
        futures.push(...submitAll(fleet, round * 20, round * 20 + 20))
        await lab.started(`t${round * 20}`)
        const proxy = round % 2 === 0 ? ofNodes : ofFleet
        proxy.cut()
      }
      await account(lab, fleet, futures)
      for (const node of nodes) await node.close()
    },
  )

  test(
    `[DF26] connections on which everything takes 200 ms each way, of nodes and of the program that submits: each task runs once, a cancellation arrives, and the nodes drain, on ${name}`,
    { skip },
    async () => {
      const address = await kind.address()
      await using proxy = await TcpProxy.to(portOf(address))
      proxy.delay(200)
      await using lab = await FaultLab.open(through(proxy.port, address))
      const fleet = lab.fleet()
      const nodes = await Promise.all(["n1", "n2"].map((node) => lab.node(node)))
      const futures = submitAll(fleet, 0, 16)
      const held = fleet.submit(tasks.hold, "held")
      await lab.started("held")
      assert.equal(held.cancel(true), true)
      await assert.rejects(held.get(), CancellationError)
      await account(lab, fleet, futures, { failed: 1, others: ["held"] })
      assert.deepEqual(new Set(lab.runs.values()), new Set([1]))
      for (const node of nodes) await node.close()
    },
  )

  test(
    `[DF15] a node that is cut off for longer than its lock: another one runs its tasks, what the first one tells later is refused, and it goes on, on ${name}`,
    { skip },
    async () => {
      const address = await kind.address()
      await using proxy = await TcpProxy.to(portOf(address))
      await using lab = await FaultLab.open(address)
      const fleet = lab.fleet()
      const first = await lab.node("first", { ...BRIEF, address: through(proxy.port, address) })
      const held = ["h1", "h2"].map((key) => fleet.submit(tasks.hold, key))
      for (const key of ["h1", "h2"]) await lab.started(key)
      proxy.freeze()
      const second = await lab.node("second")
      await Promise.all(["h1", "h2"].map((key) => lab.passed(key, 2)))
      assert.deepEqual(await Promise.all(held), ["h1", "h2"])
      await second.close()
      proxy.thaw()
      assert.equal(await fleet.with(MANY_DEATHS).submit(tasks.work, "after"), "after")
      await first.close()
      assert.deepEqual(
        lab.starts("h1").map(({ node, deaths }) => `${node} ${deaths}`),
        ["first 0", "second 1"],
      )
      assert.equal(lab.starts("after")[0]?.node, "first")
      await lab.settled(fleet, { completed: 3 })
    },
  )
})

test(
  "[DF27] of a Redis that has lost everything, each future that waits fails with IllegalStateError; what is submitted later runs",
  { skip: withoutRedis },
  async () => {
    await using server = await startRedis({ keepsData: false })
    await using lab = await FaultLab.open({ kind: "redis", options: { url: server.url } })
    const fleet = lab.fleet()
    const node = await lab.node("node")
    const held = fleet.submit(tasks.hold, "held")
    await lab.started("held")
    const waiting = fleet.schedule(tasks.work, 3_600_000, "waiting")
    await waiting.stored
    await server.kill()
    await server.restart()
    for (const future of [held, waiting]) await assert.rejects(Promise.resolve(future), IllegalStateError)
    lab.openGate("held")
    assert.equal(await fleet.submit(tasks.work, "later"), "later")
    await node.close()
    assert.deepEqual(
      [...lab.runs],
      [
        ["held", 1],
        ["later", 1],
      ],
    )
    await lab.settled(fleet, { completed: 1 })
  },
)
