/**
 * The process of observing.ts: runs three loads, observed in one way, and prints how long they took in ms, as JSON.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { tracingChannel } from "node:diagnostics_channel"
import { Executors, propagate, virtualThreads } from "corepool"
import { metrics } from "corepool/prometheus"
import { record } from "corepool/trace"
import type { Load, Observed } from "./observing.ts"

/** How often the metrics are read, in ms. Prometheus reads them every 15 seconds or so. */
const READING = 50
const REHEARSALS = 2

const add = (a: number, b: number): number => a + b

async function next(i: number): Promise<number> {
  await Promise.resolve()
  return i
}

function ignore(): void {
  // what is measured is the way to here
}

const storage = new AsyncLocalStorage<{ readonly request: string }>()

async function loads(tasks: number, trips: number): Promise<Readonly<Record<Load, () => Promise<void>>>> {
  const virtual = Executors.newFixedThreadPool(8, virtualThreads())
  const platform = Executors.newFixedThreadPool(2)
  return {
    virtual: async () => {
      const futures = Array.from({ length: tasks }, (_, i) => virtual.submit(next, i))
      for (const future of futures) await future
    },
    platform: async () => {
      const futures = Array.from({ length: tasks }, (_, i) => platform.submit(add, i, 1))
      for (const future of futures) await future
    },
    trips: async () => {
      for (let i = 0; i < trips; i++) await platform.submit(add, i, 1)
    },
  }
}

/** Starts to observe, and returns how to run a load. */
function observe(how: Observed): (load: () => Promise<void>) => Promise<void> {
  switch (how) {
    case "nothing":
      break
    case "metrics":
      setInterval(() => metrics(), READING).unref()
      break
    case "channel":
      tracingChannel("corepool:task.run").subscribe({
        start: ignore,
        end: ignore,
        asyncStart: ignore,
        asyncEnd: ignore,
        error: ignore,
      })
      break
    case "recording":
      return async (load) => {
        const recording = record()
        await load()
        recording.stop()
      }
    case "store":
      return (load) => storage.run({ request: "r-1" }, load)
    case "propagated":
      propagate(storage, { name: "request" })
      return (load) => storage.run({ request: "r-1" }, load)
  }
  return (load) => load()
}

const [how, tasks, trips] = process.argv.slice(2)
const run = observe(how as Observed)
const times: Partial<Record<Load, number>> = {}
for (const [name, load] of Object.entries(await loads(Number(tasks), Number(trips)))) {
  for (let i = 0; i < REHEARSALS; i++) await run(load)
  const start = performance.now()
  await run(load)
  times[name as Load] = performance.now() - start
}
console.log(JSON.stringify(times))
process.exit()
