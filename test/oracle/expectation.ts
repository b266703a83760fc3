/** What corepool has to show for a recorded scenario: the recording, led through the deliberate differences. */
import { translate } from "./deliberate-differences.ts"
import { type Facts, History } from "./history.ts"
import { type LockFacts, LockHistory } from "./lock-history.ts"
import { type Json, type JsonObject, object, objects, strings } from "./json.ts"
import type { Kind } from "./threads.ts"
import type { Scenario } from "./trace.ts"

/** The expectations of a scenario's steps, in order, on such threads. */
export function expectations({ suite, setup, steps }: Scenario, kind: Kind = "virtual"): JsonObject[] {
  const history = new History(setup)
  const waits = new LockHistory()
  return steps.map((step) => ({
    ...expectation(step.expect, history.advance(step)),
    ...(suite === "sync" && kind === "platform" ? refusal(waits.advance(step)) : {}),
  }))
}

/** Threads that block are asked for one thing more, which Java does not have: what they refuse to do. */
function refusal(waits: LockFacts): JsonObject {
  return { refused: translate("refusals", { refused: [], waits }).refused }
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
