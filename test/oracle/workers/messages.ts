/** What the driver and an actor in a worker thread say to each other. */
import type { JsonObject } from "../json.ts"
import type { Manner, Posted } from "../suites/sync/subject.ts"

/** Where a worker thread counts its sleeps, and the rings it answers: see activity.ts. */
export const ACTIVITY = { SLEEPS: 0, RINGS: 1, SIZE: 2 } as const

export type Order =
  /** A new scenario begins. */
  | { readonly say: "open"; readonly subject: Posted; readonly manner: Manner }
  | { readonly say: "perform"; readonly op: JsonObject }
  /** Answer when whatever you are about is done. */
  | { readonly say: "ping" }
  /** The scenario is over: give back what you hold, then answer. */
  | { readonly say: "letGo" }

export type Report =
  /** The thread is there. */
  | { readonly say: "ready"; readonly token: number; readonly activity: Int32Array }
  /** The op is over: what it did, as {@link Order} demanded. */
  | { readonly say: "completed"; readonly outcome: JsonObject }
  /** corepool refused to block for ever. The op is being awaited instead. */
  | { readonly say: "refused" }
  | { readonly say: "pong" }
  /** Something went wrong in the replayer itself. */
  | { readonly say: "mistake"; readonly message: string }
