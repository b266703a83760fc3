/** Where a worker thread begins that is started from text: what tools/worker-source.ts makes the text of. */
import type { Script } from "node:vm"
import { inheritCode, keepCode, type KeptCode } from "./worker-code.ts"
import { work } from "./worker-main.ts"
import { requireOrders } from "./worker-orders.ts"
import { runtime } from "../time/runtime.ts"

/** When most of what a thread needs has been compiled, in ms. Nothing depends on it but how much of that is kept. */
const WARM = 50

/** `script` is the text, compiled. */
export function begin(orders: unknown, code: KeptCode | undefined, script: Script): void {
  if (code !== undefined) {
    inheritCode(code)
    const keep = (): void => keepCode(code, script)
    runtime.startTimeout(keep, WARM).unref()
    process.once("exit", keep) // one that ends sooner has a successor
  }
  void work(requireOrders(orders))
}
