import { Executors, ThreadPoolExecutor, virtualThreads } from "corepool"
import { DistributedExecutor } from "#src/distributed/distributed-executor.js"
import { ExecutorNode } from "#src/distributed/node/executor-node.js"
import assert from "node:assert/strict"
import { availableParallelism } from "node:os"
import { describe, test } from "node:test"
import { runProgram } from "../../support/child.ts"
import { eventually, turns } from "../../support/harness.ts"
import { MemoryEngine } from "../../support/memory-engine.ts"
import { Driver, KINDS, NodeGate } from "./node-driver.ts"
import * as tasks from "./node-tasks.ts"

const options = { name: "q", tasks }

type OpenedQueue = Awaited<ReturnType<MemoryEngine["open"]>>

/** The engine, with queues that are changed when they are opened. */
function changed(engine: MemoryEngine, change: (opened: OpenedQueue) => void) {
  return {
    async open(queue: string, role: "executor" | "node") {
      const opened = await engine.open(queue, role)
      change(opened)
      return opened
    },
  }
}

async function closesAtOnce(change: (opened: OpenedQueue) => void): Promise<void> {
  const engine = new MemoryEngine()
  await using executor = Executors.newFixedThreadPool(1, virtualThreads())
  const node = await ExecutorNode.start({ ...options, engine: changed(engine, change), executor })
  await node.close(0)
  assert.equal(engine.connections, 0)
  assert.equal(node.isClosed, true)
}

test("[ND1] a node that cannot connect, or load its catalogue, is not started", async () => {
  const engine = new MemoryEngine()
  const failure = new Error("no server")
  engine.beUnreachable(failure)
  await assert.rejects(ExecutorNode.start({ ...options, engine }), failure)
  engine.beReachable()
  await assert.rejects(ExecutorNode.start({ name: "q", engine, tasks: {} }), TypeError)
  assert.equal(engine.connections, 0)
})

test("[ND1] what fails after the connection is opened closes it again", async () => {
  const engine = new MemoryEngine()
  const failure = new Error("no consumer")
  const breaking = changed(engine, (opened) => {
    opened.consume = () => Promise.reject(failure)
  })
  await assert.rejects(ExecutorNode.start({ ...options, engine: breaking }), failure)
  assert.equal(engine.connections, 0)
})

test("[ND2] unknown and wrong options are refused", async () => {
  const engine = new MemoryEngine()
  const refused = async (wrong: object, message: RegExp): Promise<void> => {
    await assert.rejects(ExecutorNode.start({ ...options, engine, ...wrong }), { message })
  }
  await refused({ concurency: 2 }, /did you mean `concurrency`/)
  await refused({ name: "" }, /`name`/)
  await refused({ engine: {} }, /`engine`.*postgres/)
  await refused({ executor: {} }, /`executor`/)
  await refused({ concurrency: 0 }, /`concurrency`/)
  await refused({ lockDuration: 10 }, /`lockDuration`/)
  await refused({ lockDuration: Infinity }, /`lockDuration`/)
  await refused({ maxPayload: -1 }, /`maxPayload`/)
  for (const signal of ["TERM", "SIGFOO", "SIG", "constructor", "SIGKILL", "SIGSTOP"])
    await refused({ signals: [signal] }, /`signals`/)
  const fleet = new DistributedExecutor({ ...options, engine })
  for (const executor of [fleet, fleet.with({ priority: 1 })])
    await refused({ executor }, /`executor`.*runs tasks in this process.*got a DistributedExecutor/)
  await fleet.close()
  await refused({ onError: 1 }, /`onError`/)
  await refused({ tasks: 1 }, /`tasks`/)
  assert.equal(engine.connections, 0)
  const Node = ExecutorNode as unknown as new (parts: object) => unknown
  assert.throws(() => new Node({}), { name: "TypeError", message: /ExecutorNode\.start/ })
})

test("[ND3] without an executor the node has one of its own, and closes it", async () => {
  await using driver = await Driver.open()
  const node = await driver.start({ executor: undefined as never, concurrency: 1 })
  assert.equal(await driver.valueOf("add", [1, 2]), 3)
  await node.close()
})

test("[ND3] an executor that the node was given stays open", async () => {
  await using driver = await Driver.open()
  const executor = driver.virtual(1)
  const node = await driver.start({ executor })
  await node.close()
  assert.equal(executor.isShutdown, false)
})

