/** A node's signs of life: it says every few seconds that it is there, so that `fleet.nodes()` shows it, and when it goes. */
import { hostname } from "node:os"
import type { Report } from "../memory/guard.ts"
import { Timer } from "../time/timer.ts"
import type { EngineQueue, NodeRecord } from "./engine.ts"

/** How often, and for how long that counts, in ms: one or two that get lost do no harm. */
const EVERY = 5000
const COUNTS_FOR = 15_000

/** What there is to say. */
export interface NodeFacts {
  readonly id: string
  readonly nodeName: string
  readonly concurrency: number
  readonly running: number
}

export class NodePresence {
  readonly #queue: EngineQueue
  readonly #node: NodeFacts
  readonly #report: Report
  readonly #startedAt: number
  #timer: Timer | undefined
  #isOver = false
  /** Whether the last one has failed: that is told once. */
  #isUnheard = false

  constructor(queue: EngineQueue, node: NodeFacts, report: Report) {
    this.#queue = queue
    this.#node = node
    this.#report = report
    this.#startedAt = queue.now()
  }

  /** Is fulfilled when the first sign has been given, or has failed. */
  async begin(): Promise<void> {
    await this.#announce(COUNTS_FOR)
    this.#goOn()
  }

  /** No more signs are given; the last one is due when the node has ended. */
  stop(): void {
    this.#isOver = true
    this.#timer?.cancel()
  }

  /** The node is gone. */
  async end(): Promise<void> {
    this.stop()
    await this.#announce(0)
  }

  #goOn(): void {
    if (this.#isOver) return
    this.#timer = new Timer(EVERY, true, () => {
      void this.#announce(COUNTS_FOR).then(() => this.#goOn())
    })
  }

  /** Does not reject. That it fails is told once, until it succeeds again. */
  async #announce(forMs: number): Promise<void> {
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
      seenAt: this.#queue.now(),
    }
  }
}
