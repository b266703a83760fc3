/**
 * Where an executor talks to its engine: outside of all tasks and requests of the program, whichever of them comes
 * first.
 */
import { Flow, mainFlow } from "../../memory/flow/flow.ts"

/**
 * Calls the function in a flow of its own, which no interrupt reaches; the main thread reports errors that belong to no
 * caller.
 */
export function inBackground<T>(body: () => T): T {
  const flow = new Flow()
  flow.owner = mainFlow.owner
  return flow.run(body)
}
