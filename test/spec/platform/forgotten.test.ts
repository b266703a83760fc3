/** Pools that nothing refers to any more, though they were not shut down. Each program collects its garbage until what it waits for has happened. */
import assert from "node:assert/strict"
import test from "node:test"
import { Folder } from "../worker/support.ts"

const START = `
  import { Executors, platformThreads, ScheduledThreadPoolExecutor, ThreadPoolExecutor } from "corepool"
  import { collectGarbage } from ${JSON.stringify(new URL("../../support/garbage.js", import.meta.url).href)}
  const warnings = []
  process.removeAllListeners("warning")
  process.on("warning", ({ code }) => warnings.push(code))
  /** A factory that keeps what it has made in a list. */
  const noting = (threads) => {
    const inner = platformThreads()
    return { isVirtual: false, newThread: (target) => (threads.push(inner.newThread(target)), threads.at(-1)) }
  }
  const until = async (isTrue) => {
    while (!isTrue()) {
      collectGarbage()
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  /** Makes a pool, uses it and forgets it. */
  const forget = async (threads) => {
    const pool = Executors.newFixedThreadPool(1, noting(threads))
    return await pool.submit((n) => n + 1, 1)
  }
  const isOver = (threads) => threads.every((thread) => !thread.isAlive)
  /** A task that ends when the first word is no longer 0. It may begin after that. */
  const wait = (words) => {
    while (Atomics.load(words, 0) === 0) Atomics.wait(words, 0, 0)
    return "ok"
  }
`

test("[PL53] the threads of pools that are forgotten end, and there is one warning", async () => {
  using folder = new Folder()
  await using running = folder.start(
    "program.mjs",
    `${START}
     const threads = []
     for (const _ of [1, 2, 3]) console.log(await forget(threads))
     await until(() => isOver(threads))
     console.log(threads.length, warnings.join())`,
  )
  assert.deepEqual(await running.lines(), ["2", "2", "2", "3 COREPOOL_FORGOTTEN_POOL"])
})

test("[PL53] also those of a scheduled pool, and of a pool for single tasks; without threads there is no warning", async () => {
  using folder = new Folder()
  await using running = folder.start(
    "program.mjs",
    `${START}
     let collected = 0
     const registry = new FinalizationRegistry(() => collected++)
     // In a function of its own: Bun keeps what a module has last called until its top-level await is over.
     const make = () => {
       registry.register(Executors.newFixedThreadPool(1), 0)
       registry.register(Executors.newScheduledThreadPool(1), 0)
     }
     make()
     await until(() => collected === 2)
     const threads = []
     const scheduled = async () => await Executors.newScheduledThreadPool(1, noting(threads)).schedule((n) => n + 1, 1, 1)
     const single = async () => await Executors.newThreadPerTaskExecutor(noting(threads)).submit((n) => n + 1, 2)
     console.log(warnings.length, await scheduled(), await single())
     await until(() => isOver(threads))
     console.log(threads.length)`,
  )
  assert.deepEqual(await running.lines(), ["0 2 3", "2"])
})

test("[PL53][PL54] a ForkJoinPool is forgotten too, and not as long as it has something to do", async () => {
  using folder = new Folder()
  await using running = folder.start(
    "program.mjs",
    `import { ForkJoinPool } from "corepool"
     ${START}
     const words = new Int32Array(new SharedArrayBuffer(4))
     const threads = []
     const busy = []
     const pending = (() => {
       const pool = new ForkJoinPool({ parallelism: 1, threadFactory: noting(busy) })
       return [pool.submit(wait, words), pool.submit((n) => n + 1, 1)]
     })()
     const invoke = async () =>
       await new ForkJoinPool({ parallelism: 1, threadFactory: noting(threads) }).invoke((n) => n + 1, 1)
     console.log(await invoke())
     await until(() => isOver(threads))
     console.log(warnings.join(), threads.length, isOver(busy))
     Atomics.store(words, 0, 1)
     Atomics.notify(words, 0)
     console.log((await Promise.all(pending)).join())
     pending.length = 0
     await until(() => isOver(busy))
     console.log("over")`,
  )
  assert.deepEqual(await running.lines(), ["2", "COREPOOL_FORGOTTEN_POOL 1 false", "ok,2", "over"])
})

test("[PL54] a pool is not forgotten that has something to do, was sent to another thread, or has hooks", async () => {
  using folder = new Folder()
  await using running = folder.start(
    "program.mjs",
    `${START}
     const words = new Int32Array(new SharedArrayBuffer(8))
     const threads = []
     // A task that is under way, and one that waits.
     const [first, second] = (() => {
       const pool = Executors.newFixedThreadPool(1, noting(threads))
       return [pool.submit(wait, words), pool.submit((n) => n + 1, 1)]
     })()
     // One that runs again and again.
     void Executors.newScheduledThreadPool(1, noting(threads)).scheduleAtFixedRate((words) => void Atomics.add(words, 1, 1), 1, 1, words)
     // One that another thread has kept.
     const other = Executors.newFixedThreadPool(1)
     await (async () => {
       const sent = Executors.newFixedThreadPool(1, noting(threads))
       await sent.submit(() => undefined)
       await other.submit((pool) => void (globalThis.kept = pool), sent)
     })()
     // A subclass with hooks.
     let after = 0
     class Counting extends ThreadPoolExecutor {
       afterExecute() {
         after++
       }
     }
     await (async () => {
       await new Counting({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: noting(threads) }).submit(() => undefined)
     })()
     // When these are collected, the others would be too.
     for (const _ of [1, 2]) {
       const forgotten = []
       await forget(forgotten)
       await until(() => isOver(forgotten))
     }
     const seen = Atomics.load(words, 1)
     await until(() => Atomics.load(words, 1) > seen + 2)
     console.log(threads.length, threads.filter((thread) => thread.isAlive).length, after)
     console.log(await other.submit(async () => await globalThis.kept.submit((n) => n + 1, 2)))
     Atomics.store(words, 0, 1)
     Atomics.notify(words, 0)
     console.log(await first, await second)
     process.exit()`,
  )
  assert.deepEqual(await running.lines(), ["4 4 1", "3", "ok 2"])
})
