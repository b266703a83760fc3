/**
 * The guard around code of the user's that corepool calls in passing: hooks, handlers, factories, listeners.
 *
 * The contract
 *
 * 1. Such code may throw anything, call back into whatever called it, and return a promise that nobody awaits. None of that
 *    reaches the caller: {@link guarded} returns in order, and the caller's bookkeeping goes on.
 * 2. What the code throws goes to one place, once: `report`, or, where no other place is named, to {@link uncaught}, which tells the
 *    `uncaughtException` handler of the current thread, whose default is to print. So does the reason of a promise that it returns
 *    and that is rejected.
 * 3. A place that calls the user's code as its last act, and has a caller to whom the error belongs, needs no guard.
 *
 * docs/design/user-code.md lists every place where corepool calls code of the user's, and where its errors go.
 */
import { letPass } from "#atomics"
import { isPromiseLike } from "../../checks.ts"
import { uncaught } from "./flow.ts"

export { uncaught }

/** Who is told of an error. Must not throw. */
export type Report = (error: unknown) => void

/** Calls code of the user's that must not harm who calls it. */
export function guarded(call: () => unknown, report: Report = uncaught): void {
  try {
    heed(call(), report)
  } catch (error) {
    letPass(error)
    report(error)
  }
}

/** Takes note of what a hook has returned. If that is a promise it is not awaited, but its failure is told. */
export function heed(returned: unknown, report: Report = uncaught): void {
  if (returned !== undefined && isPromiseLike(returned)) Promise.resolve(returned).then(undefined, report)
}
