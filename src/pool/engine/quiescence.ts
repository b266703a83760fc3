import { IllegalStateError } from "../../errors.ts"
import { currentFlow } from "../../memory/flow/flow.ts"
import { awaiting, type Steps, TIMEOUT, timeoutOf, type WaitList, type WaitOptions } from "../../memory/flow/waiting.ts"
import type { PoolEngine } from "./pool-engine.ts"

type Watched = Pick<PoolEngine, "hasThread" | "isQuiet" | "watchForQuiescence">

/** Waits in `quiescence`, which the engine signals, until nothing waits and nothing runs; false if the time is up. */
export async function awaitQuiescence(engine: Watched, quiescence: WaitList, wait?: WaitOptions): Promise<boolean> {
  if (timeoutOf(wait) <= 0) return engine.isQuiet
  if (engine.hasThread(currentFlow().owner)) {
    throw new IllegalStateError("awaitQuiescence() was called by a task of this very pool, and would wait for itself")
  }
  return await awaiting(quieting(engine, quiescence), wait, undefined, "awaitQuiescence")
}

function* quieting(engine: Watched, quiescence: WaitList): Steps<boolean> {
  while (!engine.watchForQuiescence()) if ((yield quiescence) === TIMEOUT) return false
  return true
}
