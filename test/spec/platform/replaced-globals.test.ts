/** Tasks that replace what their thread has of the runtime. */
import assert from "node:assert/strict"
import test from "node:test"
import {
  Executors,
  type ExecutorService,
  ForkJoinPool,
  type Future,
  platformThreads,
  ThreadDeathError,
  ThreadPoolExecutor,
} from "corepool"

const POOLS: Readonly<Record<string, () => ExecutorService>> = {
  fixed: () => Executors.newFixedThreadPool(1, platformThreads({ uncaughtException: () => undefined })),
  scheduled: () => Executors.newScheduledThreadPool(1, platformThreads({ uncaughtException: () => undefined })),
  "fork/join": () => new ForkJoinPool({ parallelism: 1 }),
}

/** Each is sent to the thread as source. */
const REPLACE: Readonly<Record<string, () => void>> = {
  "timers and clocks, by ones that do nothing": () => {
    const timers = process.getBuiltinModule("node:timers") as unknown as Record<string, unknown>
    const world = globalThis as unknown as Record<string, unknown>
    for (const verb of ["set", "clear"]) {
      for (const noun of ["Timeout", "Interval", "Immediate"])
        world[verb + noun] = timers[verb + noun] = () => undefined
    }
    world["queueMicrotask"] = world["structuredClone"] = process.nextTick = () => undefined
    Object.defineProperty(performance, "now", { value: () => 0 })
    Date.now = () => 0
  },
  "timers and clocks, by ones that throw": () => {
    const refuse = (): never => {
      throw new Error("replaced")
    }
    const world = globalThis as unknown as Record<string, unknown>
    for (const verb of ["set", "clear"]) {
      for (const noun of ["Timeout", "Interval", "Immediate"]) world[verb + noun] = refuse
    }
    world["queueMicrotask"] = world["structuredClone"] = refuse
    Object.defineProperty(performance, "now", { value: refuse })
    Date.now = refuse
  },
  "the methods of promises": () => {
    // oxlint-disable-next-line unicorn/no-thenable, no-extend-native -- that is what this task does
    Promise.prototype.then = () => new Promise(() => undefined)
    Promise.resolve =
      Promise.reject =
      Promise.all =
        () => {
          throw new Error("replaced")
        }
  },
}

for (const [what, replace] of Object.entries(REPLACE)) {
  for (const [kind, open] of Object.entries(POOLS)) {
    test(`[PL48] a task that replaces ${what} strands no future of its thread, and the pool ends: ${kind}`, async () => {
      await using pool = open()
      await pool.submit(replace)
      const number = pool.submit((n: number) => n + 1, 1)
      const later = pool.submit(async (n: number) => {
        await (async () => undefined)()
        return n
      }, 2)
      const failed = pool.submit(() => {
        throw new TypeError("its own")
      })
      const kept = pool.submit(() => new Map([[1, { since: new Date(0) }]]))
      assert.deepEqual([await number, await later, await kept], [2, 2, new Map([[1, { since: new Date(0) }]])])
      await assert.rejects(() => failed.get(), { name: "TypeError", message: "its own" })
      pool.shutdown()
      assert.equal(await pool.awaitTermination(), true)
    })
  }
}

/** Each breaks something that the thread cannot do without, and is sent to it as source. */
const BREAK: Readonly<Record<string, () => void>> = {
  Error: () => Reflect.set(globalThis, "Error", undefined),
  Promise: () => Reflect.set(globalThis, "Promise", undefined),
  "iteration of arrays": () => Reflect.deleteProperty(Array.prototype, Symbol.iterator),
  "methods of arrays": () => {
    for (const name of ["push", "map", "forEach", "splice", "slice", "filter"])
      Reflect.set(Array.prototype, name, undefined)
  },
  "methods of maps": () => {
    for (const name of ["get", "set", "has", "delete"]) Reflect.set(Map.prototype, name, undefined)
  },
  "methods of functions": () => {
    for (const name of ["call", "apply", "bind"]) Reflect.set(Function.prototype, name, undefined)
  },
  "functions of Object": () => {
    for (const name of ["keys", "getPrototypeOf", "defineProperty", "hasOwn", "create"])
      Reflect.set(Object, name, undefined)
  },
  "all objects": () => {
    Object.assign(Object.prototype, { get: () => undefined, value: 1, transfer: [1], length: 7 })
  },
  "Math, by functions that give no number": () => {
    for (const name of Object.getOwnPropertyNames(Math)) Reflect.set(Math, name, () => Number.NaN)
  },
  JSON: () => Reflect.set(globalThis, "JSON", undefined),
  Atomics: () => {
    for (const name of Object.getOwnPropertyNames(Atomics)) Reflect.set(Atomics, name, undefined)
  },
}

