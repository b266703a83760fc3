/**
 * The memory of this thread.
 *
 * Ends this thread when it has reached its memory limit, where the runtime does not.
 *
 * Deno stops the code that the thread runs at that moment, without any `catch` or `finally`, and ends the thread if the
 * event loop had called that code. But if a promise had called it, as with tasks, the thread goes on as if nothing had
 * happened, and its task would never be over. The sign is that the limit has risen, which Deno does to have room for
 * the end. Any uncaught error then makes Deno end the thread.
 */
import { resourceLimits } from "node:worker_threads"
import { runtime } from "../runtime/clock.ts"
import { isDeno } from "../runtime/runtime.ts"

const { memoryUsage } = process

/** How many bytes of the heap of this thread are in use, with what is garbage and has not been collected yet. */
export function heapInUse(): number {
  return memoryUsage().heapUsed
}

/** In ms: it does no harm to find a lost task a little later. */
const INTERVAL = 50

/** `leave` is called before the thread ends: a thread that blocks notices the end by nothing else. */
export function guardMemory(leave: () => void): void {
  if (!isDeno || Object.keys(resourceLimits).length === 0) return
  const { getHeapStatistics } = process.getBuiltinModule("node:v8")
  const limit = getHeapStatistics().heap_size_limit
  const look = (): void => {
    if (getHeapStatistics().heap_size_limit <= limit) return
    leave()
    throw new RangeError("corepool: the thread has run out of memory")
  }
  runtime.startInterval(look, INTERVAL).unref()
}
