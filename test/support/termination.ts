/**
 * For tests that kill a thread in the middle of something. Where the runtime lets a terminated thread go on until it comes
 * back to its event loop, it says that the thread is gone and the thread still locks and unlocks: what follows is chance.
 * There such a test must fail before it begins.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { eventually } from "./harness.ts"

/** How often, every few milliseconds, a thread that is still there has time to show it: also on a busy machine. */
const LOOKS = 50

let isTrue: Promise<boolean> | undefined

export async function requireTermination(): Promise<void> {
  isTrue ??= tryOut()
  if (!(await isTrue)) throw new Error("On this runtime a thread that is terminated goes on")
}

async function tryOut(): Promise<boolean> {
  const rounds = new Int32Array(new SharedArrayBuffer(8))
  const busy = `const rounds = require("node:worker_threads").workerData
    while (Atomics.load(rounds, 1) === 0) Atomics.add(rounds, 0, 1)`
  const worker = new Worker(busy, { eval: true, workerData: rounds })
  const gone = new Promise((resolve) => worker.once("exit", resolve))
  await eventually(() => Atomics.load(rounds, 0) > 0)
  await worker.terminate()
  await gone
  const before = Atomics.load(rounds, 0)
  for (let looks = 0; looks < LOOKS && Atomics.load(rounds, 0) === before; looks++) await sleep(4)
  Atomics.store(rounds, 1, 1) // if it is still there, let it end
  return Atomics.load(rounds, 0) === before
}
