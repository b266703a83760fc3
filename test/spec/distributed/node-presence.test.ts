import { Executors, virtualThreads } from "corepool"
import type { EngineListener, EngineQueue, NodeRecord } from "#src/distributed/job/engine.js"
import { ExecutorNode } from "#src/distributed/node/executor-node.js"
import { NodePresence } from "#src/distributed/node/node-presence.js"
import { runtime } from "#src/time/runtime.js"
import assert from "node:assert/strict"
import { hostname } from "node:os"
import { mock, test } from "node:test"
import { turns } from "../../support/harness.ts"
import { MemoryEngine } from "../../support/memory-engine.ts"
import { Driver, NodeGate } from "./node-driver.ts"

test("[ND47] a node is announced while it lives", async () => {
  await using driver = await Driver.open()
  const node = await driver.start({ nodeName: "north" })
  const [record, ...others] = await driver.nodes()
  assert.deepEqual(others, [])
  const { id, name, host, pid, concurrency, running } = record as NonNullable<typeof record>
  assert.deepEqual(
    { id, name, host, pid, concurrency, running },
    { id: node.id, name: "north", host: hostname(), pid: process.pid, concurrency: 2, running: 0 },
  )
  await node.close()
  assert.deepEqual(await driver.nodes(), [])
})

test("[ND47] signs of life are given again and again, and that they fail is told once", async () => {
  const told: unknown[] = []
  const given: [number, number][] = []
  let failure: Error | undefined
  const queue = {
    now: () => 7,
    async announce(node: { running: number }, forMs: number) {
      given.push([node.running, forMs])
      await Promise.resolve()
      if (failure !== undefined) throw failure
    },
  } as unknown as EngineQueue
  let fire: () => void = () => undefined
  const timeouts = mock.method(runtime, "startTimeout", (call: () => void) => {
    fire = call
    return { unref: () => undefined } as unknown as NodeJS.Timeout
  })
  const clock = mock.method(runtime, "now", () => Infinity)
  try {
    const facts = { id: "a", nodeName: "a", concurrency: 1, running: 0 }
    const presence = new NodePresence(queue, facts, (error) => told.push(error))
    await presence.begin()
    const next = async (): Promise<void> => {
      fire()
      await turns(2)
    }
    facts.running = 3
    await next()
    assert.deepEqual(
      given.map(([running, forMs]) => [running, forMs > 0]),
      [
        [0, true],
        [3, true],
      ],
    )
    failure = new Error("no connection")
    await next()
    await next()
    assert.deepEqual(told, [failure])
    failure = undefined
    await next()
    failure = new Error("again")
    await next()
    assert.deepEqual(told.at(-1), failure)
    assert.equal(told.length, 2)
    failure = undefined
    await presence.end()
    assert.equal(given.at(-1)?.[1], 0)
    const count = timeouts.mock.callCount()
    await turns(2)
    assert.equal(timeouts.mock.callCount(), count)
  } finally {
    timeouts.mock.restore()
    clock.mock.restore()
  }
})

test("[ND51] a node announces that it has begun or ceased to be idle, not too often, and not what is over by then", async () => {
  const given: [running: number, at: number][] = []
  let time = 1000
  let pending: { readonly at: number; readonly call: () => void } | undefined
  const started = mock.method(runtime, "startTimeout", (call: () => void, delay: number) => {
    pending = { at: time + delay, call }
    return { unref: () => undefined } as unknown as NodeJS.Timeout
  })
  const stopped = mock.method(runtime, "stopTimeout", () => undefined)
  const clock = mock.method(runtime, "now", () => time)
  const queue = {
    now: () => 1.5,
    announce({ running, startedAt, seenAt }: NodeRecord) {
      assert.ok(Number.isInteger(startedAt) && Number.isInteger(seenAt))
      given.push([running, time])
      return Promise.resolve()
    },
  } as unknown as EngineQueue
  try {
    const facts = { id: "a", nodeName: "a", concurrency: 16, running: 0 }
    const presence = new NodePresence(queue, facts, (error) => assert.fail(String(error)))
    const run = (running: number): void => {
      facts.running = running
      presence.changed()
    }
    const next = async (): Promise<void> => {
      const { at, call } = pending as NonNullable<typeof pending>
      time = at
      call()
      await turns(2)
    }
    await presence.begin()
    run(1) // at once after the first: 500 ms are between two
    run(2)
    await next()
    time += 400
    run(0) // long after the last one
    await next()
    time += 1000
    run(1)
    run(0) // is over before it is told
    await next()
    await next()
    run(9)
    await next()
    run(8) // not much
    await next()
    run(4)
    await next()
    assert.deepEqual(given, [
      [0, 1000],
      [2, 1500],
      [0, 2150],
      [0, 4150],
      [9, 4650],
      [8, 6650],
      [4, 7150],
    ])
    presence.stop()
  } finally {
    for (const each of [started, stopped, clock]) each.mock.restore()
  }
})

