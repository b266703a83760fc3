/**
 * Makes a thread die in the middle of what the library does: it ends itself instead of the access to shared memory that
 * comes after so many others.
 *
 *     const pool = Executors.newFixedThreadPool(1, mortalThreads())
 *     pool.submit(tasks.stopAndDie, other, 17) // which calls dyingAfter(17, () => other.shutdownNow())
 *
 * The library takes the functions of Atomics when it is loaded. So a mortal thread replaces them before.
 */
import { platformThreads, type PlatformThreadOptions, type ThreadFactory } from "corepool"
import { Worker } from "node:worker_threads"

const KEY = "corepool mortal thread"

/** How many accesses are left to the thread; −1 for any number. */
interface Mortal {
  left: number
}

const PROGRAM = `
  const mortal = { left: -1 }
  globalThis[Symbol.for("${KEY}")] = mortal
  const { exit } = process
  for (const name of ["load", "store", "compareExchange", "exchange", "add"]) {
    const original = Atomics[name]
    Atomics[name] = (a, b, c, d) => {
      if (mortal.left >= 0 && mortal.left-- === 0) exit(3)
      return original(a, b, c, d)
    }
  }
  import("${import.meta.resolve("corepool/worker")}")
`

/** Threads in which {@link dyingAfter} can be called. What kills them is not reported. */
export function mortalThreads(options: PlatformThreadOptions = {}): ThreadFactory {
  return platformThreads({
    uncaughtException: () => undefined,
    ...options,
    workerFactory: (workerOptions) => new Worker(PROGRAM, { ...workerOptions, eval: true }),
  })
}

/** Calls `body`, in which this thread dies unless that takes fewer accesses. */
export function dyingAfter<T>(accesses: number, body: () => T): T {
  const mortal = (globalThis as Record<symbol, unknown>)[Symbol.for(KEY)] as Mortal | undefined
  if (mortal === undefined) throw new Error("Not a thread of mortalThreads()")
  mortal.left = accesses
  try {
    return body()
  } finally {
    mortal.left = -1
  }
}
