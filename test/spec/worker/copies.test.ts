/**
 * Several copies of corepool in one thread: that of the program's bundle, that from which the thread was started, and that of
 * the bundle with its tasks.
 */
import assert from "node:assert/strict"
import test from "node:test"
import { build, type BuildOptions } from "esbuild"
import { Folder } from "./support.ts"

/** Bundles a program and its tasks, each with a copy of its own; what the program says. */
async function run(tasks: string, program: string): Promise<unknown> {
  using folder = new Folder()
  folder.write("tasks.js", tasks)
  folder.write(
    "program.js",
    `import * as corepool from "corepool"
     import { setEnvironmentData } from "node:worker_threads"
     const { Executors, platformThreads, registerClass, tasksOf } = corepool
     const tasks = tasksOf(new URL("./tasks.mjs", import.meta.url))
     const threads = []
     const inner = platformThreads({ terminateAfter: Infinity })
     const newThread = (target) => (threads.push(inner.newThread(target)), threads.at(-1))
     const pool = Executors.newFixedThreadPool(1, { isVirtual: false, newThread })
     // One for all words: on Deno a channel that is opened right after another was closed may hear nothing.
     const channel = new BroadcastChannel("copies-" + process.pid)
     const heard = () => new Promise((resolve) => (channel.onmessage = resolve))
     console.log(JSON.stringify(await (async () => { ${program} })()))
     channel.close()
     await pool.close()`,
  )
  const from: BuildOptions = {
    absWorkingDir: folder.path,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["shipped"],
  }
  for (const name of ["tasks", "program"]) {
    await build({ ...from, entryPoints: [`${name}.js`], outfile: `out/${name}.mjs`, minify: name === "program" })
  }
  await using running = folder.start("out/program.mjs")
  return JSON.parse((await running.lines()).join("\n")) as unknown
}

test("[WK9] they agree on which thread it is", async () => {
  const said = await run(
    `import { Thread } from "corepool"
     export async function self() {
       const before = Thread.currentThread()
       await Thread.sleep(1)
       const { name, id, isVirtual } = Thread.currentThread()
       return [name, id, isVirtual, before === Thread.currentThread()]
     }`,
    `const said = await pool.submit(tasks.self)
     return [said, [threads[0].name, threads[0].id, threads[0].isVirtual, true]]`,
  )
  const [inside, outside] = said as unknown[]
  assert.deepEqual(inside, outside)
})

test("[WK9] an interrupt reaches the task, whatever it waits in", async () => {
  const said = await run(
    `import { CountDownLatch, Thread } from "corepool"
     const say = () => { const c = new BroadcastChannel("copies-" + process.pid); c.postMessage(1); c.close() }
     const outcome = (error) => [error.name, error instanceof Error, Thread.interrupted()]
     export function sleep() { say(); try { Thread.sleepSync(3_600_000) } catch (error) { return outcome(error) } }
     export function spin() { say(); while (!Thread.interrupted()); return ["spun"] }
     export async function wait() { say(); try { await new CountDownLatch(1).await() } catch (error) { return outcome(error) } }
     export function signal() {
       const { signal } = Thread.currentThread()
       say()
       return new Promise((resolve) => signal.addEventListener("abort", () => resolve([signal.reason.name])))
     }`,
    `const said = []
     for (const name of ["sleep", "spin", "wait", "signal"]) {
       const begun = heard()
       const future = pool.submit(tasks[name])
       await begun
       threads[0].interrupt()
       said.push(await future)
     }
     return [said, threads.length]`,
  )
  const interrupted = ["InterruptedError", true, false]
  assert.deepEqual(said, [[interrupted, ["spun"], interrupted, ["InterruptedError"]], 1])
})

test("[WK9] errors are of the class that each of them knows, in both directions", async () => {
  const said = await run(
    `import { CorepoolError, TimeoutError } from "corepool"
     export const check = (error) => [error instanceof TimeoutError, error instanceof CorepoolError, error instanceof Error]
     export const fail = () => { throw new TimeoutError("late") }
     export const other = () => { throw new RangeError("other") }`,
    `const { CancellationError, CorepoolError, TimeoutError } = corepool
     const failure = await pool.submit(tasks.fail).then(undefined, (error) => error)
     const other = await pool.submit(tasks.other).then(undefined, (error) => error)
     return [
       await pool.submit(tasks.check, new TimeoutError("x")),
       await pool.submit(tasks.check, new CancellationError("x")),
       await pool.submit(tasks.check, new Error("x")),
       [failure instanceof TimeoutError, failure instanceof CorepoolError, failure instanceof CancellationError],
       [other instanceof RangeError, other instanceof CorepoolError],
     ]`,
  )
  assert.deepEqual(said, [
    [true, true, true],
    [false, true, true],
    [false, false, true],
    [true, true, false],
    [true, false],
  ])
})

test("[WK9] a class that the task's copy registers is one that the thread can receive and send", async () => {
  const money = `
    import { registerClass } from "corepool"
    export class Money { constructor(amount) { this.amount = amount } twice() { return new Money(2 * this.amount) } }
    registerClass(Money, { name: "Money" })`
  const said = await run(
    `${money}
     export const twice = (money) => money.twice()`,
    `class Money { constructor(amount) { this.amount = amount } get isHere() { return true } }
     registerClass(Money, { name: "Money" })
     await pool.submit(tasks.twice, new Money(1)).then(undefined, () => undefined) // which has the module loaded
     const { amount, isHere } = await pool.submit(tasks.twice, new Money(4))
     return [amount, isHere]`,
  )
  assert.deepEqual(said, [8, true])
})

test("[WK9] a lock is held by the same flow for all of them, and is let go when the thread dies", async () => {
  const said = await run(
    `import { ReentrantLock } from "corepool"
     import { getEnvironmentData } from "node:worker_threads"
     const lock = ReentrantLock.from(getEnvironmentData("lock"))
     export function hold() {
       lock.lockSync()
       lock.lockSync()
       const { holdCount, isHeldByCurrentThread } = lock
       lock.unlock()
       lock.unlock()
       return [holdCount, isHeldByCurrentThread, new ReentrantLock().tryLock() !== undefined]
     }
     export function die() { lock.lockSync(); process.exit() }`,
    `const lock = new corepool.ReentrantLock()
     setEnvironmentData("lock", lock.handle)
     const held = await pool.submit(tasks.hold)
     const death = await pool.submit(tasks.die).then(undefined, (error) => error.name)
     await lock.lock()
     return [held, death, lock.isHeldByCurrentThread]`,
  )
  assert.deepEqual(said, [[2, true, true], "ThreadDeathError", true])
})
