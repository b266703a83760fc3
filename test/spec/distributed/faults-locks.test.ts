/** Locks, clocks and schedules: docs/spec/distributed-faults.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { Lab } from "../../contract/queue-engine/kind.ts"
import * as tasks from "../../support/fault.tasks.ts"
import { BRIEF, engineAt, FaultLab, onEachServer } from "../../support/fault-lab.ts"

const HOUR = 3_600_000

/** A lock that a node keeps for longer than it lasts. A node gets no processor for a second or two, now and then, on a machine with much else to do. */
const LOCK = { lockDuration: 5000 }
/** The time between runs of a schedule, and so many runs that they take longer than that lock. */
const PERIOD = 500
const TWO_LOCKS = 22

onEachServer((kind) => {
  const { name, skip } = kind

  test(`[DF9] a task that takes many times as long as its lock is run once, on ${name}`, { skip }, async () => {
    await using lab = await FaultLab.open(kind)
    const fleet = lab.fleet()
    const first = await lab.node("first", { ...LOCK, threads: "platform", concurrency: 2 })
    const future = fleet.submit(tasks.hold, "a")
    const blocking = fleet.submit(tasks.block, "b")
    await lab.started("a")
    await lab.started("b")
    const second = await lab.node("second", LOCK)
    // A clock for this test, by the engine's clock.
    const schedule = fleet.scheduleWithFixedDelay(tasks.work, 0, PERIOD, "clock")
    await lab.ended("clock", TWO_LOCKS)
    lab.openGate("a")
    lab.openGate("b")
    assert.equal(await future, "a")
    assert.equal(await blocking, "first")
    await first.close()
    await second.close()
    assert.equal(schedule.cancel(), true)
    for (const key of ["a", "b"])
      assert.deepEqual(
        lab.starts(key).map(({ node }) => node),
        ["first"],
      )
    await fleet.close()
    await lab.settled(lab.fleet(), { completed: 2 })
  })

  test(
    `[DF10] a task that keeps its node from renewing the lock runs on a second node, too, and completes once; the first node goes on, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const watcher = new Lab(engineAt(lab.address), lab.queue)
      const [, log] = await watcher.listening()
      const fleet = lab.fleet()
      const first = await lab.node("first", BRIEF)
      const future = fleet.submit(tasks.block, "a")
      await lab.started("a")
      const second = await lab.node("second")
      assert.equal(await future, "second")
      await second.close()
      lab.openGate("a")
      await lab.ended("a", 2)
      assert.equal(await fleet.submit(tasks.work, "b"), "b")
      await first.close()
      assert.deepEqual(
        lab.starts("a").map(({ node, deaths }) => `${node} ${deaths}`),
        ["first 0", "second 1"],
      )
      assert.deepEqual(
        lab.starts("b").map(({ node }) => node),
        ["first"],
      )
      await log.hears("completed", lab.starts("b")[0]?.id ?? "")
      assert.equal(log.of("completed").length, 2)
      assert.equal(log.of("failed").length, 0)
      await lab.settled(fleet, { completed: 2 })
      await watcher[Symbol.asyncDispose]()
    },
  )

  test(
    `[DF11] on machines whose clocks are an hour wrong, no lock is lost, nothing is late or early, nothing expires, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const fleet = lab.fleet()
      const early = await lab.node("early", { clock: -HOUR, ...LOCK })
      const submitter = await lab.submitter({ clock: HOUR })
      await submitter.submit([
        { task: "hold", args: ["h"], options: { queueTimeout: 60_000 } },
        { task: "work", args: ["w"], options: { queueTimeout: 60_000 } },
      ])
      await lab.started("h")
      const late = await lab.node("late", { clock: HOUR, ...LOCK })
      const schedule = fleet.scheduleAtFixedRate(tasks.work, 0, PERIOD, "clock")
      await lab.ended("clock", TWO_LOCKS)
      lab.openGate("h")
      assert.deepEqual(await submitter.results(), ["h", "w"])
      const [{ id } = { id: "" }] = lab.starts("h")
      assert.equal(await fleet.future(id), "h")
      await early.close()
      await late.close()
      assert.equal(schedule.cancel(), true)
      assert.deepEqual(
        lab.starts("h").map(({ node, deaths }) => `${node} ${deaths}`),
        ["early 0"],
      )
      assert.equal(lab.starts("w").length, 1)
      assert.deepEqual(
        lab.starts("clock").filter(({ deaths }) => deaths > 0),
        [],
      )
      await submitter.close()
      await fleet.close()
      await lab.settled(lab.fleet(), { completed: 2 })
    },
  )

  test(
    `[DF12] of a schedule that several processes have registered and several nodes run, runs never overlap, and the engine has counted each, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const fleets = [lab.fleet(), lab.fleet(), lab.fleet()]
      for (const fleet of fleets) {
        fleet.with({ id: "s" }).scheduleAtFixedRate(tasks.workUnlessOn, 0, 20, "s", "n1")
      }
      const nodes = await Promise.all(["n1", "n2", "n3"].map((node) => lab.node(node, node === "n1" ? BRIEF : {})))
      await lab.ended("s", 20)
      // One node is killed in the middle of a run.
      lab.openGate("s")
      await lab.started("stuck")
      const before = lab.ends("s").length
      await nodes[0]?.kill()
      await lab.ended("s", before + 20)
      for (const node of nodes.slice(1)) await node.close()
      assert.equal(lab.starts("s").length, lab.ends("s").length + 1)
      let open: string | undefined
      for (const { event, node } of lab.ledger.filter(({ key }) => key === "s")) {
        // A second start without an end is that after the death of the node that had it.
        if (event === "start") {
          assert.ok(open === undefined || (open === "n1" && node !== "n1"), `${node} began while ${open} ran`)
          open = node
        } else {
          assert.equal(node, open)
          open = undefined
        }
      }
      const reader = new Lab(engineAt(lab.address), lab.queue)
      const [record] = await (await reader.open()).find(["s"])
      await reader[Symbol.asyncDispose]()
      assert.equal(record?.data.series?.runs, lab.ends("s").length)
      assert.equal(record?.state, "delayed")
      assert.equal(fleets[0]?.future("s").cancel(), true)
      for (const fleet of fleets) await fleet.close()
    },
  )
})
