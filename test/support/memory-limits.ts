/**
 * For tests in which a worker runs out of memory. Where the runtime does not keep a worker within its limit, such a test must
 * fail before it begins: the worker would go on until the machine has no memory left.
 */
import { Worker } from "node:worker_threads"

/** Megabytes: more than the limit, and no burden for the machine. */
const HOARD = 200
const LIMIT = 16

let areKept: Promise<boolean> | undefined

export async function requireMemoryLimits(): Promise<void> {
  areKept ??= tryOut()
  if (!(await areKept)) throw new Error("This runtime does not keep a worker within its memory limit")
}

function tryOut(): Promise<boolean> {
  const hoard = `const hoard = []; for (let i = 0; i < ${HOARD}; i++) hoard.push(new Array(2 ** 17).fill(i + 0.5))`
  const worker = new Worker(hoard, { eval: true, resourceLimits: { maxOldGenerationSizeMb: LIMIT } })
  return new Promise((resolve) => {
    worker.on("error", () => undefined) // that it ran out of memory; the exit code says it as well
    worker.on("exit", (code) => resolve(code !== 0))
  })
}

/**
 * Takes all the memory there is, in a worker started with a limit. To be called by a timer: on Deno a worker that runs out of
 * memory in a microtask stays, with its thread, for ever.
 */
export function exhaust(): never {
  for (const hoard: number[][] = []; ;) hoard.push(Array.from({ length: 10_000 }, Math.random))
}
