/** Ends this thread, and reports its end to the thread that has started it. */
import { scope } from "../runtime/globals.ts"
import type { Told } from "./start-data.ts"

/** What {@link sayFarewell} tells. */
export interface Farewell {
  /** The thread is about to end with this exit code, and not because of an error. */
  ending(code: number): void
  /** The thread ends because of an error, or after one, and has reported it. */
  saidAll(): void
}

const calls: (() => void)[] = []
let farewell: Farewell | undefined
let veryLast: (() => void) | undefined
let hasEnded = false

/** Ends this thread: the code that runs now is its last. */
export const exit: (code: number) => never = ((code: number): void => {
  if (hasEnded) return
  hasEnded = true
  for (const call of calls) call()
  farewell?.ending(code)
  veryLast?.()
  scope.postMessage({ corepool: "exit", code } satisfies Told)
  scope.close()
}) as never

/** Ends this thread because of an error that no code has caught. */
export function die(error: unknown): void {
  if (hasEnded) return
  hasEnded = true
  try {
    scope.postMessage({ corepool: "error", error } satisfies Told)
  } catch {
    scope.postMessage({ corepool: "error", error: new Error(String(error)) } satisfies Told) // it cannot be copied
  }
  farewell?.saidAll()
  veryLast?.()
  scope.close()
}

/** Calls the function once, when the thread ends in order. */
export function onceAtExit(call: () => void): void {
  calls.push(call)
}

/** Tells how this thread ends, just before it does. */
export function sayFarewell(told: Farewell): void {
  farewell = told
}

/** Calls `act` at the end, after all others. */
export function callLast(act: () => void): void {
  veryLast = act
}
