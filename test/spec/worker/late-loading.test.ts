/** Code that a thread loads when a task uses it for the first time, whatever earlier tasks have done to the thread. */
import assert from "node:assert/strict"
import { cpSync } from "node:fs"
import { join } from "node:path"
import test from "node:test"
import { fileURLToPath, pathToFileURL } from "node:url"
import {
  Executors,
  type ExecutorService,
  LinkedBlockingQueue,
  platformThreads,
  ReentrantLock,
  TaskNotPortableError,
  tasksOf,
  ThreadDeathError,
} from "corepool"
import { rejectionOf } from "../../support/harness.ts"
import { Folder } from "./support.ts"

const DIST = fileURLToPath(new URL("../../../../dist", import.meta.url))

/** As tests do that mock modules of the runtime, and leave it at that. */
function breakModules(): void {
  const throwing = (): never => {
    throw new Error("mocked")
  }
  const fs: Record<string, unknown> = process.getBuiltinModule("node:fs")
  for (const key of Object.keys(fs)) if (key.endsWith("Sync")) fs[key] = throwing
  process.getBuiltinModule("node:path").join = throwing
  process.getBuiltinModule("node:os").availableParallelism = throwing
  process.getBuiltinModule("node:util").isDeepStrictEqual = throwing
  // On Bun it cannot be assigned.
  Object.defineProperty(process.getBuiltinModule("node:vm").Script.prototype, "runInThisContext", { value: throwing })
}

/** Each needs files of code that no task has needed in that thread. */
async function assertAllLoaded(pool: ExecutorService): Promise<void> {
  const lock = new ReentrantLock()
  const isHeld = pool.submit((it) => {
    it.lockSync()
    try {
      return it.isHeldByCurrentThread
    } finally {
      it.unlock()
    }
  }, lock)
  assert.equal(await isHeld, true)
  const queue = new LinkedBlockingQueue<number>()
  await pool.submit((it) => it.putSync(5), queue)
  assert.equal(await queue.take(), 5)
  await using other = Executors.newFixedThreadPool(1)
  assert.equal(await pool.submit((it) => it.submit((n: number) => n, 6).getSync(), other), 6)
  const found = pool.submit((it) => {
    it.putSync({ a: 1 })
    return it.contains({ a: 1 })
  }, new LinkedBlockingQueue<object>())
  assert.equal(await found, true) // they are compared by a function of node:util
}

const STARTS = {
  // With that flag Node starts no files.
  texts: { execArgv: ["--input-type=module"] },
  files: {},
}

for (const [kind, options] of Object.entries(STARTS)) {
  test(`[PL56] a thread loads code by what the modules of the runtime had in them at its start: from ${kind}`, async () => {
    await using pool = Executors.newFixedThreadPool(1, platformThreads(options))
    await pool.submit(breakModules)
    const id = await pool.submit(() => process.getBuiltinModule("node:worker_threads").threadId)
    await assertAllLoaded(pool)
    assert.equal(await pool.submit(() => process.getBuiltinModule("node:worker_threads").threadId), id)
  })
}

test("[PL56] a thread opens no file of corepool after it has started: there may be none, or no descriptor left for it", async () => {
  using folder = new Folder()
  cpSync(DIST, join(folder.path, "dist"), { recursive: true })
  cpSync(join(DIST, "../package.json"), join(folder.path, "package.json")) // has what dist/index.js imports
  await using running = folder.start(
    "program.mjs",
    `import { readdirSync, rmSync } from "node:fs"
     import { Executors, LinkedBlockingQueue, ReentrantLock } from "./dist/index.js"
     const [pool, other] = [Executors.newFixedThreadPool(1), Executors.newFixedThreadPool(1)]
     console.log(await pool.submit((n) => n, 1), await other.submit((n) => n, 2))
     const lock = new ReentrantLock()
     const queue = new LinkedBlockingQueue()
     await queue.put(5)
     // This thread sends them once, so that it has loaded what it needs itself.
     const send = (to) => to.submit((...args) => args.length, lock, queue, other)
     const sender = Executors.newFixedThreadPool(1)
     console.log(await send(sender))
     for (const name of readdirSync(new URL("dist", import.meta.url))) {
       if (name.startsWith("code-")) rmSync(new URL("dist/" + name, import.meta.url))
     }
     console.log(await send(pool))
     console.log(await pool.submit((it) => (it.lockSync(), it.unlock(), 4), lock))
     console.log(await pool.submit((it) => it.takeSync(), queue))
     console.log(await pool.submit((it) => it.submit((n) => n, 6).getSync(), other))
     const later = Executors.newFixedThreadPool(1)
     console.log(await later.submit((n) => n, 7)) // by a thread that has never seen the files
     for (const one of [pool, other, sender, later]) await one.close()`,
  )
  assert.deepEqual(await running.lines(), ["1 2", "3", "3", "4", "5", "6", "7"])
})

