/** Which of the published files a program loads, and when. */
import assert from "node:assert/strict"
import { cpSync, readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import test from "node:test"
import { Folder } from "./support.ts"

const DIST = fileURLToPath(new URL("../../../../dist", import.meta.url))

/** The code that has been loaded since the last call, without what its names have in common: the loader keeps what code exports in the global scope. */
const LOADED = `
  const known = new Set(["file", "globals", "read", "texts"]) // of the loader
  const loaded = () => {
    const key = Object.getOwnPropertySymbols(globalThis).find(({ description }) => description?.startsWith("corepool@"))
    const names = [...globalThis[key].keys()].flatMap((name) => /^[0-9a-f]{12}\\/(.+)/.exec(name)?.[1] ?? [])
    const more = names.filter((name) => !known.has(name))
    more.forEach((name) => known.add(name))
    console.log(more.sort().join(" "))
  }
`

test("[WK67] what a program has not used is not loaded", async () => {
  using folder = new Folder()
  await using running = folder.start(
    "program.mjs",
    `${LOADED}
     const { CountDownLatch, CyclicBarrier, Executors, ReentrantLock, virtualThreads } = await import("corepool")
     loaded()
     const latch = new CountDownLatch(1)
     latch.countDown()
     loaded()
     const lock = new ReentrantLock()
     await lock.lock()
     lock.unlock()
     loaded()
     const local = Executors.newFixedThreadPool(1, virtualThreads())
     await local.submit(() => 1)
     loaded()
     const pool = Executors.newFixedThreadPool(1)
     await pool.submit((n) => n + 1, 1)
     loaded()
     await local.close()
     await pool.close()`,
    ["--conditions=shipped"],
  )
  assert.deepEqual(await running.lines(), [
    "base locks main pool queue sharing space sync task",
    "memory",
    "lock",
    "core elements pools virtual",
    "codec kept-code owner platform start task-text",
  ])
})

test("[WK67] nor by an entry that has only a part of corepool", async () => {
  using folder = new Folder()
  await using running = folder.start(
    "program.mjs",
    `${LOADED}
     for (const entry of ["atomic", "queue", "virtual", "testing"]) {
       await import("corepool/" + entry)
       loaded()
     }`,
    ["--conditions=shipped"],
  )
  assert.deepEqual(await running.lines(), ["base locks space", "queue sharing", "pool", "testing"])
})

/** Uses for the first time what an entry has not loaded. */
const FIRST_USES = `
  const lock = new ReentrantLock()
  await lock.lock()
  lock.unlock()
  const local = Executors.newFixedThreadPool(1, virtualThreads())
  console.log(await local.submit(() => 1), await local.invokeAny([() => 2]))
  const pool = Executors.newFixedThreadPool(1)
  console.log(await pool.submit((n) => n, 3), await pool.invokeAny([() => 4]), await pool.submit((it) => it.isLocked, lock))
  const queue = new LinkedBlockingQueue()
  await queue.put(5)
  console.log(await pool.submit((it) => it.takeSync(), queue), queue.contains(5))
  const clock = Executors.newScheduledThreadPool(1)
  console.log(await clock.schedule(() => 6, 1))
  const joining = new ForkJoinPool({ parallelism: 1 })
  console.log(await joining.submit(() => 7))
  for (const each of [local, pool, clock, joining]) await each.close()
`
const USED = ["1 2", "3 4 false", "5 false", "6", "7"]

test("[WK67] code is loaded whatever a program has put into the modules of the runtime since it has imported the entry", async () => {
  using folder = new Folder()
  await using running = folder.start(
    "program.mjs",
    `import { Executors, ForkJoinPool, LinkedBlockingQueue, ReentrantLock, virtualThreads } from "corepool"
     import fs from "node:fs"
     import { syncBuiltinESMExports } from "node:module"
     import path from "node:path"
     import util from "node:util"
     const mock = () => { throw new Error("mocked") }
     for (const key of Object.keys(fs)) if (/^[a-z]/.test(key) && typeof fs[key] === "function" && key !== "writeSync") fs[key] = mock
     path.join = path.dirname = util.isDeepStrictEqual = mock
     syncBuiltinESMExports()
     ${FIRST_USES}`,
    ["--conditions=shipped"],
  )
  assert.deepEqual(await running.lines(), USED)
})

test("[WK67] code is loaded though its files are gone, or no file can be opened", async () => {
  using folder = new Folder()
  cpSync(DIST, join(folder.path, "dist"), { recursive: true })
  cpSync(join(DIST, "../package.json"), join(folder.path, "package.json")) // has what dist/index.js imports
  await using running = folder.start(
    "program.mjs",
    `import { Executors, ForkJoinPool, LinkedBlockingQueue, ReentrantLock, virtualThreads } from "./dist/index.js"
     import { readdirSync, rmSync } from "node:fs"
     // The first thread of a pool reads them, and so it is left out here.
     for (const name of readdirSync(new URL("dist", import.meta.url))) {
       if (name.startsWith("code-")) rmSync(new URL("dist/" + name, import.meta.url))
     }
     const lock = new ReentrantLock()
     await lock.lock()
     lock.unlock()
     const local = Executors.newFixedThreadPool(1, virtualThreads())
     console.log(await local.submit(() => 1), await local.invokeAny([() => 2]))
     const clock = Executors.newScheduledThreadPool(1, virtualThreads())
     console.log(await clock.schedule(() => 3, 1))
     for (const each of [local, clock]) await each.close()`,
  )
  assert.deepEqual(await running.lines(), ["1 2", "3"])
})

test("[WK67] code is loaded by entries one after the other", async () => {
  using folder = new Folder()
  await using running = folder.start(
    "program.mjs",
    `const entries = []
     for (const name of ["corepool/queue", "corepool/virtual", "corepool/testing", "corepool"]) {
       entries.push(await import(name))
     }
     const { Executors, ForkJoinPool, LinkedBlockingQueue, ReentrantLock, virtualThreads } = entries.at(-1)
     ${FIRST_USES}`,
    ["--conditions=shipped"],
  )
  assert.deepEqual(await running.lines(), USED)
})

test("[WK68] each entry can be the first that a thread loads", async () => {
  const files = readdirSync(DIST).filter((name) => /^(?!code-|corepool-|worker).*\.cjs$/.test(name))
  assert.ok(files.length > 10)
  using folder = new Folder()
  // As in a new thread: nothing is kept of what was loaded before, neither by the runtime nor in the global scope.
  await using running = folder.start(
    "program.cjs",
    `for (const path of ${JSON.stringify(files.map((name) => join(DIST, name)))}) {
       for (const loaded of Object.keys(require.cache)) delete require.cache[loaded]
       for (const key of Object.getOwnPropertySymbols(globalThis)) if (key.description?.startsWith("corepool@")) delete globalThis[key]
       process.removeAllListeners("worker")
       const exported = require(path)
       // What a Piscina has given its threads: nothing in any other thread.
       const missing = Object.keys(exported).filter((name) => name !== "workerData" && exported[name] === undefined)
       console.log(missing.length === 0 ? "whole" : path + " lacks " + missing)
     }`,
  )
  assert.deepEqual(
    await running.lines(),
    files.map(() => "whole"),
  )
})

test("[WK67] but a thread that a program starts before it uses anything is known: what it holds when it ends is freed", async () => {
  using folder = new Folder()
  folder.write(
    "holder.mjs",
    `import { ReentrantLock } from "corepool"
     import { parentPort } from "node:worker_threads"
     parentPort.on("message", (sent) => {
       ReentrantLock.from(sent).lockSync()
       parentPort.postMessage("locked")
     })`,
  )
  await using running = folder.start(
    "program.mjs",
    `import { ReentrantLock } from "corepool"
     import { once } from "node:events"
     import { Worker } from "node:worker_threads"
     const worker = new Worker(new URL("holder.mjs", import.meta.url))
     await once(worker, "online")
     const lock = new ReentrantLock()
     worker.postMessage(lock.handle)
     await once(worker, "message")
     console.log(lock.isLocked)
     await worker.terminate()
     await lock.lock()
     console.log(lock.isHeldByCurrentThread)`,
    ["--conditions=shipped"],
  )
  assert.deepEqual(await running.lines(), ["true", "true"])
})

test("[WK69] the first thread starts with the code of the program", async () => {
  using folder = new Folder()
  await using running = folder.start(
    "program.mjs",
    `import { Executors } from "corepool"
     import { setTimeout } from "node:timers/promises"
     const pool = Executors.newFixedThreadPool(1)
     // Of each file: the code of a thread that has run it, and that of the thread that has started it.
     const isGiven = () => {
       const { regions } = process.getBuiltinModule("node:worker_threads").workerData.code
       return regions.length === 0 || regions.some((region) => region[region.length / 2] > 0) // there are none on Bun and Deno
     }
     while (!(await pool.submit(isGiven))) await setTimeout(1)
     console.log("given")
     await pool.close()`,
    ["--conditions=shipped"],
  )
  assert.deepEqual(await running.lines(), ["given"])
})

test("[WK70] code that is loaded in a context of its own runs in it", async () => {
  using folder = new Folder()
  await using running = folder.start(
    "program.cjs",
    `const vm = require("node:vm")
     const { readFileSync } = require("node:fs")
     const { dirname, join } = require("node:path")
     const own = new Set(vm.runInNewContext("Object.getOwnPropertyNames(globalThis)"))
     // Node prints a warning when a program reads the storages that it was not started with.
     const isMeant = (name) => !own.has(name) && !name.endsWith("Storage")
     const names = Object.getOwnPropertyNames(globalThis).filter(isMeant)
     const context = vm.createContext(Object.fromEntries(names.map((name) => [name, globalThis[name]])))
     const load = (path) => {
       const module = { exports: {} }
       const run = vm.runInContext("(function (module, exports, require, __filename) {" + readFileSync(path, "utf8") + "})", context)
       run(module, module.exports, (name) => load(join(dirname(path), name)), path)
       return module.exports
     }
     const { CorepoolError } = load(${JSON.stringify(join(DIST, "index.cjs"))})
     console.log(Object.getPrototypeOf(CorepoolError) === vm.runInContext("Error", context))`,
  )
  assert.deepEqual(await running.lines(), ["true"])
})