test("[ND4] concurrency is the size of the executor unless it is given", async () => {
  await using driver = await Driver.open()
  const concurrencyOf = async (executor: ReturnType<Driver["virtual"]>, concurrency?: number): Promise<number> => {
    const node = await driver.start({ executor, ...(concurrency !== undefined && { concurrency }) })
    return node.concurrency
  }
  assert.equal(await concurrencyOf(driver.virtual(7)), 7)
  assert.equal(await concurrencyOf(driver.virtual(7), 3), 3)
  const cached = driver.adopt(Executors.newCachedThreadPool(virtualThreads()))
  assert.equal(await concurrencyOf(cached), availableParallelism())
  const unknown = driver.adopt(Executors.newVirtualThreadPerTaskExecutor())
  assert.equal(await concurrencyOf(unknown), availableParallelism())
})

test("[ND4] no more jobs run at once", async () => {
  await using driver = await Driver.open()
  const node = await driver.start({ executor: driver.virtual(5), concurrency: 2 })
  using gate = new NodeGate()
  const jobs = []
  for (let i = 0; i < 5; i++) jobs.push(await driver.add("pass", [gate.index]))
  await gate.reached(2)
  await turns()
  assert.equal(gate.arrived, 2)
  assert.equal(node.running, 2)
  gate.open()
  for (const job of jobs) assert.equal((await job.end).kind, "completed")
})

test("[ND5] a node tells of itself", async () => {
  await using driver = await Driver.open()
  const node = await driver.start({ nodeName: "north" })
  const other = await driver.start()
  assert.notEqual(node.id, other.id)
  assert.deepEqual([node.name, node.nodeName, node.running, node.isClosed], ["tests", "north", 0, false])
  assert.equal(String(node), "ExecutorNode[north of tests]")
  await node.close()
  assert.equal(node.isClosed, true)
})

for (const kind of KINDS) {
  test(`[ND41] close() lets what runs come to its end, and takes nothing more (${kind})`, async () => {
    await using driver = await Driver.open()
    const node = await driver.start({ executor: driver[kind](1) })
    using gate = new NodeGate()
    const job = await driver.add("pass", [gate.index])
    await gate.reached()
    const closing = node.close()
    const late = await driver.add("add", [1, 2])
    await turns()
    assert.equal(node.isClosed, false)
    gate.open()
    await closing
    assert.equal((await job.end).kind, "completed")
    assert.equal(node.isClosed, true)
    assert.equal(late.starts(), 0)
    assert.equal(driver.engine.connections, 1)
  })

  test(`[ND42] what still runs when the time is up is interrupted and given back (${kind})`, async () => {
    await using driver = await Driver.open()
    const node = await driver.start({ executor: driver[kind](1) })
    const gate = new NodeGate()
    const job = await driver.add("awaitInterrupt", [gate.index])
    await gate.reached()
    await node.close({ timeout: 1 })
    assert.equal(gate.left, 1)
    assert.equal(job.ends.length, 0)
    const { failures, deaths, state } = job.stored() ?? {}
    assert.deepEqual({ failures, deaths, state }, { failures: 0, deaths: 0, state: "waiting" })
    await driver.start({ executor: driver[kind](1) })
    await gate.reached(2)
    await job.cancel()
    await job.end
  })
}

test("[ND42] the signal of close() does the same, also later than the first call", async () => {
  await using driver = await Driver.open()
  const node = await driver.start()
  const gate = new NodeGate()
  const job = await driver.add("awaitInterrupt", [gate.index])
  await gate.reached()
  const closing = node.close()
  const controller = new AbortController()
  const second = node.close({ signal: controller.signal })
  await turns()
  assert.equal(gate.left, 0)
  controller.abort()
  await Promise.all([closing, second])
  assert.equal(gate.left, 1)
  assert.equal(job.stored()?.state, "waiting")
})

test("[ND42] a thread that does not stop is terminated before its job is given back", async () => {
  await using driver = await Driver.open()
  const node = await driver.start({ executor: driver.platform(1, 50) })
  const gate = new NodeGate()
  const job = await driver.add("spin", [gate.index])
  await gate.reached()
  await node.close(0)
  assert.equal(job.stored()?.state, "waiting")
})

// Each waits for as long as a node waits for such an engine.
describe("an engine that does not answer", { concurrency: 2 }, () => {
  test("[ND43] close() with a limit ends though the engine does not answer", () =>
    closesAtOnce((opened) => {
      const consume = opened.consume.bind(opened)
      opened.consume = async (given) => ({ ...(await consume(given)), drain: () => new Promise(() => undefined) })
    }))

  test("[ND43] close() with a limit ends though the engine does not take the last sign of life", () =>
    closesAtOnce((opened) => {
      const announce = opened.announce.bind(opened)
      opened.announce = (node, forMs) => (forMs > 0 ? announce(node, forMs) : new Promise(() => undefined))
    }))
})

