/**
 * Scenarios on worker threads. Starting a thread takes longer than many a scenario, so actors that have played their part
 * are kept for the next one; the threads of a pool belong to it and end with it. None is ended before all scenarios are over: a death would end waits for conditions everywhere.
 */
import type { Cast } from "../cast.ts"
import type { Company, Stage } from "../stage/stage.ts"
import type { TimedCompany, TimedStage } from "../stage/timed-stage.ts"
import { WorkerStage } from "../stage/worker-stage.ts"
import { WorkerTimedStage } from "../stage/worker-timed-stage.ts"
import type { Subject } from "../suites/sync/subject.ts"
import type { Kind, Threads } from "../threads.ts"
import { ActorWorker } from "./actor-worker.ts"
import { WorkerCast } from "./worker-cast.ts"

/** Each has up to five threads. More scenarios at once would only mean more threads to start. */
const SCENARIOS_AT_ONCE = 2

/** Those with a clock start their threads in the beginning, and then wait most of the time. */
const TIMED_AT_ONCE = 6

/** A tick of 40 lasts half a second: to start a thread takes up to half of that on a machine with other things to do. */
const PACE = 12

export class ActorWorkers implements Threads, AsyncDisposable {
  readonly kind: Kind
  readonly pace = PACE
  readonly #all: ActorWorker[] = []
  readonly #idle: ActorWorker[] = []

  constructor(kind: Exclude<Kind, "virtual">) {
    this.kind = kind
  }

  atOnce(suite: string): number {
    return suite === "scheduled" ? TIMED_AT_ONCE : SCENARIOS_AT_ONCE
  }

  /** Each scenario of suite threadpool starts threads of its own, so it is replayed on one of the two kinds. */
  canReplay(suite: string): boolean {
    return ["sync", "invoke", "scheduled"].includes(suite) || (suite === "threadpool" && this.kind === "platform")
  }

  stage(company: Company, attempt: number): Stage {
    return new WorkerStage(company, this.kind === "platform", { attempt })
  }

  timedStage(company: TimedCompany, tick: number): TimedStage {
    return new WorkerTimedStage(company, this.kind === "platform", tick)
  }

  cast(subject: Subject): Cast {
    return new WorkerCast(subject, this)
  }

  async take(): Promise<ActorWorker> {
    const idle = this.#idle.pop()
    if (idle !== undefined) return idle
    const fresh = await ActorWorker.start(this.kind === "platform" ? "blocking" : "awaiting")
    this.#all.push(fresh)
    return fresh
  }

  give(worker: ActorWorker): void {
    this.#idle.push(worker)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.splice(0).map((worker) => worker.end()))
  }
}
