/**
 * Where an executor talks to its engine: outside of all tasks and requests of the program, whichever of them happens to
 * be the first.
 */
import { Flow, mainFlow } from "../../memory/flow/flow.ts"

/**
 * Calls it as a flow of its own, which no interrupt reaches; errors that belong to no caller are told by the main
 * thread.
 */
export function inBackground<T>(body: () => T): T {
  const flow = new Flow()
  flow.owner = mainFlow.owner
  return flow.run(body)
}
