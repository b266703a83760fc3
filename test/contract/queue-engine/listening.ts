/** What processes hear of each other: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import type { NodeRecord } from "#src/executor/fleet-records.js"
import { DONE, type EngineKind, Lab, Log, order } from "./kind.ts"

const NODE: NodeRecord = {
  id: "n:1",
  name: "first",
  host: "machine",
  pid: 17,
  concurrency: 4,
  running: 2,
  isDraining: true,
  startedAt: 1000,
  seenAt: 0,
}

export function listening({ open, cutConnections }: EngineKind): void {
  test("[QE22] a listener misses nothing, however many jobs end at once", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    for (let n = 0; n < 3; n++) await lab.consume(() => DONE, { concurrency: 5, node: `${n}` })
    await queue.add(Array.from({ length: 600 }, (_, n) => order(`${n}`)))
    await log.until(() => log.of("completed").length >= 600 && log.of("active").length >= 600)
    assert.equal(new Set(log.of("completed").map(({ id }) => id)).size, 600)
    assert.deepEqual([log.of("completed").length, log.of("active").length, log.of("gap").length], [600, 600, 0])
  })

  test("[QE22] a listener hears of what happens from the time on at which it listens", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    await lab.consume(() => DONE)
    await queue.add([order("before")])
    await log.hears("completed", "before")
    const [, late] = await lab.listening()
    await queue.add([order("after")])
    await late.hears("completed", "after")
    assert.deepEqual(late.of("completed", "before"), [])
  })

  test("[QE23] a message reaches the listeners of all processes that are connected", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const node = await lab.open("node")
    const nodeLog = new Log()
    await node.listen(nodeLog)
    await queue.publish({ kind: "cancel", id: "x\0", interrupt: true })
    await log.hears("control", "x\0")
    await nodeLog.hears("control", "x\0")
    const [, late] = await lab.listening()
    await node.publish({ kind: "cancel", id: "y", interrupt: false })
    await late.hears("control", "y")
    assert.deepEqual(late.of("control", "x\0"), [])
  })

  test("[QE25] the nodes that have been heard of lately are known, until they say that they are gone", async () => {
    await using lab = new Lab(await open())
    const queue = await lab.open()
    const elsewhere = await lab.open("node")
    assert.deepEqual(await queue.nodes(), [])
    await elsewhere.announce(NODE, 60_000)
    await elsewhere.announce({ ...NODE, running: 3 }, 60_000)
    await elsewhere.announce({ ...NODE, id: "brief" }, 1)
    await elsewhere.announce({ ...NODE, id: "other" }, 60_000)
    const nodes = await queue.nodes()
    const known = nodes.find(({ id }) => id === "n:1")
    const seenAt = known?.seenAt ?? 0
    assert.ok(Math.abs(seenAt - queue.now()) < 60_000) // each process has measured the engine's clock by itself
    assert.deepEqual(known, { ...NODE, running: 3, seenAt })
    await elsewhere.announce(NODE, 0)
    await new Promise((resolve) => setTimeout(resolve, 20)) // one was announced for a millisecond
    assert.deepEqual(
      (await queue.nodes()).map(({ id }) => id),
      ["other"],
    )
  })

  test("[QE26] a closed queue refuses, and its listeners hear nothing more", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const other = await lab.open()
    await queue.close()
    await queue.close()
    await assert.rejects(queue.add([order("x")]), { code: "ERR_COREPOOL_ILLEGAL_STATE" })
    await assert.rejects(queue.find(["x"]), { code: "ERR_COREPOOL_ILLEGAL_STATE" })
    await other.add([order("x")])
    assert.equal(await other.remove("x"), true)
    assert.deepEqual(log.heard, [])
  })

  if (cutConnections === undefined) return

  test("[QE24] after the connections were cut, everything goes on, and listeners hear that there may be a gap", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    await lab.consume(() => DONE, { concurrency: 2 })
    await queue.add([order("before")])
    await log.hears("completed", "before")
    await cutConnections()
    await queue.add([order("after")])
    await log.hears("gap")
    await log.until(() => log.of("completed", "after").length > 0)
    await cutConnections()
    await queue.add([order("again")])
    await log.hears("completed", "again")
  })
}
