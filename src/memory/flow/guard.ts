/**
 * The guard around user code that corepool calls on the side: hooks, handlers, factories, listeners.
 *
 * The contract
 *
 * 1. Such code may throw anything, call back into its caller, and return a promise that no code awaits. None of that
 *    reaches the caller: {@link guarded} returns normally, and the caller's bookkeeping goes on.
 * 2. An error that the code throws goes to one place, once: to `report`, or, where none is given, to {@link uncaught}.
 *    That calls the `uncaughtException` handler of the current thread, whose default is to print. The reason of a
 *    rejected promise that the code returns goes to the same place.
 * 3. A place that calls user code as its last act, and has a caller to whom the error belongs, needs no guard.
 *
 * docs/design/user-code.md lists every place where corepool calls user code, and where its errors go.
 */
import { letPass } from "#atomics"
import { isPromiseLike } from "../../checks.ts"
import { uncaught } from "./flow.ts"

export { uncaught }

/** Receives an error. Must not throw. */
export type Report = (error: unknown) => void

/** Calls user code whose errors must not reach the caller. */
export function guarded(call: () => unknown, report: Report = uncaught): void {
  try {
    heed(call(), report)
  } catch (error) {
    letPass(error)
    report(error)
  }
}

/** Handles the value that a hook has returned. A promise is not awaited, but its rejection is reported. */
export function heed(returned: unknown, report: Report = uncaught): void {
  if (returned !== undefined && isPromiseLike(returned)) Promise.resolve(returned).then(undefined, report)
}
