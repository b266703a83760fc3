import { CORE } from "../../queue/base/internals.ts"
import { Flow } from "../../memory/flow/flow.ts"
import { guarded, type Report } from "../../memory/flow/guard.ts"
import { perThread } from "../../per-thread.ts"
import { LinkedBlockingQueue } from "../../queue/linked-blocking-queue.ts"
import { runtime } from "#host/runtime/clock"
import type { ClaimedJob } from "../job/engine.ts"
import { type ProgressEntry, readEntry } from "./job-in-thread.ts"

/**
 * Each run has one entry at most, so this is more than a node ever needs. A value that finds no room is lost; the next
 * one may find room.
 */
const CAPACITY = 2 ** 16

const runs = perThread("runs of jobs", () => ({ last: 0 }))

/** The progress of one job, on its way to the engine. */
class Reports {
  readonly #job: ClaimedJob
  readonly #report: Report
  /** The newest value that is not on its way yet, in an array. */
  #next: [unknown] | undefined
  /** The count of the newest value. */
  #newest = 0
  #sending: Promise<void> | undefined

  constructor(job: ClaimedJob, report: Report) {
    this.#job = job
    this.#report = report
  }

  add({ count, value }: ProgressEntry): void {
    if (count <= this.#newest) return // a newer one has overtaken it
    this.#newest = count
    this.#next = [value]
    this.#sending ??= this.#send()
  }

  /** Is fulfilled when all values have been sent, or sending has failed. */
  async sent(): Promise<void> {
    await this.#sending
  }

  async #send(): Promise<void> {
    while (this.#next !== undefined) {
      const [value] = this.#next
      this.#next = undefined
      try {
        await this.#job.progress(value)
      } catch (error) {
        if (!this.#job.lost.isLost) this.#report(error)
      }
    }
    this.#sending = undefined
  }
}

/**
 * Receives the progress of a node's jobs. Threads put the values that tasks report into one queue in shared memory
 * (job-in-thread.ts). The node passes them on to the engine, one value of a job at a time: while one is on its way,
 * newer ones replace each other, and the newest goes next.
 *
 * A value does not reach the node in the moment in which a thread puts it into the queue: the queue may have given it
 * to a `take` that goes on a little later. So the last value of a task comes with its outcome as well, and the values
 * of a run are counted. A value that a newer one has overtaken is dropped.
 */
export class ProgressInbox {
  /** Passed to each task as an argument, in threads of this process. */
  readonly queue: LinkedBlockingQueue<string> = new LinkedBlockingQueue<string>(CAPACITY)
  readonly #runs = new Map<number, Reports>()
  readonly #report: Report
  /** An interrupt ends its wait. */
  readonly #flow = new Flow()
  #isListening = false
  #isClosed = false

  /** `report` is called with errors of the engine. */
  constructor(report: Report) {
    this.#report = report
  }

  /** Returns the number of a new run. Its progress goes to this job until {@link end}. */
  begin(job: ClaimedJob): number {
    if (!this.#isListening) this.#listen()
    const run = ++runs.last
    this.#runs.set(run, new Reports(job, this.#report))
    return run
  }

  /**
   * The run is over: is fulfilled when the engine has the newest value that it has reported. `last` is the entry that
   * came with the outcome of the task.
   */
  async end(run: number, last?: string): Promise<void> {
    if (last === undefined) this.#empty()
    else this.#receive(last)
    const reports = this.#runs.get(run)
    this.#runs.delete(run)
    await reports?.sent()
  }

  /** The run's job is lost, or its end is decided: its progress is ignored from now on. */
  drop(run: number): void {
    this.#runs.delete(run)
  }

  close(): void {
    this.#isClosed = true
    this.#flow.interrupt()
  }

  #listen(): void {
    if (this.#isClosed) return
    this.#isListening = true
    this.queue[CORE].receive(
      {
        resolve: (entry) => {
          if (entry !== undefined) this.#receive(entry)
          this.#empty()
          // Once in a turn of the event loop, as a task may report without pause.
          runtime.afterTurn(() => this.#listen())
        },
        reject: (error) => {
          this.#isListening = false
          if (!this.#isClosed) this.#report(error)
        },
      },
      this.#flow,
      Infinity,
    )
  }

  /** Takes the entries that are there now. A loop until the queue is empty might not end: tasks go on reporting. */
  #empty(): void {
    for (let left = this.queue.size; left > 0; left--) {
      const entry = this.queue.poll()
      if (entry !== undefined) this.#receive(entry)
    }
  }

  #receive(entry: string): void {
    guarded(() => {
      const read = readEntry(entry)
      this.#runs.get(read.run)?.add(read)
    }, this.#report)
  }
}
