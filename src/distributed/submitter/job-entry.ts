/** What an executor knows of a job. */
import { IS_SETTLED } from "../../future/internals.ts"
import type { Call } from "../../future/call.ts"
import type { FutureTask } from "../../future/future-task.ts"
import type { Timer } from "../../time/timer.ts"
import type { JobOrder } from "../job/engine.ts"
import type { SeriesRule } from "./job-plan.ts"

/** How an executor is concerned with a job. */
export type JobRole =
  /** This executor has submitted it and waits for its end. */
  | "own"
  /** A schedule with an id: this executor has registered it, but it belongs to no process. */
  | "shared-schedule"
  /** Any process has submitted it; this executor only watches it. */
  | "watched"

export interface JobPlan {
  readonly id: string
  readonly name: string
  /** How events name it: as `with` does, or else by `name`. */
  readonly title: string
  /** Takes the stores of this moment with the job. Throws if they cannot be sent to another machine. */
  readonly takeStores: (() => void) | undefined
  /** The arguments as text; undefined if only the id is known. */
  readonly args: string | undefined
  /** The id of the executor. */
  readonly from: string
  readonly role: JobRole
  /** The future, if there is one. */
  readonly future: FutureTask<unknown> | undefined
  /** The task given to `execute`, if that is not the future itself but carries it. */
  readonly carrier: FutureTask<unknown> | undefined
  /** The call that was submitted, for `shutdownNow`; undefined if this executor has not submitted it. */
  readonly call: Call | undefined
  /** Makes the order for the engine, from the time of its clock; undefined if the engine has the job. */
  readonly order: ((now: number) => JobOrder) | undefined
  /** Whether the program has given the id, so that the engine may have the job already. */
  readonly isNamed: boolean
  /** Milliseconds until it is due; Infinity if it never is. */
  readonly delay: number
  /** The rule of a schedule that runs again and again. */
  readonly series: SeriesRule | undefined
}

/**
 * The life of an entry:
 *
 *     outbox -> sending -> stored -> over       the usual way
 *     outbox -> over                            cancelled before it was sent, or it will never run
 *     sending -> over                           the engine has not taken it
 */
export class JobEntry {
  readonly plan: JobPlan
  /** The number by which the future names it. */
  readonly handle: number
  place: "outbox" | "sending" | "stored" | "over" = "outbox"
  /** When a node has begun it, on the clock of `now()`. */
  startedAt: number | undefined
  isRunning = false
  /** When it is due, by the engine's clock, as far as that is known. */
  dueAt: number | undefined
  /** Set if it is to be cancelled on the engine. */
  wish: { interrupt: boolean } | undefined
  /** Whether the cancellation is under way, and whether it has to be sent once more after that. */
  isTravelling = false
  hasToTravel = false
  /** Whether the cancellation has arrived at the engine, or the program has got the error that it has not. */
  isWishSettled = false
  /** Whether the engine has reported that the job was removed. */
  isHeardRemoved = false
  /** Whether the engine had a job of this id, of another executor, before this one submitted it. */
  isForeign = false
  /** Whether `shutdownNow` wants it to end, as soon as it is known whether it is foreign. */
  hasToStop = false
  /** Fires when the job has waited for longer than `queueTimeout`. */
  queueTimer: Timer | undefined
  /** Stops listening to the signal that may cancel it. */
  forgetSignal: (() => void) | undefined
  /** The stack with which it was submitted, not yet as text. */
  submitter: { readonly stack?: string } | undefined
  /** Whether shutdownNow or the queue timer is taking it back. */
  isTakenBack = false
  /** Whether the program has to stay alive for its future. */
  isHeld = true
  /** The end of a job without a future, for events. */
  failure: { readonly error: unknown } | undefined
  isCancelled = false
  onOver: (() => void) | undefined

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
    return this.wish !== undefined && !this.isWishSettled && !this.isOver
  }

  /**
   * Whether the executor cannot terminate before it is over. A shared schedule only has to be stored, and a
   * cancellation only has to arrive.
   */
  get isOwn(): boolean {
    const { role } = this.plan
    return role === "own" || this.isCancelling || (role === "shared-schedule" && this.place !== "stored")
  }

  /** Its future is unref'd. Only what still has to reach the engine keeps the program alive. */
  get #isUnheld(): boolean {
    return !this.isHeld && this.place === "stored" && !this.isCancelling
  }

  /** Whether the program stays alive for it. */
  get keepsAlive(): boolean {
    if (this.plan.delay === Infinity || this.#isUnheld) return false
    return this.isOwn || (this.plan.role === "watched" && this.plan.future?.[IS_SETTLED] === false)
  }
}
