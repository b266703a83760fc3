import { hostname } from "node:os"
import type { Report } from "../../memory/flow/guard.ts"
import { now, Timer } from "../../time/timer.ts"
import type { EngineQueue, NodeRecord } from "../job/engine.ts"

/** How often, and for how long that counts, in ms: one or two that get lost do no harm. */
const EVERY = 2000
const COUNTS_FOR = 5000
/** How long a change is waited out before it is told, and how much time is between two signs, in ms. */
const SOON = 250
const BETWEEN = 500

/** What there is to say. */
export interface NodeFacts {
  readonly id: string
  readonly nodeName: string
  readonly concurrency: number
  readonly running: number
}

/**
 * A node's signs of life: it says every two seconds that it is there, so that `fleet.nodes()` shows it, and when it
 * goes. What it runs is told sooner, when the node has begun or ceased to be idle, or runs many more or fewer jobs than
 * it has said; but not more often than twice a second.
 */
export class NodePresence {
  readonly #queue: EngineQueue
  readonly #node: NodeFacts
  readonly #report: Report
  readonly #startedAt: number
  /** Undefined while a sign is on its way, and before the first one. */
  #timer: Timer | undefined
  #isSoon = false
  /** The sign that is on its way. */
  #giving: Promise<void> = Promise.resolve()
  /** How many jobs the node had at the last sign, and when that was. */
  #told = 0
  #toldAt = 0
  #isOver = false
  /** Whether the last one has failed: that is told once. */
  #isUnheard = false

  constructor(queue: EngineQueue, node: NodeFacts, report: Report) {
    this.#queue = queue
    this.#node = node
    this.#report = report
    this.#startedAt = Math.round(queue.now())
  }

  /** Is fulfilled when the first sign has been given, or has failed. */
  async begin(): Promise<void> {
    await this.#announce(COUNTS_FOR)
    this.#goOn()
  }

  /** The node has begun or ended a job. */
  changed(): void {
    if (this.#timer !== undefined && !this.#isSoon && this.#isNews) this.#goOn()
  }

  /** No more signs are given; the last one is due when the node has ended. */
  stop(): void {
    this.#isOver = true
    this.#timer?.cancel()
  }

  /** The node is gone. A sign that is on its way arrives before: it would bring the node back into the list. */
  async end(): Promise<void> {
    this.stop()
    await this.#giving
    await this.#announce(0)
  }

  /** Whether the last sign does not say what the node does: idle or not, and about how many jobs. */
  get #isNews(): boolean {
    const { running, concurrency } = this.#node
    return (running === 0) !== (this.#told === 0) || Math.abs(running - this.#told) >= Math.max(2, concurrency / 4)
  }

  #goOn(): void {
    if (this.#isOver) return
    this.#timer?.cancel()
    this.#isSoon = this.#isNews
    const passed = now() - this.#toldAt
    const delay = this.#isSoon ? Math.max(SOON, BETWEEN - passed) : Math.max(0, EVERY - passed)
    this.#timer = new Timer(delay, true, () => void this.#next())
  }

  /** A change that is over when it would be told needs no sign. */
  async #next(): Promise<void> {
    if (!this.#isSoon || this.#isNews) {
      this.#timer = undefined
      this.#giving = this.#announce(COUNTS_FOR)
      await this.#giving
    }
    this.#goOn()
  }

  /** Does not reject. That it fails is told once, until it succeeds again. */
  async #announce(forMs: number): Promise<void> {
    this.#told = this.#node.running
    this.#toldAt = now()
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
    const { pid } = process
    return {
      id,
      name,
      host: hostname(),
      pid,
      concurrency,
      running,
      startedAt: this.#startedAt,
      seenAt: Math.round(this.#queue.now()),
    }
  }
}
