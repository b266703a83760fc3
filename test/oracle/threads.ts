/**
 * The kinds of threads that scenarios are replayed on. A suite asks for everything that depends on the kind here, so that
 * the same suites can be replayed on any.
 */
import { type Cast, FlowCast } from "./cast.ts"
import { FlowStage } from "./stage/flow-stage.ts"
import { FlowTimedStage } from "./stage/flow-timed-stage.ts"
import type { Company, Stage } from "./stage/stage.ts"
import type { TimedCompany, TimedStage } from "./stage/timed-stage.ts"
import type { Subject } from "./suites/sync/subject.ts"

export interface Threads {
  readonly kind: Kind
  /** How many scenarios of this suite may be under way at once. */
  atOnce(suite: string): number
  /** Whether the scenarios of this suite can be replayed on them so far. */
  canReplay(suite: string): boolean
  /** Real milliseconds for one of a scenario that has a clock, to begin with: see suites/scenario-clock.ts. */
  readonly pace: number
  /** Where the tasks of a pool run, in the replay with this number: 1, or more if those before were void. */
  stage(company: Company, attempt: number): Stage
  /** Where those of a scheduled pool run, with ticks of so many real milliseconds. */
  timedStage(company: TimedCompany, tick: number): TimedStage
  /** Actors who use a synchronizer. */
  cast(subject: Subject): Cast
}

/** Flows of one event loop; worker threads that block; worker threads that await. */
export const kinds = ["virtual", "platform", "platform-awaiting"] as const
export type Kind = (typeof kinds)[number]

/**
 * Many scenarios share an event loop: enough of them to fill each other's pauses, few enough that a turn of the loop stays
 * far shorter than the shortest time-out in a scenario.
 */
const FLOWS_AT_ONCE = 48

const PACE = 4

export const onVirtualThreads: Threads = {
  kind: "virtual",
  atOnce: () => FLOWS_AT_ONCE,
  canReplay: () => true,
  pace: PACE,
  stage: (company) => new FlowStage(company),
  timedStage: (company) => new FlowTimedStage(company),
  cast: (subject) => new FlowCast(subject),
}
