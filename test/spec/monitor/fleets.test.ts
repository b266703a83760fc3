/** Distributed executors in the monitor: docs/spec/monitor.md. */
import { startMonitor } from "corepool/monitor"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { FleetLab } from "../distributed/lab.ts"
import * as tasks from "../distributed/lab.tasks.ts"
import { type Frame, frames } from "./support/client.ts"

type Fleet = Frame["fleets"][number]

async function seen(stream: AsyncGenerator<Frame>, condition: (fleet: Fleet | undefined) => boolean): Promise<Fleet> {
  for (;;) {
    const frame = (await stream.next()).value as Frame
    const fleet = frame.fleets[0]
    if (condition(fleet)) return fleet as Fleet
  }
}

test("[MO26] distributed executors of the process are shown, with their nodes and the numbers of their queues", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  await lab.node("left")
  await lab.node("right", 3)
  await using monitor = await startMonitor()
  const stream = frames(monitor)
  const future = fleet.submit(tasks.wait, "x")
  await eventually(() => tasks.marks.length === 1)
  const shown = await seen(stream, (line) => line?.counts?.active === 1 && line.nodes.length === 2)
  assert.deepEqual([shown.name, shown.state, shown.outstanding], ["q", "running", 1])
  const nodes = new Set(shown.nodes.map(({ name, concurrency, pid }) => `${name} ${concurrency} ${pid}`))
  assert.deepEqual(nodes, new Set([`left 2 ${process.pid}`, `right 3 ${process.pid}`]))
  tasks.open()
  await future
  await stream.return(undefined)
})

test("[MO26] `pools` can name distributed executors, and then no other one is shown", async () => {
  await using lab = new FleetLab()
  const [mine] = [lab.fleet(), lab.fleet()]
  await using monitor = await startMonitor({ pools: { "thumb <nails>": mine } })
  const stream = frames(monitor)
  const frame = (await stream.next()).value as Frame
  assert.deepEqual(
    [frame.pools.length, frame.fleets.map(({ name, nodes }) => [name, nodes.length])],
    [0, [["thumb <nails>", 0]]],
  )
  await stream.return(undefined)
  await assert.rejects(startMonitor({ pools: [{ nodes() {}, stats() {} }] as never }), TypeError)
})

test("[MO26] a server that does not answer is said not to, without its message, and the program goes on", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  lab.engine.beUnreachable(new RangeError("postgres://user:secret@db"))
  await using monitor = await startMonitor({ pools: [fleet] })
  const stream = frames(monitor)
  const shown = await seen(stream, (line) => line?.problem !== undefined)
  assert.match(shown.problem ?? "", /^the server does not answer \(RangeError\)$/)
  lab.engine.beReachable()
  await seen(stream, (line) => line?.problem === undefined && line?.counts !== undefined)
  await stream.return(undefined)
})
