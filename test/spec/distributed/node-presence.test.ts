import { Executors, virtualThreads } from "corepool"
import type { EngineListener, EngineQueue } from "#src/distributed/job/engine.js"
import type { NodeRecord } from "#src/executor/fleet-records.js"
import { ExecutorNode } from "#src/distributed/node/executor-node.js"
import { NodePresence } from "#src/distributed/node/node-presence.js"
import assert from "node:assert/strict"
import { hostname } from "node:os"
import { mock, test } from "node:test"
import { FakeClock } from "../../support/fake-clock.ts"
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

/** The presence of a node that has what it says in `facts`; by a clock of the test's. */
class Signs implements Disposable {
  readonly facts = { id: "a", nodeName: "a", concurrency: 16, running: 0 }
  readonly clock = new FakeClock()
  /** What was announced: how many jobs the node runs, whether it drains, for how long that counts, and when it was. */
  readonly given: {
    readonly running: number
    readonly isDraining: boolean
    readonly forMs: number
    readonly at: number
  }[] = []
  readonly told: unknown[] = []
  /** What the engine does before it takes an announcement. */
  before: () => Promise<void> = () => Promise.resolve()
  readonly presence = new NodePresence(this.#queue(), this.facts, (error) => this.told.push(error))

  #queue(): EngineQueue {
    const announce = async ({ running, isDraining, startedAt, seenAt }: NodeRecord, forMs: number): Promise<void> => {
      assert.ok(Number.isInteger(startedAt) && Number.isInteger(seenAt))
      const at = this.clock.now
      await this.before()
      this.given.push({ running, isDraining, forMs, at })
    }
    return { now: () => 1.5, announce } as unknown as EngineQueue
  }

  run(running: number): void {
    this.facts.running = running
    this.presence.changed()
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms)
    await turns(2)
  }

  [Symbol.dispose](): void {
    this.presence.stop()
    this.clock[Symbol.dispose]()
  }
}

test("[ND47] signs of life are given again and again, and that they fail is told once", async () => {
  using signs = new Signs()
  const { presence, given, told } = signs
  await presence.begin()
  signs.facts.running = 1
  await signs.pass(2000)
  assert.deepEqual(
    given.map(({ running, forMs }) => [running, forMs]),
    [
      [0, 5000],
      [1, 5000],
    ],
  )
  const failure = new Error("no connection")
  signs.before = () => Promise.reject(failure)
  await signs.pass(2000)
  await signs.pass(2000)
  assert.deepEqual(told, [failure])
  signs.before = () => Promise.resolve()
  await signs.pass(2000)
  const again = new Error("again")
  signs.before = () => Promise.reject(again)
  await signs.pass(2000)
  assert.deepEqual(told, [failure, again])
  signs.before = () => Promise.resolve()
  await presence.end()
  assert.equal(given.at(-1)?.forMs, 0)
  const count = given.length
  await signs.pass(10_000)
  assert.equal(given.length, count)
  assert.equal(signs.clock.ticking, 0)
})

test("[ND51] a node announces that it has begun or ceased to be idle, not too often, and not what is over by then", async () => {
  using signs = new Signs()
  await signs.presence.begin()
  signs.run(1) // at once after the first: 500 ms are between two
  signs.run(2)
  await signs.pass(500)
  await signs.pass(400)
  signs.run(0) // long after the last one
  await signs.pass(250)
  await signs.pass(1000)
  signs.run(1)
  signs.run(0) // is over before it is told
  await signs.pass(1000)
  signs.run(9)
  await signs.pass(500)
  signs.run(8) // not much
  await signs.pass(2000)
  signs.run(4)
  await signs.pass(500)
  assert.deepEqual(
    signs.given.map(({ running, at }) => [running, at]),
    [
      [0, 1000],
      [2, 1500],
      [0, 2150],
      [0, 4150],
      [9, 4650],
      [8, 6650],
      [4, 7150],
    ],
  )
  assert.deepEqual(signs.told, [])
})

test("[ND53] a node that drains announces that soon, and goes on to do so until it has ended", async () => {
  using signs = new Signs()
  await signs.presence.begin()
  signs.run(1)
  await signs.pass(2000)
  signs.presence.drain()
  await signs.pass(500)
  for (let n = 0; n < 5; n++) await signs.pass(2000)
  await signs.presence.end()
  const [, , ...draining] = signs.given
  assert.deepEqual(
    draining.map(({ isDraining, forMs }) => [isDraining, forMs]),
    [...Array.from({ length: 6 }, () => [true, 5000]), [true, 0]],
  )
})

test("[ND53] a node that drains is listed as such until it has ended", async () => {
  await using driver = await Driver.open()
  const node = await driver.start()
  using gate = new NodeGate()
  const job = await driver.add("pass", [gate.index])
  await gate.reached()
  assert.equal((await driver.nodes())[0]?.isDraining, false)
  const closing = node.close()
  while ((await driver.nodes())[0]?.isDraining !== true) await new Promise((resolve) => setTimeout(resolve, 10))
  gate.open()
  await job.end
  await closing
  assert.deepEqual(await driver.nodes(), [])
})

test("[ND47] a sign of life that is on its way when the node ends does not outlive it", async () => {
  using signs = new Signs()
  await signs.presence.begin()
  let arrive: () => void = () => undefined
  signs.before = () => new Promise((resolve) => (arrive = resolve))
  signs.clock.advance(2000)
  signs.before = () => Promise.resolve()
  const ending = signs.presence.end()
  await turns(2)
  arrive()
  await ending
  assert.deepEqual(
    signs.given.map(({ forMs }) => forMs),
    [5000, 5000, 0],
  )
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
