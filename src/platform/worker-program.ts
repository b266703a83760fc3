/** Where a worker thread begins, whatever it is started from. */
import type { Script } from "node:vm"
import { isMainThread, workerData } from "node:worker_threads"
import { inheritCode, keepCode, type KeptCode } from "./worker-code.ts"
import { work } from "./worker-main.ts"
import { requireOrders } from "./worker-orders.ts"
import { runtime } from "../time/runtime.ts"

/** When most of what a thread needs has been compiled, in ms. Nothing depends on it but how much of that is kept. */
const WARM = 50

/**
 * A thread that corepool has started (tools/bundle/thread.ts). `scripts` are the files of the program that it has loaded, by number.
 *
 * @returns What is to be called when it has loaded another one.
 */
export function begin(orders: unknown, code: KeptCode | undefined, scripts: ReadonlyMap<number, Script>): () => void {
  const keep = (): void => scripts.forEach((script, file) => keepCode(code?.regions[file], script))
  const keepSoon = (): void => void runtime.startTimeout(keep, WARM).unref()
  if (code !== undefined) {
    inheritCode(code)
    keepSoon()
    process.once("exit", keep) // one that ends sooner has a successor
  }
  void work(requireOrders(orders))
  return keepSoon
}

/** A thread that a user's factory has started, from `corepool/worker`. */
export function enter(): void {
  // Tools that look what a package exports load this too. That is no thread.
  if (!isMainThread) void work(requireOrders(workerData))
}
