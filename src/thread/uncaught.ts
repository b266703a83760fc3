/** Errors that reach the top of a thread: without a handler they would be lost. */
import { textOf } from "../user-values.ts"
import { guarded } from "../memory/flow/guard.ts"
import type { Thread } from "./thread.ts"

/** Gets an error that has ended a thread, or that an executed command has thrown. */
export type UncaughtExceptionHandler = (thread: Thread, error: unknown) => void

/**
 * Calls the handler, or prints the error as Java does. If the handler throws, or its promise is rejected, prints that
 * error too. Never throws: the caller has other work to finish.
 */
export function reportUncaught(thread: Thread, error: unknown, handler: UncaughtExceptionHandler = print): void {
  guarded(
    () => handler(thread, error),
    (second) => {
      print(thread, error)
      print(thread, second)
    },
  )
}

/** Prints the error. That may fail: the getters of an error, and its own ways to be shown, are user code too. */
function print(thread: Thread, error: unknown): void {
  const title = `Exception in thread "${thread.name}"`
  try {
    console.error(title, error)
  } catch {
    guarded(
      () => console.error(title, textOf(error)),
      () => undefined, // the console itself fails: there is no other place to report to
    )
  }
}
