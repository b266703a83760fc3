/**
 * A recorded scenario: ops on one object under test, each with what JDK 17 showed after it.
 *
 *     {"id", "suite", "seed", "note"?, "setup": {…}, "steps": [{"op": {"do", …}, "expect": {…}}, …]}
 *
 * One scenario a line, one suite a file. `expect` holds the op's own `result` (`{}`, `{"returned"}` or `{"thrown"}`)
 * and a snapshot; members on which the JDK leaves the answer to luck are absent, and absent members are not compared.
 */
import { type JsonObject, object, objects, parseObject, ScenarioError, string } from "./json.ts"

export interface Step {
  /** `do` names the op, the other members are its arguments. */
  readonly op: JsonObject
  readonly expect: JsonObject
}

export interface Scenario {
  readonly id: string
  readonly suite: string
  readonly setup: JsonObject
  readonly steps: readonly Step[]
}

export function parseScenario(line: string): Scenario {
  const recorded = parseObject(line)
  const steps = objects(recorded, "steps").map((step) => ({ op: object(step, "op"), expect: object(step, "expect") }))
  const scenario = {
    id: string(recorded, "id"),
    suite: string(recorded, "suite"),
    setup: object(recorded, "setup"),
    steps,
  }
  if (steps.length === 0) throw new ScenarioError(`Scenario ${scenario.id} has no steps: it would always pass`)
  return scenario
}
