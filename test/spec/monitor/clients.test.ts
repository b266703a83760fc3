/** Clients that read slowly, many clients, many pools: docs/spec/monitor.md. */
import { startMonitorOn } from "#src/monitor/monitor.js"
import { FleetWatch } from "#src/monitor/fleet-watch.js"
import { Ids } from "#src/monitor/sampler.js"
import { Viewer } from "#src/monitor/viewer.js"
import type { Frame as FullFrame } from "#src/monitor/wire.js"
import { CancellationError, Executors, Thread, virtualThreads } from "corepool"
import { startMonitor } from "corepool/monitor"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually, Gate, rejectionOf } from "../../support/harness.ts"
import { MadeEvents } from "../../support/monitor-events.ts"
import { ask, type Frame, frames } from "./support/client.ts"

const JSON_TYPE = { "content-type": "application/json" }

test("[MO27] a client that does not read loses tasks, and nothing that later frames rely on", async () => {
  const events = new MadeEvents()
  const viewer = new Viewer({
    pools: () => [],
    isChosen: true,
    fleets: new FleetWatch([]),
    locks: {},
    allowActions: false,
    ids: new Ids(),
    source: events,
  })
  const told: FullFrame[] = []
  let asked = 0
  let isBehind = true
  viewer.start(
    (frame) => told.push(frame),
    () => {
      asked++
      return isBehind
    },
  )
  assert.equal(told.length, 1, "the first frame is told at once")
  const [one, two] = [
    { id: 1, name: "thread-1" },
    { id: 2, name: "thread-2" },
  ]
  for (let task = 1; task <= 5000; task++) events.tell(...events.task(one, task, "first", task, 0.5))
  events.tell(events.event("idle", 10, { thread: two }), events.event("exited", 11, { thread: two, outcome: "failed" }))
  await eventually(() => asked >= 2)
  events.tell(...events.task(one, 5001, "first", 6000, 1), ...events.task(one, 5002, "second", 6002, 1))
  isBehind = false
  await eventually(() => told.length >= 2)
  viewer.stop()
  const { lanes } = told[1] as FullFrame
  assert.deepEqual(
    lanes.lanes.map(({ thread }) => thread),
    ["thread-1", "thread-2"],
  )
  assert.deepEqual(lanes.names, ["first", "second"])
  assert.deepEqual(
    lanes.blocks.map((block) => block[5]),
    [5001, 5002],
  )
  assert.deepEqual(
    lanes.marks.map(([lane, kind]) => [lane, kind]),
    [[2, "died"]],
  )
  assert.equal(lanes.dropped, 5000)
})

test("[MO27] more than 32 clients at a time are refused, and one that leaves makes room", async () => {
  const events = new MadeEvents()
  await using monitor = await startMonitorOn(events, { pools: [] })
  const streams = Array.from({ length: 32 }, () => frames(monitor))
  await Promise.all(streams.map((stream) => stream.next()))
  const refused = await ask(monitor.port, "/stream", { authorization: `Bearer ${monitor.token}` })
  assert.equal(refused.status, 503)
  await streams[0]?.return(undefined)
  for (;;) {
    const next = frames(monitor)
    const first = await next.next().catch(() => undefined)
    if (first === undefined) continue
    await next.return(undefined)
    break
  }
  for (const stream of streams) await stream.return(undefined)
})

test("[MO30] a pool that ends while it is watched leaves the stream; one that was named stays, as terminated", async () => {
  await using all = await startMonitor()
  const pool = Executors.newFixedThreadPool(1)
  await pool.submit(() => 1)
  await using named = await startMonitor({ pools: { mine: pool } })
  const [every, mine] = [frames(all), frames(named)]
  const isShown = (frame: Frame): boolean => frame.pools.some(({ kind }) => kind === "platform")
  assert.equal(isShown((await every.next()).value as Frame), true)
  await mine.next()
  await pool.close()
  while (isShown((await every.next()).value as Frame));
  for (;;) {
    const [line] = ((await mine.next()).value as Frame).pools
    assert.equal(line?.name, "mine")
    if (line.state === "terminated") break
  }
  await every.return(undefined)
  await mine.return(undefined)
})

test("[MO30] pools of an iterable that can be walked once, and lanes of these pools alone, by their names", async () => {
  await using mine = Executors.newFixedThreadPool(1, virtualThreads({ name: "mine" }))
  await using other = Executors.newFixedThreadPool(1, virtualThreads({ name: "other" }))
  const walked = (function* () {
    yield mine
  })()
  for (const pools of [walked, { "my pool": mine }]) {
    await using monitor = await startMonitor({ pools })
    const stream = frames(monitor)
    assert.equal(((await stream.next()).value as Frame).pools.length, 1)
    await other.submit(() => 1)
    await mine.submit(() => 1)
    let lanes: readonly { readonly pool: string; readonly thread: string }[] = []
    while (lanes.length === 0) {
      const frame = (await stream.next()).value as Frame
      assert.equal(frame.pools.length, 1)
      lanes = frame.lanes.lanes
      if (lanes.length > 0) assert.equal(lanes[0]?.pool, frame.pools[0]?.name)
    }
    assert.deepEqual(
      lanes.map(({ thread }) => thread),
      ["mine-1"],
    )
    await stream.return(undefined)
  }
})

test("[MO25] a running task is cancelled by its number, as cancel(true) does, if actions are allowed", async () => {
  for (const isVirtual of [true, false]) {
    await using pool = isVirtual ? Executors.newFixedThreadPool(1, virtualThreads()) : Executors.newFixedThreadPool(1)
    await using monitor = await startMonitor({ pools: [pool], allowActions: true })
    const headers = { authorization: `Bearer ${monitor.token}`, ...JSON_TYPE }
    const act = async (body: unknown): Promise<number> =>
      (await ask(monitor.port, "/action", headers, "POST", JSON.stringify(body))).status
    const stream = frames(monitor)
    await stream.next()
    const future = isVirtual
      ? pool.submit(() => Thread.sleep(3_600_000))
      : pool.submit(async () => await new Promise(() => setInterval(() => undefined, 1000)))
    let task = 0
    while (task === 0) task = ((await stream.next()).value as Frame).lanes.open[0]?.[3] ?? 0
    assert.equal(await act({ action: "cancel", task: task + 1 }), 400)
    assert.equal(await act({ action: "cancel", task: "1" }), 400)
    assert.equal(await act({ action: "cancel", task }), 200)
    assert.ok((await rejectionOf(future)) instanceof CancellationError)
    assert.equal(await act({ action: "cancel", task }), 400, "it is over")
    await stream.return(undefined)
    pool.shutdownNow()
  }
})

test("[MO31] a thousand pools, one of them with a huge name", async () => {
  const gate = new Gate()
  const huge = "</script>".repeat(100_000)
  const pools = Array.from({ length: 1000 }, () => Executors.newFixedThreadPool(1, virtualThreads()))
  await using monitor = await startMonitor({
    pools: Object.fromEntries(pools.map((pool, at) => [at === 7 ? huge : `pool-${at}`, pool])),
  })
  const stream = frames(monitor)
  const first = (await stream.next()).value as Frame
  assert.equal(first.pools.length, 1000)
  assert.ok(first.pools.every(({ name }) => name.length <= 200))
  const waiting = pools.map((pool) => pool.submit(gate.body))
  while (((await stream.next()).value as Frame).pools.some(({ active }) => active !== 1));
  gate.open()
  await Promise.all(waiting)
  await stream.return(undefined)
  await Promise.all(pools.map((pool) => pool.close()))
})
