/** Programs that change what all objects inherit. Rules: docs/spec/worker.md, foundation.md, transport.md. */
import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import test from "node:test"
import { fileURLToPath } from "node:url"
import { runFile, runProgram } from "../../support/child.ts"

/** Runs the program and gives what it has printed, as JSON. */
async function outputOf(program: Promise<{ stdout: string; stderr: string }>): Promise<unknown> {
  const { stdout, stderr } = await program
  try {
    return JSON.parse(stdout)
  } catch (cause) {
    throw new Error(`Printed ${stdout}\n${stderr}`, { cause })
  }
}

test("[WK62] what all objects inherit does not get into a thread", async () => {
  const program = `
    import { Executors, ForkJoinPool, platformThreads } from "corepool"
    Object.assign(Object.prototype, {
      env: { SMUGGLED: "1" }, execArgv: ["--title=smuggled"], argv: ["smuggled"], eval: true, stdin: true, stdout: true,
      resourceLimits: { maxOldGenerationSizeMb: 1 }, workerData: 1, terminateAfter: "smuggled", preload: 1, workerFactory: 1,
    })
    const look = () => [process.env.SMUGGLED ?? "none", typeof process.env.PATH, process.execArgv.length, process.argv.includes("smuggled")]
    const seen = []
    for (const pool of [Executors.newFixedThreadPool(1), new ForkJoinPool({ parallelism: 1 }), Executors.newFixedThreadPool(1, platformThreads({ name: "t" }))]) {
      seen.push(await pool.submit(look))
      await pool.close()
    }
    for (const key of Object.keys(Object.prototype)) delete Object.prototype[key]
    console.log(JSON.stringify(seen))`
  assert.deepEqual(
    await outputOf(runProgram(program)),
    Array.from({ length: 3 }, () => ["none", "string", 0, false]),
  )
})

test("[CK11] it is no option", async () => {
  const program = `
    import { ArrayBlockingQueue, Executors, ForkJoinPool, parallelMap, ReentrantLock, registerClass, Semaphore, SynchronousQueue, ThreadPoolExecutor, virtualThreads } from "corepool"
    const smuggled = ["fair", "name", "timeout", "queueTimeout", "priority", "transfer", "parallelism", "asyncMode", "threadFactory", "uncaughtException",
      "workQueue", "handler", "keepAliveTime", "allowCoreThreadTimeOut", "ordered", "window", "chunk", "pool", "grain", "into", "timezone", "encode", "decode", "cause"]
    for (const key of smuggled) Object.prototype[key] = { smuggled: key }
    const seen = [new ReentrantLock().isFair, new ReentrantLock({}).isFair, new Semaphore(1).isFair]
    new ArrayBlockingQueue(1)
    new SynchronousQueue({})
    registerClass(class Plain {}, {})
    const pool = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1 })
    seen.push(pool.keepAliveTime, pool.allowCoreThreadTimeOut)
    seen.push(await pool.with({}).submit((x) => x, { a: 1 }), await pool.submit(() => 2).get({}))
    for await (const each of pool.map((x) => x, [3])) seen.push(each)
    const waiting = Executors.newFixedThreadPool(1, virtualThreads({}))
    const future = waiting.submit(() => new Promise(() => undefined))
    future.cancel()
    seen.push(await future.get().catch((error) => Object.hasOwn(error, "cause")))
    waiting.shutdownNow()
    await pool.close({})
    const forks = new ForkJoinPool({ parallelism: 1 })
    seen.push(await forks.submit(() => 4), [...(await parallelMap(Float64Array.of(5), (x) => x, { pool: forks }))])
    await forks.close()
    for (const key of smuggled) delete Object.prototype[key]
    console.log(JSON.stringify(seen))`
  assert.deepEqual(await outputOf(runProgram(program)), [
    false,
    false,
    false,
    60_000,
    false,
    { a: 1 },
    2,
    3,
    false,
    4,
    [5],
  ])
})

const isNode = process.versions["bun"] === undefined && process.versions["deno"] === undefined

test(
  "[TX26] errors arrive whole though all that the language brings along is read-only",
  {
    skip: isNode ? false : "only Node has the flag",
  },
  async () => {
    const folder = mkdtempSync(join(fileURLToPath(new URL("../../..", import.meta.url)), "program-"))
    const file = join(folder, "program.mjs")
    writeFileSync(
      file,
      `
    import { Executors, ForkJoinPool, registerClass, TimeoutError } from "corepool"
    const throwing = [
      () => { throw Object.assign(new RangeError("it", { cause: new TypeError("why") }), { code: "E" }) },
      () => { throw new AggregateError([new Error("one"), 2], "all") },
      () => { const error = new Error("it"); error.name = "Named"; throw error },
      () => { throw Object.assign(new Error("it"), { toString: 1, constructor: 2 }) },
      () => { throw new DOMException("it", "AbortError") },
      () => ({ get a() { throw new Error("in a getter") } }),
      () => { undefinedVariable },
    ]
    const seen = []
    for (const pool of [Executors.newFixedThreadPool(1), Executors.newScheduledThreadPool(1), new ForkJoinPool({ parallelism: 1 })]) {
      for (const fn of throwing) {
        const error = await pool.submit(fn).get().catch((reason) => reason)
        seen.push([error instanceof Error, error.name, error.message.split(":")[0], /corepool\\)/.test(error.stack), error.cause?.message ?? null, error.errors?.length ?? 0])
      }
      await pool.close()
    }
    console.log(JSON.stringify(seen))`,
    )
    const one = [
      [true, "RangeError", "it", true, "why", 0],
      [true, "AggregateError", "all", true, null, 2],
      [true, "Named", "it", true, null, 0],
      [true, "Error", "it", true, null, 0],
      [true, "AbortError", "it", true, null, 0],
      [true, "NotSerializableError", "The result of an inline task cannot be sent", true, "in a getter", 0],
    ]
    try {
      const seen = (await outputOf(runFile("--frozen-intrinsics", file))) as unknown[][]
      for (let i = 0; i < 3; i++) {
        assert.deepEqual(seen.slice(i * 7, i * 7 + 6), one)
        assert.equal(seen[i * 7 + 6]?.[1], "TaskNotPortableError")
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)
