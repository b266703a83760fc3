/** Tasks that replace what their thread has of the runtime. */
import assert from "node:assert/strict"
import test from "node:test"
import { Executors, type ExecutorService, ForkJoinPool, type Future, platformThreads } from "corepool"

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
  JSON: () => Reflect.set(globalThis, "JSON", undefined),
  Atomics: () => {
    for (const name of Object.getOwnPropertyNames(Atomics)) Reflect.set(Atomics, name, undefined)
  },
}

for (const [what, breakIt] of Object.entries(BREAK)) {
  for (const [kind, open] of Object.entries(POOLS)) {
    test(`[PL49] a task that breaks ${what} strands no future, and the pool ends: ${kind}`, async () => {
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
