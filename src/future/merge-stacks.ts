/**
 * The stack of an error that comes from another thread: where it was thrown, which thread that was, and the frames that
 * have blocked for it. If the task is a function that was sent as source, then also the frames that have submitted the
 * function for the first time.
 *
 *     RangeError: too hot
 *         at /app/main.js:5:44
 *         at pool-1-thread-1 (corepool)
 *         at main (file:///app/main.js:7:44)
 *         at first submit (corepool)
 *         at start (file:///app/main.js:5:20)
 *
 * It is appended to the stack of the error itself, once: no wrapper comes between an error and who handles it.
 */
import { setOwn, isError, messageOf, propertyOf } from "../user-values.ts"

/** Says that the error was thrown in the thread of this name. Never throws. */
export function signStack(error: unknown, thread: string): void {
  if (!isError(error)) return
  const stack = stackOf(error)
  if (stack !== undefined && !stack.includes(`\n    at ${thread} (corepool)`)) {
    setStack(error, `${stack}\n    at ${thread} (corepool)`)
  }
}

/**
 * Adds those who have called, but for the first `inner` of them, which are ours; if the error comes from another thread
 * and nobody else was added before. Never throws.
 */
export function addCallers(error: unknown, inner: number): void {
  if (!isError(error)) return
  const [stack, submitter] = withoutSubmitter(stackOf(error) ?? "")
  // No regular expression: at the end of the stack one fails with an error of its own, in the place of that which is
  // told.
  if (!stack.endsWith(" (corepool)")) return
  const callers = framesAbove(addCallers)
  if (callers.length > inner) setStack(error, [stack, ...callers.slice(inner)].join("\n") + submitter)
}

const SUBMITTED = "\n    at first submit (corepool)\n"

/**
 * Adds the stack with which the task was submitted, if the error comes from another thread and nothing was added
 * before. Never throws.
 */
export function addSubmitter(error: unknown, frames: readonly string[]): void {
  if (frames.length === 0 || !isError(error)) return
  const stack = stackOf(error)
  if (stack?.endsWith(" (corepool)") === true) setStack(error, stack + SUBMITTED + frames.join("\n"))
}

/** The stack, and what {@link addSubmitter} has added to it. */
function withoutSubmitter(stack: string): [stack: string, submitter: string] {
  const at = stack.lastIndexOf(SUBMITTED)
  return at === -1 || stack.endsWith(" (corepool)") ? [stack, ""] : [stack.slice(0, at), stack.slice(at)]
}

/**
 * Those that have called this function. None if the program does not let them be read: it may have its own way to write
 * a stack.
 */
function framesAbove(callee: (...args: never[]) => void): string[] {
  const here: { stack?: unknown } = {}
  try {
    Error.captureStackTrace(here, callee)
    const { stack } = here
    return typeof stack === "string" ? stack.split("\n").filter((line) => line.startsWith("    at ")) : []
  } catch {
    return []
  }
}

/** Undefined of an error that has none. In the place of one that cannot be read, its first line. */
function stackOf(error: Error): string | undefined {
  let stack: unknown
  try {
    ;({ stack } = error)
  } catch {
    const name = propertyOf(error, "name")
    stack = `${typeof name === "string" ? name : "Error"}: ${messageOf(error)}`
  }
  return typeof stack === "string" ? stack : undefined
}

/** Without effect on an error that cannot be changed. */
function setStack(error: Error, stack: string): void {
  setOwn(error, "stack", stack, false)
}
