/** Errors that reach the top of a thread: nobody will ever see them unless somebody is told. */
import { textOf } from "../user-values.ts"
import type { Thread } from "./thread.ts"

export type UncaughtExceptionHandler = (thread: Thread, error: unknown) => void

/** Tells the handler, or prints the error as Java does. A handler that throws is printed too. */
export function reportUncaught(thread: Thread, error: unknown, handler: UncaughtExceptionHandler = print): void {
  try {
    handler(thread, error)
  } catch (second) {
    print(thread, error)
    print(thread, second)
  }
}

function print(thread: Thread, error: unknown): void {
  const heading = `Exception in thread "${thread.name}"`
  try {
    console.error(heading, error)
  } catch {
    console.error(heading, textOf(error)) // the runtime cannot show it: a getter has thrown
  }
}
