/**
 * Starts a thread of the runtime before its purpose is known. The first task of a program's first pool needs a thread
 * and the code of pools, and both take equally long. So the thread is started first, and gets its orders when the code
 * is loaded and has made the pool. All that happens in one call of `submit`: at its end the thread has its orders, or
 * is ended.
 */
import { startsAhead } from "#host/runtime/capabilities"
import { type Port, PortPair } from "#host/threads/ports"
import type { RuntimeThread } from "#host/threads/workers"
import { nextThread, type NextThread } from "../../thread/platform-threads.ts"
import type { ThreadFactory } from "../../thread/thread-factory.ts"
import { giveCode, optionsOf, startOwn } from "./worker-start.ts"

interface ThreadAhead extends NextThread {
  readonly thread: RuntimeThread
  /** The port by which the thread gets its orders. */
  readonly port: Port
}

let ahead: ThreadAhead | undefined

/**
 * Starts the thread that the factory is going to make next, if that is known.
 *
 * @returns A function that ends the thread, unless the thread has been taken.
 */
export function startAhead(factory: ThreadFactory): () => void {
  const next = startsAhead && ahead === undefined ? nextThread(factory) : undefined
  if (next === undefined) return () => {}
  const { port1: port, port2 } = new PortPair()
  try {
    const thread = startOwn(optionsOf(next.name, undefined, [port2], next.options), port2)
    ahead = { ...next, thread, port }
  } catch {
    port.close() // the pool meets the same error when it starts the thread
  }
  return () => {
    if (ahead === undefined) return
    const { thread } = ahead
    ahead = undefined
    thread.unref()
    thread.on("error", () => {}) // it has no task
    void thread.terminate()
  }
}

/** Gives the thread its orders, if a thread with this name and these options was started. */
export function takeAhead(
  name: string,
  orders: unknown,
  transferList: readonly Port[],
  options: NextThread["options"],
): RuntimeThread | undefined {
  if (ahead?.options !== options || ahead.name !== name) return undefined
  const { thread, port } = ahead
  ahead = undefined
  port.postMessage(orders, transferList)
  giveCode()
  return thread
}