for (const [what, breakIt] of Object.entries(BREAK)) {
  for (const [kind, open] of Object.entries(POOLS)) {
    test(`[PL49][PL64] a task that breaks ${what} strands no future, and the pool ends: ${kind}`, async () => {
      await using pool = open()
      const futures: Future<unknown>[] = [
        pool.submit(breakIt),
        pool.submit((n: number) => n + 1, 1),
        pool.submit(async (n: number) => n, 2),
        pool.submit(() => {
          throw new TypeError("its own")
        }),
        pool.submit(({ list }: { list: number[] }) => list.length, { list: [1, 2] }),
        pool.submit(() => new Map([[1, { since: new Date(0) }]])),
      ]
      const settled = await Promise.allSettled(futures)
      assert.equal(settled.length, futures.length)
      pool.shutdown()
      assert.equal(await pool.awaitTermination(), true)
    })
  }
}

/** Each is the name of a global object, or the path to a method, that a task breaks in its thread; `*` stands for all global objects. */
const BROKEN: readonly string[] = [
  "Math",
  "Number",
  "Uint8Array",
  "Object",
  "Set",
  "Symbol",
  "process",
  "*",
  "Math.min",
  "Array.prototype.pop",
  "Set.prototype.delete",
  "Atomics.store",
  "Atomics.compareExchange",
  "Int32Array.prototype.__proto__.set",
]

/** Is sent to the thread as source. */
function destroy(path: string): string {
  const world = globalThis as unknown as Record<string, unknown>
  if (path === "*") {
    for (const name of Object.getOwnPropertyNames(world)) Reflect.set(world, name, undefined)
    return path
  }
  const steps = path.split(".")
  const last = steps.pop() as string
  let owner: unknown = world
  for (const step of steps) owner = (owner as Record<string, unknown>)[step]
  Object.defineProperty(owner, last, { value: undefined, configurable: true, writable: true })
  return path
}

for (const path of BROKEN) {
  for (const [kind, open] of Object.entries(POOLS)) {
    test(`[PL49][PL52] a task that breaks ${path} fails at worst with its thread: all futures settle, all are counted, and the pool ends: ${kind}`, async () => {
      await using pool = open()
      const futures: Future<unknown>[] = [
        pool.submit(destroy, path),
        pool.submit((n: number) => n + 1, 1),
        pool.submit(async (n: number) => n, 2),
        pool.submit((words: Int32Array) => words.length, new Int32Array(10_000)),
      ]
      await Promise.allSettled(futures)
      pool.shutdown()
      assert.equal(await pool.awaitTermination(), true)
      if (pool instanceof ThreadPoolExecutor) assert.equal(pool.completedTaskCount, futures.length)
    })
  }
}

test("[PL52] a thread that cannot write down the outcome of its task is replaced, and the task fails with ThreadDeathError", async () => {
  await using pool = Executors.newFixedThreadPool(1, platformThreads())
  const breaks = pool.submit(() => {
    const outcome = Array.from({ length: 10_000 }, () => "an outcome that needs room")
    for (const name of ["min", "max", "floor", "ceil", "log2", "clz32"]) Reflect.set(Math, name, undefined)
    Reflect.set(Array.prototype, Symbol.iterator, undefined)
    for (const name of ["set", "subarray", "fill"])
      Reflect.set(Object.getPrototypeOf(Uint8Array.prototype) as object, name, undefined)
    return outcome
  })
  await assert.rejects(() => breaks.get(), ThreadDeathError)
  assert.equal(await pool.submit((n: number) => Math.max(n, 1), 2), 2)
})
