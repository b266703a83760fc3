/** The end of an executor whose threads are elsewhere. Rule ids are those of docs/spec/distributed.md. */
import {
  CancellationError,
  Executors,
  type FutureTask,
  IllegalStateError,
  RejectedExecutionError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { runProgram } from "../../support/child.ts"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { FleetLab } from "./lab.ts"
import * as tasks from "./lab.tasks.ts"

test("[DX23] an executor waits for its own tasks, and others go on", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const [here, there] = [lab.fleet(), lab.fleet()]
  const mine = here.submit(tasks.wait, "mine")
  const other = there.submit(tasks.wait, "other")
  await eventually(() => tasks.marks.length === 2)
  here.shutdown()
  assert.throws(() => here.submit(tasks.add, 1, 2), RejectedExecutionError)
  assert.throws(() => here.with({ id: "x" }).schedule(tasks.add, 1, 1, 2), RejectedExecutionError)
  assert.equal(await here.awaitTermination(1), false)
  tasks.open()
  assert.equal(await here.awaitTermination(), true)
  assert.equal(mine.resultNow(), "mine")
  assert.equal(await other, "other")
  assert.deepEqual([there.isShutdown, lab.engine.connections], [false, 2])
  assert.equal(await there.submit(tasks.add, 1, 2), 3)
})

test("[DX23] close waits for what has just been submitted", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const future = fleet.submit(tasks.add, 1, 2)
  fleet.execute(tasks.mark, "command")
  await fleet.close()
  assert.equal(future.resultNow(), 3)
  assert.deepEqual(tasks.marks, ["command"])
})

test("[DX24] shutdownNow gives what has not begun, and interrupts what has", async () => {
  await using lab = new FleetLab()
  await lab.node("node", 1)
  const fleet = lab.fleet()
  const running = fleet.submit(tasks.waitAlert, "x")
  await eventually(() => tasks.marks.length === 1)
  const stored = fleet.submit(tasks.mark, "stored")
  fleet.execute(tasks.mark, "command")
  await stored.stored
  const cancelled = fleet.submit(tasks.mark, "cancelled")
  cancelled.cancel()
  const unsent = fleet.submit(tasks.mark, "unsent")
  const unrun = await fleet.shutdownNow()
  assert.equal(unrun.length, 3)
  assert.deepEqual(await fleet.shutdownNow(), [])
  for (const future of [stored, unsent]) {
    const error = await rejectionOf(future)
    assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
  }
  assert.ok((await rejectionOf(running)) instanceof CancellationError)
  assert.equal(await fleet.awaitTermination(), true)
  assert.deepEqual(tasks.marks, ["begun x", "interrupted x"])
  const pool = Executors.newFixedThreadPool(1, virtualThreads())
  for (const task of unrun) pool.execute(task)
  await pool.close()
  assert.deepEqual(tasks.marks.slice(2), ["stored", "command", "unsent"])
  assert.equal((unrun[0] as FutureTask<unknown>).resultNow(), "stored")
})

test("[DX24] if the engine cannot be asked, shutdownNow says so", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const future = fleet.submit(tasks.mark, 1)
  await future.stored
  lab.engine.breakRemoves(new Error("away"))
  assert.equal(((await rejectionOf(fleet.shutdownNow())) as Error).message, "away")
  assert.deepEqual([future.state, fleet.isShutdown, fleet.isTerminated], ["running", true, false])
  lab.engine.breakRemoves(undefined)
  assert.equal((await fleet.shutdownNow()).length, 1)
  assert.equal(await fleet.awaitTermination(), true)
})

test("[DX25] futures of other processes are cancelled when the executor terminates", async () => {
  await using lab = new FleetLab()
  const [here, there] = [lab.fleet(), lab.fleet()]
  const future = here.submit(tasks.mark, 1)
  await future.stored
  const watched = there.future(future.id)
  await watched.stored
  await there.close()
  const error = await rejectionOf(watched)
  assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
  assert.equal(lab.jobs[future.id], "waiting", "it was not touched")
  assert.throws(() => there.future(future.id), RejectedExecutionError)
})

const PROGRAM = `
  import { Executors, virtualThreads } from "corepool"
  import { DistributedExecutor, ExecutorNode } from "corepool/distributed"
  import { MemoryEngine } from "${new URL("../../support/memory-engine.js", import.meta.url).href}"
  const tasks = { add: (a, b) => a + b, slow: () => new Promise((resolve) => setTimeout(resolve, 50, "slow").unref()) }
  const engine = new MemoryEngine()
  const executor = Executors.newFixedThreadPool(2, virtualThreads())
  const fleet = new DistributedExecutor({ name: "q", engine, tasks })
  process.on("exit", () => console.log("exit"))
`

test("[DX26] an executor that waits for nothing does not keep the program alive", async () => {
  const { code, stdout, stderr } = await runProgram(`${PROGRAM}
    const node = await ExecutorNode.start({ name: "q", engine, tasks, executor })
    console.log(await fleet.submit(tasks.add, 1, 2), (await fleet.stats()).completed)
    await node.close()
    fleet.with({ id: "every" }).scheduleAtFixedRate(tasks.add, 1e6, 1e6)
    fleet.schedule(tasks.add, Infinity)
  `)
  assert.deepEqual([code, stdout, stderr], [0, "3 1\nexit\n", ""])
})

test("[DX26] one that waits for something does", async () => {
  const { code, stdout, stderr } = await runProgram(`${PROGRAM}
    const future = fleet.submit(tasks.slow)
    await future.stored
    const elsewhere = new DistributedExecutor({ name: "q", engine, tasks })
    elsewhere.future(future.id).then((value) => console.log("watched", value))
    setTimeout(async () => {
      const node = await ExecutorNode.start({ name: "q", engine, tasks, executor })
      console.log(await future)
      await node.close()
    }, 50).unref()
  `)
  assert.deepEqual([code, stderr], [0, ""])
  assert.deepEqual(stdout.split("\n").toSorted(), ["", "exit", "slow", "watched slow"])
})

test("[DX85] a schedule that is unref'd keeps it alive until it is stored, and again from ref on", async () => {
  const { code, stdout, stderr } = await runProgram(`${PROGRAM}
    const future = fleet.scheduleAtFixedRate(tasks.add, 1e6, 1e6)
    console.log(future.unref() === future)
    future.stored.then(() => {
      console.log("stored")
      future.ref()
      setTimeout(() => {
        console.log("lived on")
        future.unref()
      }, 20).unref()
    })
  `)
  assert.deepEqual([code, stdout, stderr], [0, "true\nstored\nlived on\nexit\n", ""])
})

test("[DX23] a program that ends by close has nothing left", async () => {
  await using lab = new FleetLab()
  await lab.node()
  for (let round = 0; round < 5; round++) {
    await using fleet = lab.fleet()
    assert.equal(await fleet.submit(tasks.add, round, 1), round + 1)
  }
  await turns()
  assert.equal(lab.engine.connections, 1)
})

test("[DX37] an executor that has terminated opens no connection", async () => {
  await using lab = new FleetLab()
  const used = lab.fleet()
  assert.equal((await used.stats()).waiting, 0)
  for (const fleet of [used, lab.fleet()]) {
    await fleet.close()
    for (const look of [fleet.stats(), fleet.nodes()]) assert.ok((await rejectionOf(look)) instanceof IllegalStateError)
  }
  assert.equal(lab.engine.connections, 0)
})
