/** Threads of the runtime, and what this thread knows of itself. */
import { Worker, type WorkerOptions } from "node:worker_threads"

export { Worker as RuntimeThread, type WorkerOptions } from "node:worker_threads"

/** What a `workerFactory` has to return. */
export const KIND_OF_WORKER = "a Worker of node:worker_threads"

/** The thread that a `workerFactory` has made; undefined if it is none. */
export function adopted(made: unknown, _options: WorkerOptions): Worker | undefined {
  return made instanceof Worker ? made : undefined
}

/** Facts of this thread. `workerData` is the value that its parent has passed when it started the thread. */
export { isMainThread, resourceLimits, threadId, workerData } from "node:worker_threads"

/** Values by name that a thread leaves to all threads that it starts. */
export { getEnvironmentData, setEnvironmentData } from "node:worker_threads"

/** Calls `ended` with the id of each worker that this thread has started from now on, when the worker has ended. */
export function watchThreads(ended: (id: number) => void): void {
  process.on("worker", (worker) => {
    const id = worker.threadId // the worker's `threadId` is lost when the worker has ended
    // Deno emits `worker` after the worker's first message, and the worker may have been terminated by then.
    if ((worker as { threadName?: string | null }).threadName === null) ended(id)
    else worker.once("exit", () => ended(id))
  })
}

/**
 * Whether a thread that has begun has finished its last code, though its exit event may be yet to come; undefined if
 * the runtime does not show it.
 *
 * Node shows it by the idle time of the thread's event loop, which is −1 then. (`eventLoopUtilization()` is the public
 * way to that number. But it does not work until this thread has got the event that the other one is up, and that does
 * not come if this thread blocks from the beginning. So this reads what that function reads.)
 */
export function hasFinished(worker: Worker | undefined): boolean | undefined {
  const thread = worker as Record<symbol, unknown> | undefined
  const symbol = thread && Object.getOwnPropertySymbols(thread).find(({ description }) => description === "kHandle")
  const handle = symbol && (thread[symbol] as { loopIdleTime?(): number } | null)
  return handle?.loopIdleTime === undefined ? undefined : handle.loopIdleTime() === -1
}

/** Whether a debugger may be attached. A thread that it has stopped looks like a thread that computes. */
export function isInspected(): boolean {
  try {
    const inspector = process.getBuiltinModule("node:inspector") as { url(): string | undefined } | undefined
    return inspector?.url() !== undefined // a runtime can be built without it
  } catch {
    return false // Deno, for a program that may not ask for it (--allow-sys)
  }
}
