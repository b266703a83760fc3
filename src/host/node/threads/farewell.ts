/** The end of this thread, as far as the thread itself learns of it. */
import { boundTo } from "../../../primordials.ts"
import { isNode } from "../runtime/runtime.ts"

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
 * Tells how this thread ends, just before it does. Only Node lets a thread know.
 *
 * After an uncaught error the runtime calls the `exit` listeners, reports the error, and then calls `process.exit`. If
 * a listener of the user has caught the error, nothing is reported, and the user calls `process.exit`. Either way
 * `process.reallyExit` comes last.
 */
export function sayFarewell(farewell: Farewell): void {
  if (!isNode) return // elsewhere the thread does not learn whether it has failed
  const process = globalThis.process as NodeJS.Process & { reallyExit: (code?: number) => never }
  let hasFailed = false
  process.once("uncaughtExceptionMonitor", () => (hasFailed = true))
  process.once("exit", (code) => {
    if (!hasFailed) {
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
