import { CancellationError, RejectedExecutionError, TimeoutError } from "../../errors.ts"
import { now, Timer } from "../../time/timer.ts"
import type { Catalogue } from "../job/catalogue.ts"
import type { ClaimedJob, JobEnd } from "../job/engine.ts"
import { decodeFailure, encodeFailure } from "../job/failure.ts"
import { cancelledEnd, checkJob, putOff, retryDelay, unknownTask } from "./job-checks.ts"
import type { ThreadOutcome } from "./job-in-thread.ts"
import type { LastRuns } from "./last-runs.ts"
import type { Attempt, LocalRuns } from "./local-run.ts"
import type { ProgressInbox } from "./progress-inbox.ts"
import { afterRun } from "./series-run.ts"

/** What a job needs of its node. */
export interface JobHost {
  readonly nodeName: string
  readonly catalogue: Catalogue
  readonly local: LocalRuns
  readonly inbox: ProgressInbox
  /** How long no other job begins beside a last run, in ms. */
  readonly aloneFor: number
  /** The engine's clock. */
  now(): number
  /** Whether this node got a cancel message for the job before it got the job. Does not reject. */
  isCancelled(id: string): boolean | Promise<boolean>
  /** Reports an error that no other process gets. Does not throw. */
  report(error: unknown, job: ClaimedJob): void
  /** Called when the local executor does not take the task: it is shut down, or full. */
  refused(error: unknown, job: ClaimedJob): void
}

/** Why the outcome of the task does not count. */
type Dropped = "cancelled" | "lost" | "given back"

/**
 * A job on this node, from the moment when the engine gives it to this node until the node reports its end.
 *
 *     checked -> running      job-checks.ts has found nothing wrong
 *     checked -> ended        it is cancelled, too late, unknown …
 *     checked -> alone        it is its last run (last-runs.ts), and waits to be the only job that begins
 *     alone -> running
 *     running -> ended        the task has returned or thrown, has timed out, or its thread has ended
 *     running -> dropped      it is cancelled, lost or given back: the outcome of the task does not count
 *
 * A job is not over before its thread has stopped: the process that cancelled it may rely on that, and until then the
 * node takes no other job in its place. A task that is dropped with interrupt is interrupted; if it does not stop, the
 * local pool terminates its thread. A task that is cancelled without interrupt goes on to its end.
 */
export class JobRun {
  readonly job: ClaimedJob
  /** When the node began it, on the clock of `now()`. */
  readonly begunAt: number = now()
  readonly #host: JobHost
  readonly #lastRuns: LastRuns
  #dropped: Dropped | undefined
  #attempt: Attempt | undefined
  #drops: (() => void) | undefined

  constructor(job: ClaimedJob, host: JobHost, lastRuns: LastRuns) {
    this.job = job
    this.#host = host
    this.#lastRuns = lastRuns
  }

  /** Cancels the job. Without interrupt the task goes on and its outcome is dropped. */
  cancel(interrupt: boolean): void {
    this.#drop("cancelled", interrupt)
  }

  /** Interrupts the task and leaves the job to another node. */
  giveBack(): void {
    this.#drop("given back", true)
  }

