import { hostname, pid } from "#host/server/server"
import type { Report } from "../../memory/flow/guard.ts"
import { now, Timer } from "../../time/timer.ts"
import type { NodeRecord } from "../../executor/fleet-records.ts"
import type { EngineQueue } from "../job/engine.ts"

/** How often a node announces itself, and how long an announcement counts, in ms: one or two may be lost. */
const EVERY = 2000
const COUNTS_FOR = 5000
/** How long a change has to last before it is announced, and the least time between two announcements, in ms. */
const SOON = 250
const BETWEEN = 500

/** What a node announces. */
export interface NodeFacts {
  readonly id: string
  readonly nodeName: string
  readonly concurrency: number
  readonly running: number
}

/**
 * A node's signs of life: it says every two seconds that it is there, so that `fleet.nodes()` shows it, and when it
 * goes. It announces what it runs sooner, when the node has begun or ceased to be idle, or runs many more or fewer jobs
 * than it has said, and that it drains; but not more often than twice a second.
 */
export class NodePresence {
  readonly #queue: EngineQueue
  readonly #node: NodeFacts
  readonly #report: Report
  readonly #startedAt: number
  /** Undefined while an announcement is on its way, and before the first one. */
  #timer: Timer | undefined
  #isSoon = false
  /** The announcement that is on its way. */
  #giving: Promise<void> = Promise.resolve()
  /** How many jobs the last announcement said, and when that was. */
  #announced = 0
  #announcedAt = 0
  #isDraining = false
  /** Whether the last announcement has said so. */
  #isDrainingKnown = false
  #isOver = false
  /** Whether the last announcement has failed: that is reported once. */
  #isUnheard = false

  constructor(queue: EngineQueue, node: NodeFacts, report: Report) {
    this.#queue = queue
    this.#node = node
    this.#report = report
    this.#startedAt = Math.round(queue.now())
  }

  /** Is fulfilled when the first announcement has arrived, or has failed. */
  async begin(): Promise<void> {
    this.#giving = this.#announce(COUNTS_FOR)
    await this.#giving
    this.#goOn()
  }

  /** The node has begun or ended a job. */
  changed(): void {
    if (this.#timer !== undefined && !this.#isSoon && this.#isNews) this.#goOn()
  }

  /** The node takes no more jobs. Signs are given until it has ended, however long that takes. */
  drain(): void {
    this.#isDraining = true
    this.changed()
  }

  /** No more signs are given. */
  stop(): void {
    this.#isOver = true
    this.#timer?.cancel()
  }

  /**
   * Announces that the node is gone, after any announcement on its way, which would bring the node back into the list.
   */
  async end(): Promise<void> {
    this.stop()
    await this.#giving
    await this.#announce(0)
  }

  /** Whether the last announcement is out of date: on whether the node is idle, or on the number of jobs. */
  get #isNews(): boolean {
    if (this.#isDraining !== this.#isDrainingKnown) return true
    const { running, concurrency } = this.#node
    return (
      (running === 0) !== (this.#announced === 0) || Math.abs(running - this.#announced) >= Math.max(2, concurrency / 4)
    )
  }

  #goOn(): void {
    if (this.#isOver) return
    this.#timer?.cancel()
    this.#isSoon = this.#isNews
    const passed = now() - this.#announcedAt
    const delay = this.#isSoon ? Math.max(SOON, BETWEEN - passed) : Math.max(0, EVERY - passed)
    this.#timer = new Timer(delay, true, () => void this.#next())
  }

  /** A change that is over when it would be announced needs no announcement. */
  async #next(): Promise<void> {
    if (!this.#isSoon || this.#isNews) {
      this.#timer = undefined
      this.#giving = this.#announce(COUNTS_FOR)
      await this.#giving
    }
    this.#goOn()
  }

  /** Does not reject. A failure is reported once, until an announcement succeeds again. */
  async #announce(forMs: number): Promise<void> {
    this.#announced = this.#node.running
    this.#announcedAt = now()
    this.#isDrainingKnown = this.#isDraining
    try {
      await this.#queue.announce(this.#record(), forMs)
      this.#isUnheard = false
    } catch (error) {
      if (!this.#isUnheard) this.#report(error)
      this.#isUnheard = true
    }
  }

  #record(): NodeRecord {
    const { id, nodeName: name, concurrency, running } = this.#node
    return {
      id,
      name,
      host: hostname(),
      pid,
      concurrency,
      running,
      isDraining: this.#isDraining,
      startedAt: this.#startedAt,
      seenAt: Math.round(this.#queue.now()),
    }
  }
}
