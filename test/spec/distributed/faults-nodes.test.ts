/** Nodes that are killed: docs/spec/distributed-faults.md. */
import { NodeDeathError } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import * as tasks from "../../support/fault.tasks.ts"
import { BRIEF, FaultLab, onEachServer, until } from "../../support/fault-lab.ts"

onEachServer((kind) => {
  const { name, skip } = kind

  test(
    `[DF1] of a node that is killed, what it ran is run once more, and what waited is run once, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const fleet = lab.fleet()
      const first = await lab.node("first", { ...BRIEF, concurrency: 2 })
      const running = ["r1", "r2"].map((key) => fleet.submit(tasks.hold, key))
      for (const key of ["r1", "r2"]) await lab.started(key)
      const waiting = Array.from({ length: 20 }, (_, n) => fleet.submit(tasks.work, `w${n}`))
      await Promise.all(waiting.map((future) => future.stored))
      await first.kill()
      const second = await lab.node("second")
      const passed = Promise.all(["r1", "r2"].map((key) => lab.passed(key, 2))) // what waits does so for them, too, if they begin first
      assert.deepEqual(
        await Promise.all(waiting),
        Array.from({ length: 20 }, (_, n) => `w${n}`),
      )
      await passed
      assert.deepEqual(await Promise.all(running), ["r1", "r2"])
      await second.close()
      for (const { key } of lab.starts()) {
        const deaths = lab.starts(key).map((entry) => `${entry.node} ${entry.deaths} ${entry.attempt}`)
        assert.deepEqual(deaths, key.startsWith("w") ? ["second 0 1"] : ["first 0 1", "second 1 1"])
      }
      await lab.settled(fleet, { completed: 22 })
    },
  )

  test(
    `[DF2] a node that is killed when a task has ended, but before the node has told of it: the task runs once more and completes once, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const fleet = lab.fleet()
      const first = await lab.node("first", BRIEF)
      const future = fleet.submit(tasks.workThenKill, "a")
      await first.exited()
      const second = await lab.node("second")
      assert.equal(await future, "a")
      await second.close()
      assert.deepEqual(
        lab.ledger.map(({ event, node, deaths }) => `${event} ${node} ${deaths}`),
        ["start first 0", "end first 0", "start second 1", "end second 1"],
      )
      await lab.settled(fleet, { completed: 1 })
    },
  )

  test(
    `[DF2] a node that is killed when it has told of a task: the task does not run again, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const fleet = lab.fleet()
      const first = await lab.node("first", BRIEF)
      assert.equal(await fleet.submit(tasks.work, "a"), "a")
      await first.kill()
      const second = await lab.node("second")
      assert.equal(await fleet.submit(tasks.work, "b"), "b")
      await second.close()
      assert.deepEqual(
        [...lab.runs],
        [
          ["a", 1],
          ["b", 1],
        ],
      )
      await lab.settled(fleet, { completed: 2 })
    },
  )

  test(
    `[DF3] a task that kills every node fails after \`maxDeaths\`, and the other tasks go on, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const fleet = lab.fleet()
      const nodes = await Promise.all(["n1", "n2", "n3", "n4"].map((node) => lab.node(node, BRIEF)))
      // They may be on the node of a killer each time.
      const others = fleet.with({ maxDeaths: 3 })
      const futures = Array.from({ length: 60 }, (_, n) => others.submit(tasks.workAwhile, `t${n}`))
      await assert.rejects(fleet.with({ maxDeaths: 0 }).submit(tasks.kill, "k0").get(), NodeDeathError)
      await assert.rejects(fleet.submit(tasks.kill, "k1").get(), NodeDeathError)
      assert.deepEqual(
        await Promise.all(futures),
        Array.from({ length: 60 }, (_, n) => `t${n}`),
      )
      await until(() => nodes.filter((node) => !node.isAlive).length === new Set(killedNodes(lab)).size, "dead nodes")
      assert.equal(lab.starts("k1").length, 2)
      assert.equal(lab.starts("k0").length, 1)
      for (const node of nodes.filter(({ isAlive }) => isAlive)) await node.close()
      lab.repeatsFollowDeaths()
      await lab.settled(fleet, { completed: 60, failed: 2 })
    },
  )

  test(`[DF3][DF25] of tasks beside several that kill, only these fail, on ${name}`, { skip }, async () => {
    await using lab = await FaultLab.open(kind)
    const fleet = lab.fleet()
    const killers = ["k0", "k1"]
    const keys = Array.from({ length: 40 }, (_, n) => `t${n}`)
    const futures = keys.map((key) => fleet.submit(tasks.workAwhile, key))
    const failures = killers.map((key) => assert.rejects(fleet.submit(tasks.kill, key).get(), NodeDeathError))
    futures.push(...keys.map((key) => fleet.submit(tasks.workAwhile, `${key}b`)))
    await Promise.all(futures.map((future) => future.stored))
    const nodes = ["n1", "n2"].map((node) => lab.mortal(node, BRIEF))
    const left = new Set(failures)
    for (const failure of failures) void failure.finally(() => left.delete(failure))
    for (let next = 3; left.size > 0;) {
      await until(() => left.size === 0 || nodes.some(({ isAlive }) => !isAlive), "a dead node, or the end")
      const dead = nodes.findIndex(({ isAlive }) => !isAlive)
      if (dead >= 0) nodes[dead] = lab.mortal(`n${next++}`, BRIEF)
    }
    await Promise.all(failures)
    assert.deepEqual(await Promise.all(futures), [...keys, ...keys.map((key) => `${key}b`)])
    for (const node of nodes.filter(({ isAlive }) => isAlive)) {
      await node.ready
      await node.close()
    }
    for (const key of killers) {
      // A killer may lose its first node to another one, before it has begun. The last time it had the node to itself.
      const runs = lab.starts(key)
      const last = runs.at(-1)
      assert.ok(runs.length <= 2 && (last?.deaths ?? 0) > 0, key)
      const since = lab.starts().filter(({ node }) => node === last?.node)
      assert.equal(since.at(-1)?.key, key)
      assert.equal(since.filter((entry) => killers.includes(entry.key)).length, 1)
    }
    lab.repeatsFollowDeaths()
    await lab.settled(fleet, { completed: futures.length, failed: killers.length })
  })
})

function killedNodes(lab: FaultLab): string[] {
  return lab.starts().flatMap(({ key, node }) => (key.startsWith("k") ? [node] : []))
}
