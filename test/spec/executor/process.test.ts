/** What executors mean to the life of a program, each time seen from outside. */
import assert from "node:assert/strict"
import test from "node:test"
import { runProgram } from "../../support/child.ts"

/** Runs a module that may import "corepool"; what it printed, once it has ended by itself. */
async function run(program: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program)
  assert.deepEqual([code, stderr], [0, ""])
  return stdout.trim()
}

test("[ES46] executors that are idle, and were never shut down, let the program end", async () => {
  const printed = await run(`
    import { Executors, virtualThreads } from "corepool"
    const executors = [
      Executors.newFixedThreadPool(2, virtualThreads()),
      Executors.newSingleThreadExecutor(virtualThreads()),
      Executors.newCachedThreadPool(virtualThreads()),
      Executors.newVirtualThreadPerTaskExecutor(),
    ]
    const sums = await Promise.all(executors.map((executor) => executor.submit((a, b) => a + b, 1, 2)))
    console.log(sums.join(" "))
  `)
  assert.equal(printed, "3 3 3 3")
})

test("[ES47] what was accepted runs before the program ends, if only its own timers keep it waiting", async () => {
  const printed = await run(`
    import { Executors, Thread, virtualThreads } from "corepool"
    const pool = Executors.newFixedThreadPool(1, virtualThreads())
    for (const n of [1, 2, 3]) pool.execute(async () => { await Thread.sleep(2); console.log(n) })
  `)
  assert.deepEqual(printed.split("\n"), ["1", "2", "3"])
})

test("[WO15] time limits of tasks that are over do not keep the program alive", async () => {
  const printed = await run(`
    import { Executors, virtualThreads } from "corepool"
    const pool = Executors.newFixedThreadPool(1, virtualThreads())
    const signal = AbortSignal.timeout(2 ** 31 - 1)
    const view = pool.with({ timeout: 2 ** 31 - 1, queueTimeout: 2 ** 31 - 1, signal })
    const results = await Promise.allSettled([view.submit(() => 1), view.submit(() => { throw new Error("own") })])
    view.submit(() => 2).cancel()
    console.log(results.map(({ status }) => status).join(" "))
  `)
  assert.equal(printed, "fulfilled rejected")
})

test("[CX4] a task does not see the stores with which corepool was loaded", async () => {
  const printed = await run(`
    import { AsyncLocalStorage } from "node:async_hooks"
    const storage = new AsyncLocalStorage()
    const { Executors, virtualThreads } = await storage.run("at load", () => import("corepool"))
    const pool = Executors.newFixedThreadPool(1, virtualThreads())
    console.log(await pool.submit(() => storage.getStore()))
    console.log(await storage.run("at submit", () => pool.submit(() => storage.getStore())))
  `)
  assert.deepEqual(printed.split("\n"), ["undefined", "at submit"])
})
