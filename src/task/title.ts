import type { TaskReference } from "./reference.ts"

/** The name of a task in messages: "task `fib`", or "an inline task" if its function has no name. */
export function titleOf(reference: TaskReference): string {
  if ("each" in reference) return titleOf(reference.each)
  if ("some" in reference) return titleOf(reference.some)
  if ("compute" in reference) return titleOf(reference.compute)
  if ("call" in reference) return titleOf(reference.given[0] ?? reference.call)
  return reference.name === "" ? "an inline task" : `task \`${reference.name}\``
}
