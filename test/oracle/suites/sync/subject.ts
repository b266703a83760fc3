/**
 * What a scenario of suite sync is about, one synchronizer, as one thread sees it: the driver's has made it, and every
 * actor that is a worker thread opens the same one for itself.
 */
import { SYNC, WAIT_QUEUE } from "#src/lock/internals.js"
import type { Shared } from "corepool"
import { type JsonObject, ScenarioError } from "../../json.ts"
import { VOID } from "../../results.ts"

/** How an op waits: by a promise, or by blocking its thread. */
export type Manner = "awaiting" | "blocking"

/** Somebody who waits or holds, by what shared memory knows of it: a thread, and one of its flows. */
export interface Somebody {
  readonly thread: number
  readonly flow: number
}

export type NameOf = (somebody: Somebody) => string

/** What a worker thread needs to open the same subject. */
export interface Posted {
  readonly setup: JsonObject
  readonly synchronizer: Shared
  readonly conditions: readonly (readonly [name: string, condition: Shared])[]
  /** How often the action of a barrier has run. */
  readonly actionRuns?: Int32Array
}

export interface Subject {
  /** Performs an op as the current thread. */
  perform(op: JsonObject, manner: Manner): unknown
  /** Everything that is to be seen, apart from the actors. Only when all is quiet. */
  snapshot(nameOf: NameOf): JsonObject
  /** Those who wait on the condition. */
  waitersOf(condition: string): readonly Somebody[]
  post(): Posted
  /** Gives back everything that the current thread holds: the scenario is over. */
  letGo(): void
  /** Lets those go on who wait, as far as that is in the driver's power: the scenario is over. */
  openUp(): void
}

/** What stands in a wait queue; the declarations that tests see leave it out, as internal. */
export interface Queued {
  readonly [SYNC]: { readonly [WAIT_QUEUE]: { waiters(): Somebody[] } }
}

/** First in line first. */
export function queueOf(synchronizer: object, nameOf: NameOf): string[] {
  return (synchronizer as Queued)[SYNC][WAIT_QUEUE].waiters().map(nameOf)
}

/**
 * The outcome of what is void in Java, awaited or not. Some of these methods return true here, because they also take a
 * time limit; false would be wrong, and shows.
 */
export function asVoid(outcome: unknown): unknown {
  if (outcome instanceof Promise) return outcome.then(asVoid)
  return outcome === false ? false : VOID
}

export function unknownOp(op: JsonObject): ScenarioError {
  return new ScenarioError(`Suite sync has no op ${JSON.stringify(op)} on such a synchronizer`)
}