test("[PL56] a thread that cannot load code is replaced, and the task that has needed it is told so by a ThreadDeathError", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  await pool.submit(() => {
    const { prototype } = process.getBuiltinModule("node:vm").Script
    const inner = Object.getPrototypeOf(prototype) as { runInContext(): never }
    inner.runInContext = () => {
      throw new Error("not today")
    }
  })
  const death = await rejectionOf(pool.submit((it) => it.lockSync(), new ReentrantLock()))
  assert.ok(death instanceof ThreadDeathError, String(death))
  assert.match(death.message, /Cannot load [\w-]+: not today/)
  await assertAllLoaded(pool)
})

/** Another text each time, so that no thread has compiled it. */
function adding(n: number): (x: number) => number {
  return new Function("x", `return x + ${n}`) as (x: number) => number // oxlint-disable-line typescript/no-implied-eval
}

for (const key of ["basename", "dirname", "isAbsolute", "resolve", "toNamespacedPath"] as const) {
  test(`[PL56] a task that breaks path.${key}, which the loaders of the runtime use, costs others at most their thread`, async () => {
    using folder = new Folder()
    await using pool = Executors.newFixedThreadPool(1)
    const breakPath = (name: string) => {
      Object.assign(process.getBuiltinModule("node:path"), {
        [name]: () => {
          throw new Error("mocked")
        },
      })
    }
    const modules = ["mjs", "cjs"].flatMap((ending) =>
      [1, 2].map((n) => `${ending === "mjs" ? "m" : "c"}${n}.${ending}`),
    )
    const functions = [adding(key.length), adding(-key.length)].map((fn) => () => pool.submit(fn, 7 - fn(0)))
    const ofModules = modules.map((name) => {
      const text = name.endsWith("cjs")
        ? "exports.seven = function seven() { return 7 }"
        : "export function seven() { return 7 }"
      const { seven } = tasksOf<{ seven(): number }>(pathToFileURL(folder.write(name, text)))
      return () => pool.submit(seven)
    })
    for (const [first, second] of [functions, ofModules.slice(0, 2), ofModules.slice(2)]) {
      await pool.submit(breakPath, key)
      const outcome = await first?.().then(
        (value) => value,
        (error: unknown) => error,
      )
      assert.ok(outcome === 7 || outcome instanceof ThreadDeathError, String(outcome))
      assert.equal(await second?.(), 7)
    }
  })
}

/** Parts of the loader of CommonJS modules. Not every runtime uses all of them. */
const LOADER =
  "_cache _extensions _findPath _load _nodeModulePaths _pathCache _resolveFilename _resolveLookupPaths prototype._compile prototype.load prototype.require"

for (const path of LOADER.split(" ")) {
  test(`[PL63] a task that breaks Module.${path} costs others at most their thread`, async () => {
    using folder = new Folder()
    await using pool = Executors.newFixedThreadPool(1)
    const breakLoader = (steps: readonly string[], way: string) => {
      let owner = process.getBuiltinModule("node:module").Module as unknown as Record<string, never>
      for (const step of steps.slice(0, -1)) owner = owner[step] as never
      const value = () => {
        throw new Error("mocked")
      }
      Object.defineProperty(owner, steps.at(-1) as string, {
        value: way === "throw" ? value : undefined,
        configurable: true,
        writable: true,
      })
    }
    folder.write("inner.cjs", "exports.seven = 7")
    for (const way of ["undefined", "throw"]) {
      await pool.submit(breakLoader, path.split("."), way)
      const outcomes: unknown[] = []
      for (const n of [1, 2]) {
        const text = "const { seven } = require('./inner.cjs'); exports.seven = function () { return seven }"
        const { seven } = tasksOf<{ seven(): number }>(pathToFileURL(folder.write(`${way}${n}.cjs`, text)))
        const future = pool.submit(seven)
        outcomes.push(
          await future.then(
            (value) => value,
            (error: unknown) => error,
          ),
        )
      }
      assert.ok(outcomes[0] === 7 || outcomes[0] instanceof ThreadDeathError, String(outcomes[0]))
      assert.equal(outcomes[1], 7)
    }
  })
}

test("[PL63] a module that cannot be loaded fails its task alone, in a thread in which parts of the loader were replaced by others that work", async () => {
  using folder = new Folder()
  await using pool = Executors.newFixedThreadPool(1)
  await pool.submit(() => {
    const { Module } = process.getBuiltinModule("node:module") as unknown as { Module: Record<string, unknown> }
    for (const owner of [Module, Module["prototype"] as Record<string, unknown>]) {
      for (const name of ["_load", "_resolveFilename", "_findPath", "require", "load"]) {
        const before = owner[name]
        if (typeof before !== "function") continue
        owner[name] = function (...args: unknown[]): unknown {
          return Reflect.apply(before, this, args) as unknown
        }
      }
    }
  })
  const id = await pool.submit(() => process.getBuiltinModule("node:worker_threads").threadId)
  const { seven } = tasksOf<{ seven(): number }>(pathToFileURL(folder.write("bad.cjs", "throw new Error('not now')")))
  const error = await rejectionOf(pool.submit(seven))
  assert.ok(error instanceof TaskNotPortableError, String(error))
  assert.match(error.message, /not now/)
  assert.equal(await pool.submit(() => process.getBuiltinModule("node:worker_threads").threadId), id)
})
