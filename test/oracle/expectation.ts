/** What corepool has to show for a recorded scenario: the recording, led through the deliberate differences. */
import { translate } from "./deliberate-differences.ts"
import { type Facts, History } from "./history.ts"
import { type Json, type JsonObject, object, objects, strings } from "./json.ts"
import type { Scenario } from "./trace.ts"

/** The expectations of a scenario's steps, in order. */
export function expectations({ setup, steps }: Scenario): JsonObject[] {
  const history = new History(setup)
  return steps.map((step) => expectation(step.expect, history.advance(step)))
}

function expectation(expect: JsonObject, facts: Facts): JsonObject {
  const here: Record<string, Json | undefined> = { ...expect }
  if ("result" in expect) {
    here["result"] = translate("outcome", translate("result", { value: object(expect, "result"), facts }).value)
  }
  if ("futures" in expect) {
    here["futures"] = Object.fromEntries(
      Object.entries(object(expect, "futures")).map(([task, state = null]) => [
        task,
        translate("future", { task, state, facts }).state,
      ]),
    )
  }
  if ("blocked" in expect) {
    const recorded = { blocked: strings(expect, "blocked"), completed: objects(expect, "completed"), facts }
    const { blocked, completed } = translate("callers", recorded)
    here["blocked"] = blocked
    here["completed"] = completed?.map((entry) => translate("outcome", entry))
  }
  return here
}
