/** The text of a future, as in the JDK. */
import { propertyOf, textOf } from "../user-values.ts"
import { type Call, callOf } from "./call.ts"
import type { FutureState } from "./future.ts"
import { nameOf } from "./runnable.ts"

export function describeOutcome(
  state: FutureState,
  outcome: unknown,
  callable: ((...args: never[]) => unknown) | undefined,
): string {
  switch (state) {
    case "success":
      return "Completed normally"
    case "failed":
      return `Completed exceptionally: ${textOf(outcome)}`
    case "cancelled":
      return "Cancelled"
    case "running":
      return callable === undefined ? "Not completed" : `Not completed, task = ${nameOfTask(callable)}`
  }
}

/** The name of a task. The function that was made for a task with arguments may have no name of its own. */
export function nameOfTask(callable: Call["fn"]): string {
  return nameOf(propertyOf(callable, "name") === "" ? callOf(callable).fn : callable)
}
