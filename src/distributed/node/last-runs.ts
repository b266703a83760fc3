import { now, Timer } from "../../time/timer.ts"
import type { ClaimedJob, Consumer } from "../job/engine.ts"
import { propertyOf } from "../../user-values.ts"
import { deathsOf } from "./series-run.ts"

/** How many nodes may die with a job that does not say so. */
export const MAX_DEATHS = 1

/** Whether the job has died in the last run that it is allowed. With `maxDeaths: 0`, that is its first. */
export function isGivenUp(job: ClaimedJob): boolean {
  const { data, failures } = job
  const { maxDeaths = MAX_DEATHS, lastRun } = data
  return deathsOf(job) > maxDeaths && (maxDeaths === 0 || lastRun === failures)
}

/**
 * Whether a node has died with the job, and if that happens once more it is given up. The data are those of any
 * process, and nothing may be wrong with them.
 */
function isLastRun({ deaths, data }: ClaimedJob): boolean {
  if (deaths === 0) return false
  const before = propertyOf(propertyOf(data, "series"), "deathsBefore")
  const maxDeaths = propertyOf(data, "maxDeaths")
  const died = deaths - (typeof before === "number" ? before : 0)
  return died > 0 && died >= (typeof maxDeaths === "number" ? maxDeaths : MAX_DEATHS)
}

/** A job of the node. */
export interface Neighbour {
  readonly job: ClaimedJob
  /** On the clock of `now()`. */
  readonly begunAt: number
}

/**
 * The last run that `maxDeaths` allows a job begins alone on its node.
 *
 * A node that dies takes all its jobs with it, and the engine counts a death for each of them, for the one that has
 * killed the node and for its neighbours. Only the killer will kill the next node, too. So before a job is given up, it
 * has a node to itself: if that one dies as well, no other job can have been the cause.
 *
 * A job that takes hours must not keep a node from its work for so long. Only the beginning is alone: for as long as a
 * lock lasts (`window`) the node begins nothing else. A neighbour that has been running for longer than that counts as
 * harmless, and is not waited for. What kills a node only later than that may still be taken for another one's doing.
 *
 * While a job waits for its neighbours, the node may die by one of them. That is no death in its last run: the data of
 * the job say whether this has begun (`JobData.lastRun`).
 */
export class LastRuns {
  readonly #neighbours: Iterable<Neighbour>
  /** The job that waits to begin alone, or has begun so, and the consumer that pauses for it. */
  #current: { readonly self: Neighbour; readonly consumer: Consumer } | undefined
  #wake: (() => void) | undefined

  /** `neighbours` are all jobs of the node, at any time. */
  constructor(neighbours: Iterable<Neighbour>) {
    this.#neighbours = neighbours
  }

  /** Whether the node begins no job now, because another one is alone. */
  get isTaken(): boolean {
    return this.#current !== undefined
  }

  isOf(self: Neighbour): boolean {
    return this.#current?.self === self
  }

  /** The job has come to the node. If it is its last run, no others come until `leave`. */
  arrive(self: Neighbour, consumer: Consumer): void {
    if (!isLastRun(self.job)) return
    this.#current = { self, consumer }
    consumer.pause()
  }

  /**
   * Waits until no other job of the node is younger than `window` ms, or `isDropped` says that this one need not be run
   * any more.
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

  /** A job of the node has ended, or need not be run any more. */
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
