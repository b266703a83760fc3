/**
 * The stack of an error that comes from another thread: where it was thrown, which thread that was, and the frames that
 * blocked for it. If the task is a function that was sent as source, then also the frames that submitted the function
 * for the first time.
 *
 *     RangeError: too hot
 *         at /app/main.js:5:44
 *         at pool-1-thread-1 (corepool)
 *         at main (file:///app/main.js:7:44)
 *         at first submit (corepool)
 *         at start (file:///app/main.js:5:20)
 *
 * The frames are appended to the stack of the error itself, once: no wrapper comes between an error and its handler.
 */
import { setOwn, isError, messageOf, propertyOf } from "../user-values.ts"

/** Appends the name of the thread that threw the error. Never throws. */
export function signStack(error: unknown, thread: string): void {
  if (!isError(error)) return
  const stack = stackOf(error)
  if (stack !== undefined && !stack.includes(`\n    at ${thread} (corepool)`)) {
    setStack(error, `${stack}\n    at ${thread} (corepool)`)
  }
}

/**
 * Appends the frames of the callers, without the first `inner` of them, which belong to corepool. Only if the error
 * comes from another thread and no callers were appended before. Never throws.
 */
export function addCallers(error: unknown, inner: number): void {
  if (!isError(error)) return
  const [stack, submitter] = withoutSubmitter(stackOf(error) ?? "")
  // No regular expression: where the call stack is almost full, it would throw an error of its own in place of this
  // one.
  if (!stack.endsWith(" (corepool)")) return
  const callers = framesAbove(addCallers)
  if (callers.length > inner) setStack(error, [stack, ...callers.slice(inner)].join("\n") + submitter)
}

const SUBMITTED = "\n    at first submit (corepool)\n"

/**
 * Appends the stack with which the task was submitted, if the error comes from another thread and nothing was appended
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

/** The frames that called this function. None if they cannot be read: the program may format stacks in its own way. */
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

/** Undefined for an error without a stack. If the stack cannot be read, its first line. */
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

/** Has no effect on an error that cannot be changed. */
function setStack(error: Error, stack: string): void {
  setOwn(error, "stack", stack, false)
}
