/** Where a worker thread begins, whatever it is started from. */
import { onceAtExit } from "#host/threads/farewell"
import { type Port, takeMessage } from "#host/threads/ports"
import type { Script } from "#host/threads/worker-source"
import { isMainThread, workerData } from "#host/threads/workers"
import { methodOf } from "../primordials.ts"
import { messageOf } from "../user-values.ts"
import { UnfitThread } from "../platform/worker/fitness.ts"
import { inheritCode, keepCode, type KeptCode, RUN } from "../platform/start/worker-code.ts"
import { work } from "./worker-main.ts"
import { requireOrders } from "../platform/start/worker-orders.ts"
import { runtime } from "#host/runtime/clock"

/** When most of what a thread needs has been compiled, in ms. It only affects how much compiled code is kept. */
const WARM = 50

/** A task may have replaced the method by the time it is needed. */
const forEach = methodOf<ReadonlyMap<number, Script>, "forEach">(Map.prototype, "forEach")

/** For the code that loads files of the program into a thread that has begun. */
export interface Begun {
  /** Call it after another file was loaded. */
  keep(): void
  /**
   * The error to throw if a file cannot be loaded: the thread stops, as the task that needs the file is not to blame.
   */
  broken(file: string, error: unknown): UnfitThread
}

/**
 * Begins a thread that corepool has started (tools/bundle/thread.ts). Its orders come by the port `later`, if there is
 * one. `scripts` are the files of the program that it has loaded, by number.
 *
 * @returns What its loader needs from then on.
 */
export function begin(
  orders: unknown,
  later: Port | undefined,
  code: KeptCode,
  scripts: ReadonlyMap<number, Script>,
): Begun {
  const keep = (): void => forEach(scripts, (script, file) => keepCode(code.regions[file], RUN, script))
  const keepSoon = (): void => void runtime.startTimeout(keep, WARM).unref()
  inheritCode(code)
  if (code.regions.length > 0) {
    keepSoon()
    onceAtExit(keep) // a thread that ends sooner has a successor
  }
  if (later === undefined) void work(requireOrders(orders))
  else void workLater(later)
  return {
    keep: keepSoon,
    broken: (file, error) => new UnfitThread(`Cannot load ${file}: ${messageOf(error)}`),
  }
}

/** The thread was started before there were orders for it: see thread-ahead.ts. */
async function workLater(port: Port): Promise<void> {
  const received: { readonly message: unknown } | undefined = takeMessage(port)
  const orders =
    received === undefined ? await new Promise((resolve) => port.once("message", resolve)) : received.message
  port.close()
  await work(requireOrders(orders))
}

/** Begins a thread that a user's factory has started, from `corepool/worker`. */
export function enter(): void {
  // Tools that inspect the exports of a package load this too, in the main thread.
  if (!isMainThread) void work(requireOrders(workerData))
}
