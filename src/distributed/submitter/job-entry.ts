/** What the program that has submitted a job knows of it. */
import type { Call } from "../../future/call.ts"
import type { FutureTask } from "../../future/future-task.ts"
import type { Timer } from "../../time/timer.ts"
import type { JobOrder } from "../job/engine.ts"
import type { SeriesRule } from "./job-plan.ts"

/** What a job is for to the executor that knows of it. */
export type JobRole =
  /** It was submitted here. The executor waits for its end. */
  | "own"
  /** A schedule with an id: it was registered here, but belongs to no process. */
  | "shared-schedule"
  /** It was submitted by some process, and is only looked at. */
  | "watched"

export interface JobPlan {
  readonly id: string
  readonly name: string
  /** The arguments as text; undefined if only the id is known. */
  readonly args: string | undefined
  /** The id of the executor. */
  readonly from: string
  readonly role: JobRole
  /** The future, if there is one. */
  readonly future: FutureTask<unknown> | undefined
  /** What was given to `execute`, if that is not the future itself but carries it. */
  readonly carrier: FutureTask<unknown> | undefined
  /** What was submitted, for `shutdownNow`; undefined if it was not submitted here. */
  readonly call: Call | undefined
  /** The order for the engine, by the time of its clock; undefined if the engine has it. */
  readonly order: ((now: number) => JobOrder) | undefined
  /** Whether the id was given by the program, so that the engine may have the job already. */
  readonly isNamed: boolean
  /** Milliseconds until it is due; Infinity if it never is. */
  readonly delay: number
  /** If it is a schedule that runs again and again. */
  readonly series: SeriesRule | undefined
}

/**
 * The life of an entry:
 *
 *     outbox -> sending -> stored -> over       the usual way
 *     outbox -> over                            cancelled before it was sent, or never to run
 *     sending -> over                           the engine has not taken it
 */
export class JobEntry {
  readonly plan: JobPlan
  /** How the future calls it. */
  readonly handle: number
  place: "outbox" | "sending" | "stored" | "over" = "outbox"
  /** When a node has begun it, on the clock of `now()`. */
  startedAt: number | undefined
  isRunning = false
  /** When it is due, by the engine's clock, as far as that is known. */
  dueAt: number | undefined
  /** It is to be cancelled on the engine, and how. */
  wish: { interrupt: boolean } | undefined
  /** That is being told, and has to be told once more after that. */
  isTravelling = false
  hasToTravel = false
  /** The wish has arrived at the engine, or the program was told that it has not. */
  isWishTold = false
  /** The engine has told that the job was removed. */
  isHeardRemoved = false
  /** The engine had a job of this id, of another executor, before this one submitted it. */
  isForeign = false
  /** `shutdownNow` wants it to end, as soon as it is known whether it is foreign. */
  hasToStop = false
  /** Fires when it has waited for too long. */
  queueTimer: Timer | undefined
  /** Lets go of the signal that may cancel it. */
  forgetSignal: (() => void) | undefined
  /** The stack with which it was submitted, not yet as text. */
  submitter: { readonly stack?: string } | undefined
  /** shutdownNow has it in hand. */
  isTakenBack = false

  constructor(plan: JobPlan, handle: number) {
    this.plan = plan
    this.handle = handle
  }

  get id(): string {
    return this.plan.id
  }

  get isOver(): boolean {
    return this.place === "over"
  }

  /** Whether a cancellation is on its way to the engine. */
  get isCancelling(): boolean {
    return this.wish !== undefined && !this.isWishTold && !this.isOver
  }

  /**
   * Whether the executor cannot terminate before it is over. A schedule of all processes has only to arrive, and so has
   * a cancellation.
   */
  get isOwn(): boolean {
    const { role } = this.plan
    return role === "own" || this.isCancelling || (role === "shared-schedule" && this.place !== "stored")
  }

  /** Whether the program stays alive for it. */
  get keepsAlive(): boolean {
    if (this.plan.delay === Infinity) return false
    return this.isOwn || (this.plan.role === "watched" && this.plan.future?.isSettled === false)
  }
}
