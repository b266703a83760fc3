import type { TaskReference } from "./reference.ts"

/** The name of the function; "" if it has none. */
export function functionNameOf(reference: TaskReference): string {
  if ("each" in reference) return functionNameOf(reference.each)
  if ("some" in reference) return functionNameOf(reference.some)
  if ("compute" in reference) return functionNameOf(reference.compute)
  if ("call" in reference) return functionNameOf(reference.given[0] ?? reference.call)
  return reference.name
}

/** The name of a task in messages: "task `fib`", or "an inline task" if its function has no name. */
export function titleOf(reference: TaskReference): string {
  const name = functionNameOf(reference)
  return name === "" ? "an inline task" : `task \`${name}\``
}