test("[ND44] close() may be called again; awaitTermination() waits for the end", async () => {
  await using driver = await Driver.open()
  const node = await driver.start()
  assert.equal(await node.awaitTermination(0), false)
  const waiting = node.awaitTermination()
  await Promise.all([node.close(), node.close(), node[Symbol.asyncDispose]()])
  assert.equal(await waiting, true)
  await node.close()
  assert.equal(await node.awaitTermination(), true)
})

test("[ND46] a node whose executor is shut down gives its jobs back and closes itself", async () => {
  await using driver = await Driver.open()
  const executor = driver.virtual(1)
  const node = await driver.start({ executor })
  executor.shutdown()
  const jobs = [await driver.add("add", [1, 2]), await driver.add("add", [3, 4])]
  assert.equal(await node.awaitTermination(), true)
  assert.deepEqual(
    driver.takeErrors().map(({ error }) => (error as Error).name),
    ["RejectedExecutionError"],
  )
  await driver.start()
  for (const job of jobs) assert.equal((await job.end).kind, "completed")
})

test("[ND46] jobs that are cut short by shutdownNow() of the executor are run again", async () => {
  await using driver = await Driver.open()
  const executor = driver.virtual(1)
  const node = await driver.start({ executor, concurrency: 2 })
  using gate = new NodeGate()
  const first = await driver.add("pass", [gate.index])
  await gate.reached()
  const second = await driver.add("add", [1, 2])
  await eventually(() => node.running === 2)
  executor.shutdownNow()
  gate.open()
  await node.awaitTermination()
  assert.equal(driver.takeErrors().length, 1)
  await driver.start()
  assert.deepEqual(await second.end, { kind: "completed", value: 3 })
  assert.equal((await first.end).kind, "completed")
})

test("[ND46] an executor that is full is told of once, and the job is run later", async () => {
  await using driver = await Driver.open()
  const executor = driver.adopt(
    new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 1,
      workQueue: new (await import("corepool")).SynchronousQueue(),
      threadFactory: virtualThreads(),
    }),
  )
  await driver.start({ executor, concurrency: 2 })
  using gate = new NodeGate()
  const first = await driver.add("pass", [gate.index])
  await gate.reached()
  const second = await driver.add("add", [1, 2])
  await eventually(() => second.delays.length === 1)
  assert.equal(driver.takeErrors().length, 1)
  gate.open()
  assert.equal((await first.end).kind, "completed")
  assert.deepEqual(await second.end, { kind: "completed", value: 3 })
})

const SIGNALLED = `
  import { ExecutorNode } from "#src/distributed/node/executor-node.js"
  import { MemoryEngine } from "../test/support/memory-engine.js"
  const engine = new MemoryEngine()
  let end
  const tasks = { wait: () => new Promise((resolve) => (end = resolve)) }
  const { Executors, virtualThreads } = await import("corepool")
  const executor = Executors.newFixedThreadPool(1, virtualThreads())
  const node = await ExecutorNode.start({ name: "q", engine, tasks, executor, signals: ["SIGTERM"] })
  const queue = await engine.open("q", "executor")
  await queue.add([{ id: "a", name: "wait", data: { v: 1, args: "", from: "" }, delay: 0, priority: 0, attempts: 1, keep: 1e6 }])
  while (end === undefined) await new Promise((resolve) => setTimeout(resolve, 1))
  const signal = () => process.kill(process.pid, "SIGTERM")
  void node.awaitTermination().then(() => console.log("closed", engine.jobs("q")[0].state))
`

test("[ND45] on a signal the node drains and the process ends", async () => {
  const { code, stdout, stderr } = await runProgram(`${SIGNALLED}
    signal()
    while (process.listenerCount("SIGTERM") === 1 && !node.isClosed) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (engine.jobs("q")[0].state === "active") end()
    }
  `)
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "closed completed\n", stderr: "" })
})

test("[ND45] a second signal ends the process at once", async () => {
  const { code, stdout } = await runProgram(`${SIGNALLED}
    process.on("SIGTERM", () => setImmediate(signal))
    signal()
  `)
  assert.deepEqual({ code, stdout }, { code: 143, stdout: "" })
})

test("[ND45] after close() the signals mean what they meant before", async () => {
  await using driver = await Driver.open()
  const before = process.listenerCount("SIGTERM")
  const node = await driver.start()
  node.shutdownOnSignals({ signals: ["SIGTERM"], timeout: 100 })
  node.shutdownOnSignals({ signals: ["SIGTERM"] })
  assert.equal(process.listenerCount("SIGTERM"), before + 1)
  await node.close()
  assert.equal(process.listenerCount("SIGTERM"), before)
})
