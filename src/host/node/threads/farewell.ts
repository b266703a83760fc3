/** The end of this thread, as far as the thread itself learns of it. */
import { boundTo } from "../../../primordials.ts"
import { isBun, isNode } from "../runtime/runtime.ts"

/** Ends this thread. Taken before any task could replace it. */
// oxlint-disable-next-line typescript/unbound-method -- it is bound
export const exit: (code: number) => never = boundTo(process.exit, process)

/** Calls the function once, when the thread ends in order. */
export function onceAtExit(call: () => void): void {
  process.once("exit", call)
}

/** What {@link sayFarewell} tells. */
export interface Farewell {
  /** The thread is about to end with this exit code, and not because of an error. */
  ending(code: number): void
  /** The thread ends because of an error, or after one, and the runtime has reported all that it reports. */
  saidAll(): void
}

/**
 * Tells how this thread ends, just before it does. In Bun a thread does not learn that.
 *
 * After an uncaught error Node calls the `exit` listeners, reports the error, and then calls `process.exit`. If a
 * listener of the user has caught the error, nothing is reported, and the user calls `process.exit`. Either way
 * `process.reallyExit` comes last.
 *
 * In Deno a thread does not learn whether it has failed, and goes on with timers that are due after `process.exit`: if
 * such a timer calls `process.exit` too, or does not return, the thread never ends by itself. Only `process.exit`
 * comes to `process.reallyExit` there, and not an uncaught error.
 */
export function sayFarewell(farewell: Farewell): void {
  if (isBun) return
  const process = globalThis.process as NodeJS.Process & { reallyExit: (code?: number) => never }
  let hasFailed = false
  process.once("uncaughtExceptionMonitor", () => (hasFailed = true))
  process.once("exit", (code) => {
    if (!hasFailed && isNode) {
      farewell.ending(code)
      return
    }
    const reallyExit = boundTo(process.reallyExit, process)
    process.reallyExit = (final) => {
      farewell.saidAll()
      return reallyExit(final)
    }
  })
}
