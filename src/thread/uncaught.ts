/** Errors that reach the top of a thread: nobody will ever see them unless somebody is told. */
import { textOf } from "../user-values.ts"
import { guarded } from "../memory/flow/guard.ts"
import type { Thread } from "./thread.ts"

/** Is told of an error that has ended a thread, or that an executed command has thrown. */
export type UncaughtExceptionHandler = (thread: Thread, error: unknown) => void

/**
 * Tells the handler, or prints the error as Java does. A handler that throws, or whose promise is rejected, is printed
 * too. Never throws: the caller has others to see to.
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

/**
 * What is printed may resist that: the getters of an error, and its own ways to be shown, are code of the user's too.
 */
function print(thread: Thread, error: unknown): void {
  const title = `Exception in thread "${thread.name}"`
  try {
    console.error(title, error)
  } catch {
    guarded(
      () => console.error(title, textOf(error)),
      () => undefined, // the console itself fails: there is nobody left to tell
    )
  }
}
