/**
 * Ends this thread when it has reached its memory limit, where the runtime does not.
 *
 * Deno stops whatever a thread does at that moment, without any `catch` or `finally`, and ends the thread if that was
 * called by the event loop. But if it was called by a promise, as tasks are, the thread goes on as if nothing had
 * happened, and its task would never be over. What can be seen is that the limit has risen, which Deno does to have
 * room for the end; any error that nobody catches then makes it find out.
 */
import { resourceLimits } from "node:worker_threads"
import { leaveAll } from "../../memory/thread/this-thread.ts"
import { runtime } from "../../time/runtime.ts"

/** In ms: a task that is gone may be found to be so a little later. */
const INTERVAL = 50

export function guardMemory(): void {
  if (!("deno" in process.versions) || Object.keys(resourceLimits).length === 0) return
  const { getHeapStatistics } = process.getBuiltinModule("node:v8")
  const limit = getHeapStatistics().heap_size_limit
  const look = (): void => {
    if (getHeapStatistics().heap_size_limit <= limit) return
    leaveAll() // an owner that blocks hears nothing else
    throw new RangeError("corepool: the thread has run out of memory")
  }
  runtime.startInterval(look, INTERVAL).unref()
}