  #drop(why: Dropped, interrupt: boolean): void {
    this.#dropped ??= why
    this.#lastRuns.changed()
    if (!interrupt) return
    this.#attempt?.future.cancel(true)
    this.#drops?.()
  }

  /** Runs the job. Never rejects. */
  async run(): Promise<JobEnd> {
    const { lost } = this.job
    if (lost.isLost) return { kind: "back" }
    lost.onLost = () => this.#drop("lost", true)
    try {
      return await this.#run()
    } catch (error) {
      // An error inside corepool: of the engine's clock, or of an executor that breaks its contract. The job must not
      // stay pending for ever.
      this.#host.report(error, this.job)
      return this.#failed(encodeFailure(error, "error", this.#host.nodeName))
    } finally {
      lost.onLost = undefined
    }
  }

  async #run(): Promise<JobEnd> {
    const { job } = this
    const { nodeName, catalogue } = this.#host
    const known = this.#host.isCancelled(job.id)
    const isCancelled = typeof known === "boolean" ? known : await known
    const checked = this.#endIfDropped() ?? checkJob(job, isCancelled, this.#host.now(), nodeName)
    if (checked !== undefined) return checked
    const fn = catalogue.get(job.name)
    if (fn === undefined) return unknownTask(job, nodeName)
    return this.#lastRuns.isOf(this) ? await this.#runAlone(fn) : await this.#runTask(fn)
  }

  /** First writes into the job that its last run has begun. If that fails, leaves the job to another node. */
  async #runAlone(fn: (...args: never[]) => unknown): Promise<JobEnd> {
    const { aloneFor } = this.#host
    await this.#lastRuns.alone(this, aloneFor, () => this.#dropped !== undefined)
    const hasBegun = this.#dropped === undefined && (await this.#noteLastRun())
    if (!hasBegun) return this.#endIfDropped() ?? { kind: "back" }
    const timer = new Timer(aloneFor, true, () => this.#lastRuns.leave(this))
    try {
      return await this.#runTask(fn)
    } finally {
      timer.cancel()
    }
  }

  async #noteLastRun(): Promise<boolean> {
    const { data, failures } = this.job
    try {
      return await this.job.rewrite({ ...data, lastRun: failures })
    } catch (error) {
      this.#host.report(error, this.job)
      return false
    }
  }

  async #runTask(fn: (...args: never[]) => unknown): Promise<JobEnd> {
    let attempt: Attempt
    try {
      attempt = this.#attempt = this.#host.local.start(fn, this.job)
    } catch (error) {
      return this.#endOf(error)
    }
    let end: JobEnd
    let last: string | undefined
    try {
      const outcome = await attempt.future
      last = outcome.progress
      end = this.#after(outcome)
    } catch (error) {
      end = this.#endOf(error)
      await attempt.stopped()
    }
    if (this.#dropped === undefined) await this.#reported(attempt, last)
    else this.#host.inbox.drop(attempt.run)
    return this.#endIfDropped() ?? this.#tell(end)
  }

  /** Waits until the engine has the progress that the task has reported, or the job is dropped. */
  async #reported({ run }: Attempt, last: string | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#drops = resolve
      void this.#host.inbox.end(run, last).then(resolve)
    })
  }

  #endIfDropped(): JobEnd | undefined {
    if (this.#dropped === undefined) return undefined
    // The engine refuses any report of a lost job.
    return this.#dropped === "cancelled" ? cancelledEnd(this.#host.nodeName) : { kind: "back" }
  }

  #after({ kind, text }: ThreadOutcome): JobEnd {
    if (kind === "final") return { kind: "failed", reason: text }
    if (kind === "failed") return this.#failed(text)
    const { series } = this.job.data
    return series === undefined
      ? { kind: "completed", outcome: text }
      : afterRun(this.job, series, this.#host.now(), text)
  }

  /** The end of a job whose task was not run, was cancelled, or has timed out. */
  #endOf(error: unknown): JobEnd {
    // A task that throws one of these itself does so in its thread, and its outcome comes as text.
    if (error instanceof RejectedExecutionError || error instanceof CancellationError) {
      if (this.#dropped === undefined) this.#host.refused(error, this.job)
      return putOff(this.job, this.#host.now())
    }
    return this.#failed(encodeFailure(error, error instanceof TimeoutError ? "timeout" : "error", this.#host.nodeName))
  }

  #failed(reason: string): JobEnd {
    const { attempts, failures, data } = this.job
    if (failures + 1 >= attempts) return { kind: "failed", reason }
    return { kind: "retry", reason, delay: retryDelay(data.retry, failures, Math.random()) }
  }

  /** No process waits for the outcome of a command: if it has failed, this node reports the error. */
  #tell(end: JobEnd): JobEnd {
    if (end.kind === "failed" && this.job.data.command === true) {
      this.#host.report(decodeFailure(end.reason).error, this.job)
    }
    return end
  }
}
