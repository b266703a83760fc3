/** Nodes that are replaced one after the other while they work: docs/spec/distributed-faults.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { Lab } from "../../contract/queue-engine/kind.ts"
import * as tasks from "../../support/fault.tasks.ts"
import { engineAt, FaultLab, type FleetChild, onEachServer, until } from "../../support/fault-lab.ts"

/** `npm run test:faults` asks for more. */
const COUNT = Number(process.env["COREPOOL_TEST_TASKS"] ?? 1000)

onEachServer((kind) => {
  const { name, skip } = kind

  test(
    `[DF17] three nodes that are drained and replaced one after the other under load: each of ${COUNT} tasks runs once and completes once, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const watcher = new Lab(engineAt(lab.address), lab.queue)
      const [, log] = await watcher.listening()
      const fleet = lab.fleet()
      const started = (node: string): Promise<FleetChild> => lab.node(node, { concurrency: 8 })
      const nodes = await Promise.all(["a1", "b1", "c1"].map(started))
      const keys = Array.from({ length: COUNT }, (_, n) => `t${n}`)
      const seen = new Map<string, number>()
      const futures = keys.map((key) => {
        const future = fleet.submit(tasks.work, key)
        void future.then((value) => seen.set(value, (seen.get(value) ?? 0) + 1))
        return future
      })
      // Each is replaced when a good part has been done, and not when all has.
      for (const [i, next] of ["a2", "b2", "c2"].entries()) {
        const part = Math.floor((COUNT * (i + 1)) / 5)
        await until(() => seen.size >= part, `${part} tasks`)
        const replacement = started(next)
        await nodes[i]?.close()
        nodes[i] = await replacement
      }
      assert.deepEqual(await Promise.all(futures), keys)
      for (const node of nodes) await node.close()
      assert.deepEqual(
        [...seen.values()],
        keys.map(() => 1),
      )
      assert.equal(lab.starts().length, COUNT)
      assert.equal(lab.runs.size, COUNT)
      assert.deepEqual(new Set(lab.starts().map(({ deaths }) => deaths)), new Set([0]))
      await log.until(() => log.of("completed").length >= COUNT)
      assert.equal(new Set(log.of("completed").map(({ id }) => id)).size, log.of("completed").length)
      assert.equal(log.of("failed").length, 0)
      await lab.settled(fleet, { completed: COUNT })
      await watcher[Symbol.asyncDispose]()
    },
  )
})
