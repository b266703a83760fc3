/** Performs the ops of one scenario on corepool. One driver per suite; one instance per scenario. */
import type { JsonObject } from "../json.ts"
import type { Threads } from "../threads.ts"

export interface Driver {
  /** Performs the op, waits until all is quiet, and tells what is to be seen then. */
  step(op: JsonObject): Promise<JsonObject>
  /** Lets everything go. */
  close(): void | Promise<void>
}

/** `attempt` is 1, or more if the replays before were void: see scenario-clock.ts. */
export type DriverClass = new (setup: JsonObject, threads: Threads, attempt: number) => Driver

/** What Java passes as null, whatever the parameter's type. */
export const NULL = null as unknown as never
