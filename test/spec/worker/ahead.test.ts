/** The first pool of a program, whose engine is made when the pool is used, and whose thread starts meanwhile. */
import assert from "node:assert/strict"
import test from "node:test"
import { Folder } from "./support.ts"

/** What a program prints that runs on the published files. */
async function linesOf(program: string): Promise<string[]> {
  using folder = new Folder()
  await using running = folder.start("program.mjs", program, ["--conditions=shipped"])
  return await running.lines()
}

/** Counts the threads that the runtime starts, and waits until they have ended. */
const COUNTED = `
  let started = 0, ended = 0
  process.on("worker", (worker) => {
    started++
    worker.once("exit", () => ended++)
  })
  const allEnded = async () => {
    while (ended < started) await new Promise((resolve) => setTimeout(resolve, 1))
  }
`

test("[WK71] the thread of the first task has the name and the settings of any other, and is the only one", async () => {
  const lines = await linesOf(`
    import { Executors, platformThreads, Thread } from "corepool"
    ${COUNTED}
    const settings = () => [
      process.env.A,
      process.getBuiltinModule("node:worker_threads").resourceLimits.maxOldGenerationSizeMb ?? 64, // Bun has none
    ]
    const pool = Executors.newFixedThreadPool(2, platformThreads({ name: "early", env: { A: "1" }, resourceLimits: { maxOldGenerationSizeMb: 64 } }))
    const name = async () => (await import("corepool")).Thread.currentThread().name
    console.log(await pool.submit(name), await pool.submit(name), ...(await pool.submit(settings)), pool.poolSize, started)
    await pool.close()
    await allEnded()`)
  assert.deepEqual(lines, ["early-1 early-2 1 64 2 2"])
})

test("[WK71] so it is if the names are the user's, who is asked once for each thread", async () => {
  const lines = await linesOf(`
    import { Executors, platformThreads } from "corepool"
    ${COUNTED}
    const asked = []
    const pool = Executors.newFixedThreadPool(1, platformThreads({ name: (n) => "mine " + asked.push(n) }))
    console.log(await pool.submit(() => 1), asked.length)
    await pool.close()
    await allEnded()
    console.log(started)`)
  assert.deepEqual(lines, ["1 1", "1"])
})

test("[WK71] a pool that has run no task is like any other", async () => {
  const lines = await linesOf(`
    import { Executors } from "corepool"
    import { inspect } from "node:util"
    ${COUNTED}
    const pool = Executors.newFixedThreadPool(1)
    console.log(pool.poolSize, pool.corePoolSize, pool.queue.size, inspect(pool).includes("running"))
    pool.maximumPoolSize = 2
    console.log(pool.maximumPoolSize, await pool.submit((n) => n + 1, 1), started)
    await pool.close()
    console.log(pool.isTerminated)`)
  assert.deepEqual(lines, ["0 1 0 true", "2 2 1", "true"])
})

test("[WK71] one that is shut down at once ends, and has no thread", async () => {
  const lines = await linesOf(`
    import { Executors } from "corepool"
    ${COUNTED}
    const pool = Executors.newFixedThreadPool(1)
    pool.shutdown()
    console.log(await pool.awaitTermination(), pool.isTerminated)
    try {
      pool.submit(() => 1)
    } catch (error) {
      console.log(error.name, started)
    }`)
  assert.deepEqual(lines, ["true true", "RejectedExecutionError 0"])
})

test("[WK71] what the pool does for all belongs to no request, though one has submitted its first task", async () => {
  const lines = await linesOf(`
    import { Executors, platformThreads } from "corepool"
    import { AsyncLocalStorage } from "node:async_hooks"
    const request = new AsyncLocalStorage()
    let told
    const pool = Executors.newFixedThreadPool(1, platformThreads({ uncaughtException: () => told(request.getStore()) }))
    const store = new Promise((resolve) => (told = resolve))
    request.run("the first", () => pool.execute(() => { throw new Error("of a command") }))
    console.log(await store)
    await pool.close()`)
  assert.deepEqual(lines, ["undefined"])
})

test("[WK72] if the first task cannot be sent, the thread that was to run it ends, and the next task has another", async () => {
  const lines = await linesOf(`
    import { Executors } from "corepool"
    ${COUNTED}
    const pool = Executors.newFixedThreadPool(1)
    try {
      await pool.submit((it) => it, Symbol("of this thread"))
    } catch (error) {
      console.log(error.name, pool.poolSize)
    }
    await allEnded()
    console.log(await pool.submit((n) => n + 1, 1), pool.poolSize)
    await pool.close()`)
  assert.deepEqual(lines, ["NotSerializableError 0", "2 1"])
})
