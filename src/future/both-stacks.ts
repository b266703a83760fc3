/**
 * The stack of an error that comes from another thread: where it was thrown, which thread that was, and, if somebody has blocked
 * for it, who.
 *
 *     RangeError: too hot
 *         at boil (file:///app/tasks.js:3:9)
 *         at pool-1-thread-1 (corepool)
 *         at main (file:///app/main.js:7:44)
 *
 * It is appended to the stack of the error itself, once: no wrapper comes between an error and who handles it.
 */

/** Says that the error was thrown in the thread of this name. */
export function signStack(error: unknown, thread: string): void {
  const stack = stackOf(error)
  if (stack !== undefined && !stack.includes(`\n    at ${thread} (corepool)`)) {
    setStack(error as Error, `${stack}\n    at ${thread} (corepool)`)
  }
}

/**
 * Adds those who have called, but for the first `inner` of them, which are ours; if the error comes from another thread and
 * nobody else was added before.
 */
export function addCallers(error: unknown, inner: number): void {
  const stack = stackOf(error)
  // No regular expression: at the end of the stack one fails with an error of its own, in the place of that which is told.
  if (stack?.endsWith(" (corepool)") !== true) return
  const here: { stack?: string } = {}
  Error.captureStackTrace(here, addCallers)
  const callers = here.stack?.split("\n").filter((line) => line.startsWith("    at ")) ?? []
  if (callers.length > inner) setStack(error as Error, [stack, ...callers.slice(inner)].join("\n"))
}

function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const stack: unknown = Object.getOwnPropertyDescriptor(error, "stack")?.value ?? error.stack
  return typeof stack === "string" ? stack : undefined
}

/** Without effect on an error that cannot be changed. */
function setStack(error: Error, stack: string): void {
  Reflect.defineProperty(error, "stack", { value: stack, writable: true, configurable: true, enumerable: false })
}