test("[ND47] a sign of life that is on its way when the node ends does not outlive it", async () => {
  const given: number[] = []
  let arrive: () => void = () => undefined
  const queue = {
    now: () => 7,
    async announce(_: NodeRecord, forMs: number) {
      if (given.length === 1) await new Promise<void>((resolve) => (arrive = resolve))
      given.push(forMs)
    },
  } as unknown as EngineQueue
  let fire: () => void = () => undefined
  const timeouts = mock.method(runtime, "startTimeout", (call: () => void) => {
    fire = call
    return { unref: () => undefined } as unknown as NodeJS.Timeout
  })
  const clock = mock.method(runtime, "now", () => Infinity)
  try {
    const facts = { id: "a", nodeName: "a", concurrency: 1, running: 0 }
    const presence = new NodePresence(queue, facts, (error) => assert.fail(String(error)))
    await presence.begin()
    fire()
    const ending = presence.end()
    await turns(2)
    arrive()
    await ending
    assert.deepEqual(given, [5000, 5000, 0])
  } finally {
    timeouts.mock.restore()
    clock.mock.restore()
  }
})

test("[ND51] what a node runs is seen while it runs", async () => {
  await using driver = await Driver.open()
  await driver.start()
  using gate = new NodeGate()
  const job = await driver.add("pass", [gate.index])
  await gate.reached()
  const isSeen = async (running: number): Promise<void> => {
    while ((await driver.nodes())[0]?.running !== running) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await isSeen(1)
  gate.open()
  await job.end
  await isSeen(0)
})

test("[ND48] errors of the engine go to onError, and what that throws is printed", async () => {
  const engine = new MemoryEngine()
  let listener: EngineListener | undefined
  const spying = {
    async open(queue: string, role: "executor" | "node") {
      const opened = await engine.open(queue, role)
      const listen = opened.listen.bind(opened)
      opened.listen = (given) => {
        listener = given
        return listen(given)
      }
      return opened
    },
  }
  const told: unknown[] = []
  const printed = mock.method(console, "error", () => undefined)
  try {
    await using executor = Executors.newFixedThreadPool(1, virtualThreads())
    await using node = await ExecutorNode.start({
      name: "q",
      engine: spying,
      tasks: { add: () => 1 },
      executor,
      nodeName: "north",
      onError(error, context) {
        told.push(error, context)
        throw new Error("handler")
      },
    })
    const failure = new Error("connection lost")
    listener?.error(failure)
    assert.deepEqual(told, [failure, { node: "north" }])
    assert.deepEqual(
      printed.mock.calls.map(({ arguments: given }) => {
        const [title, error] = given as unknown[]
        return [title, (error as Error).message]
      }),
      [
        ['Exception in node "north"', "connection lost"],
        ['Exception in node "north"', "handler"],
      ],
    )
    await node.close()
  } finally {
    printed.mock.restore()
  }
})

test("[ND48] without onError errors are printed", async () => {
  await using driver = await Driver.open()
  const printed = mock.method(console, "error", () => undefined)
  try {
    await driver.start({ onError: undefined as never, nodeName: "south" })
    const job = await driver.add("fail", ["too hot"], { data: { command: true } })
    await job.end
    assert.equal(printed.mock.callCount(), 1)
    const [title, error] = (printed.mock.calls[0]?.arguments ?? []) as unknown[]
    assert.equal(title, `Exception in node "south", job ${job.id} of task "fail"`)
    assert.equal((error as Error).message, "too hot")
  } finally {
    printed.mock.restore()
  }
})

test("[ND48] an engine that cannot be asked does not harm the jobs", async () => {
  await using driver = await Driver.open()
  const engine = driver.engine
  const failure = new Error("find failed")
  const open = engine.open.bind(engine)
  engine.open = async (queue, role) => {
    const opened = await open(queue, role)
    opened.find = () => Promise.reject(failure)
    return opened
  }
  await driver.start()
  using gate = new NodeGate()
  const job = await driver.add("pass", [gate.index])
  await gate.reached()
  engine.recover() // says that there was a gap
  await turns()
  assert.deepEqual(
    driver.takeErrors().map(({ error }) => error),
    [failure],
  )
  gate.open()
  assert.equal((await job.end).kind, "completed")
})
