import type { Report } from "../../memory/flow/guard.ts"
import { Timer } from "../../time/timer.ts"
import type { ClaimedJob, Consumer, ControlMessage, EngineQueue, JobEnd } from "../job/engine.ts"
import { type JobHost, JobRun } from "./job-run.ts"
import { LastRuns } from "./last-runs.ts"
import { RecentCancels } from "./recent-cancels.ts"

const MOST_SERIES = 1000

/** When a node looks again whether a job is marked as cancelled, after a cancel message, in ms. */
const LOOKS = [200, 1000, 5000]

/**
 * The jobs of a node. Passes cancel messages of other processes on to them, and looks jobs up after the connection was
 * lost, because messages may have been missed.
 */
export class NodeJobs {
  readonly #queue: EngineQueue
  readonly #report: Report
  /** Called when a job begins or ends. */
  readonly #changed: () => void
  readonly #runs = new Set<JobRun>()
  readonly #lastRuns = new LastRuns(this.#runs)
  readonly #cancels = new RecentCancels()
  /** Schedules that this node has run: a cancel message may come between two runs. Oldest first, limited in number. */
  readonly #series = new Set<string>()
  /** If true, no job is begun any more: jobs that still come are given back. */
  #isGivingBack = false

  constructor(queue: EngineQueue, report: Report, changed: () => void) {
    this.#queue = queue
    this.#report = report
    this.#changed = changed
  }

  get size(): number {
    return this.#runs.size
  }

  async run(job: ClaimedJob, host: JobHost, consumer: Consumer): Promise<JobEnd> {
    if (this.#isGivingBack || this.#lastRuns.isTaken) return { kind: "back" }
    const run = new JobRun(job, host, this.#lastRuns)
    this.#lastRuns.arrive(run, consumer)
    this.#runs.add(run)
    this.#changed()
    try {
      const end = await run.run()
      if (end.kind === "again") this.#noteSeries(job.id)
      return end
    } finally {
      this.#runs.delete(run)
      this.#lastRuns.leave(run)
      this.#lastRuns.changed()
      this.#changed()
    }
  }

  /** Interrupts all tasks and gives their jobs back, and all jobs that come later. */
  giveBack(): void {
    this.#isGivingBack = true
    for (const run of this.#runs) run.giveBack()
  }

  // ------------------------------------------------------------------ cancelling

  control({ kind, id, interrupt }: ControlMessage): void {
    if (kind !== "cancel") return // a message of a newer release
    let isHere = false
    for (const run of this.#runs) {
      if (run.job.id !== id) continue
      isHere = true
      run.cancel(interrupt)
    }
    if (isHere) return
    this.#cancels.add(id)
    if (this.#series.delete(id)) void this.#remove(id)
  }

  /**
   * Whether a message has said that the job is cancelled, before this node got the job. The engine is asked, because a
   * cancelled job that has ended may have a successor of the same id, which has no mark. But the message may also have
   * come before the mark: so the node looks again, while it runs the job.
   */
  isCancelled(id: string): boolean | Promise<boolean> {
    return this.#cancels.take(id) && this.#isMarked(id)
  }

  async #isMarked(id: string): Promise<boolean> {
    try {
      const [found] = await this.#queue.find([id])
      if (found?.data.cancelled === true) return true
    } catch (error) {
      this.#report(error)
    }
    for (const delay of LOOKS) Timer.after(delay, () => void this.#lookFor(id))
    return false
  }

  #lookFor(id: string): Promise<void> {
    return this.#look([...this.#runs].filter(({ job }) => job.id === id))
  }

  /** The schedule waits for its next run; or it is on another node, which has got the message, too. */
  async #remove(id: string): Promise<void> {
    try {
      await this.#queue.remove(id)
    } catch (error) {
      this.#report(error)
    }
  }

  #noteSeries(id: string): void {
    this.#series.delete(id)
    this.#series.add(id)
    for (const oldest of this.#series) {
      if (this.#series.size <= MOST_SERIES) return
      this.#series.delete(oldest)
    }
  }

  /** Messages may have been lost: looks up which of the jobs are cancelled. */
  lookUp(): Promise<void> {
    return this.#look([...this.#runs])
  }

  async #look(runs: readonly JobRun[]): Promise<void> {
    if (runs.length === 0) return
    try {
      const found = await this.#queue.find(runs.map(({ job }) => job.id))
      for (const [i, run] of runs.entries()) if (found[i]?.data.cancelled === true) run.cancel(true)
    } catch (error) {
      this.#report(error)
    }
  }
}
