import { now, Timer } from "../../time/timer.ts"
import type { ClaimedJob, Consumer } from "../job/engine.ts"
import { propertyOf } from "../../user-values.ts"
import { deathsOf } from "./series-run.ts"

/** The default of `maxDeaths`. */
export const MAX_DEATHS = 1

/** Whether a node has died in the last run that the job is allowed. With `maxDeaths: 0`, that is its first run. */
export function isGivenUp(job: ClaimedJob): boolean {
  const { data, failures } = job
  const { maxDeaths = MAX_DEATHS, lastRun } = data
  return deathsOf(job) > maxDeaths && (maxDeaths === 0 || lastRun === failures)
}

/**
 * Whether a node has died with the job, and one more death makes it fail. Any process may have written the data, so
 * nothing is assumed about them.
 */
function isLastRun({ deaths, data }: ClaimedJob): boolean {
  if (deaths === 0) return false
  const before = propertyOf(propertyOf(data, "series"), "deathsBefore")
  const maxDeaths = propertyOf(data, "maxDeaths")
  const died = deaths - (typeof before === "number" ? before : 0)
  return died > 0 && died >= (typeof maxDeaths === "number" ? maxDeaths : MAX_DEATHS)
}

/** A job on the same node. */
export interface Neighbour {
  readonly job: ClaimedJob
  /** On the clock of `now()`. */
  readonly begunAt: number
}

/**
 * Makes the last run that `maxDeaths` allows a job begin alone on its node.
 *
 * A node that dies takes all its jobs with it, and the engine counts a death for each of them: for the job that has
 * killed the node, and for its neighbours. Only the killer will kill the next node, too. So before a job is given up,
 * it has a node to itself: if that node dies as well, no other job can have been the cause.
 *
 * A job that takes hours must not block a node for so long. Only the beginning is alone: for as long as a lock lasts
 * (`window`) the node begins no other job. A neighbour that has been running for longer than that counts as harmless,
 * and is not waited for. A job that kills its node later than that may still be blamed on another one.
 *
 * While a job waits for its neighbours, one of them may kill the node. That is no death in the job's last run: the data
 * of the job say whether that run has begun (`JobData.lastRun`).
 */
export class LastRuns {
  readonly #neighbours: Iterable<Neighbour>
  /** The job that waits to begin alone, or has begun so, and the consumer that is paused for it. */
  #current: { readonly self: Neighbour; readonly consumer: Consumer } | undefined
  #wake: (() => void) | undefined

  /** `neighbours` is a live collection of all jobs of the node. */
  constructor(neighbours: Iterable<Neighbour>) {
    this.#neighbours = neighbours
  }

  /** Whether the node begins no job now, because a last run is alone. */
  get isTaken(): boolean {
    return this.#current !== undefined
  }

  isOf(self: Neighbour): boolean {
    return this.#current?.self === self
  }

  /** The node has got this job. If it is a last run, pauses the consumer until `leave`. */
  arrive(self: Neighbour, consumer: Consumer): void {
    if (!isLastRun(self.job)) return
    this.#current = { self, consumer }
    consumer.pause()
  }

  /**
   * Waits until no other job of the node is younger than `window` ms, or until `isDropped` says that this one need not
   * be run.
   */
  async alone(self: Neighbour, window: number, isDropped: () => boolean): Promise<void> {
    while (!isDropped()) {
      const wait = this.#waitFor(self, window)
      if (wait <= 0) return
      await new Promise<void>((resolve) => {
        const timer = new Timer(wait, true, resolve)
        this.#wake = () => {
          timer.cancel()
          resolve()
        }
      })
    }
  }

  #waitFor(self: Neighbour, window: number): number {
    let wait = 0
    for (const other of this.#neighbours) if (other !== self) wait = Math.max(wait, other.begunAt + window - now())
    return wait
  }

  /** A job of the node has ended, or was dropped. */
  changed(): void {
    this.#wake?.()
  }

  /** The job has ended, or has been alone for long enough. */
  leave(self: Neighbour): void {
    if (!this.isOf(self)) return
    const consumer = this.#current?.consumer
    this.#current = undefined
    consumer?.resume()
  }
}
