/** The class Thread as `corepool` exports it: the same as in `corepool/virtual`, and it can make thread dumps. */
import { Thread as ThreadClass } from "../thread/thread.ts"
import { provideDumper } from "../thread/thread-dump.ts"
import { collect } from "./collect.ts"
import { textOf } from "./text.ts"

/**
 * A thread: a flow of control with a name, an interrupt flag and an end.
 *
 * A *virtual thread* is an asynchronous flow on the event loop of the thread that started it. It runs any function,
 * and everything that function awaits. `Thread.currentThread()` finds it again after an `await`, in a timer or in a
 * callback, because it travels in the asynchronous context.
 *
 * Interruption is a request. `interrupt()` raises the thread's flag, aborts its `signal` and ends every corepool wait
 * it is in (`get`, `take`, `put`, `sleep`, …) with `InterruptedError`, which clears the flag. Code that waits for
 * something else passes `signal` on (`fetch(url, { signal: Thread.currentThread().signal })`) or asks
 * `Thread.interrupted()`.
 *
 * @example
 * ```ts
 * import { Executors, Thread, virtualThreads } from "corepool"
 *
 * await using pool = Executors.newFixedThreadPool(1, virtualThreads({ name: "poller" }))
 * console.log(await pool.submit(() => Thread.currentThread().name)) // => poller-1
 *
 * const sleeper = pool.submit(() => Thread.sleep(60_000))
 * sleeper.cancel(true) // interrupts the thread, which ends the sleep
 * console.log(sleeper.state) // => cancelled
 * ```
 */
export const Thread: typeof ThreadClass = /* @__PURE__ */ dumping(ThreadClass)
export type Thread = ThreadClass

/** The code of dumps is loaded with the first of them. */
function dumping<C>(type: C): C {
  provideDumper((format) => {
    const dump = collect()
    return format === "json" ? dump : textOf(dump)
  })
  return type
}
