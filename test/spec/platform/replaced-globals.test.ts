/** Tasks that replace what their thread has of the runtime. */
import assert from "node:assert/strict"
import test from "node:test"
import { Executors, type ExecutorService, ForkJoinPool, platformThreads } from "corepool"

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
    test(`[PL71] a task that replaces ${what} strands no future of its thread, and the pool ends: ${kind}`, async () => {
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
