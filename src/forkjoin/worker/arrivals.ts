import type { CompletionQueues } from "../../platform/memory/completion-queues.ts"
import type { Deques } from "../../platform/queue/deques.ts"
import { Settling } from "./quiescence.ts"

/**
 * What thieves have finished, as the worker hears of it that has forked it: out of its box, one after the other, also
 * if some of it can be received only later, because a part that was posted has not come yet.
 *
 * From before anything leaves the box until all of it is received, SETTLES is odd (quiescence.ts): to receive an
 * outcome may call `onCompletion` of completers, and that may fork further parts, while the worker has no task in hand.
 */
export class Arrivals {
  readonly #completionQueues: CompletionQueues
  readonly #completionQueue: number
  readonly #receive: (slot: number) => boolean
  readonly #settled: () => void
  readonly #settling: Settling
  /** Slots that are over and have yet to be looked at, and how far that has come. */
  #arrived: number[] = []
  #next = 0
  /** Those of which something that was posted has not come yet. */
  readonly #late: number[] = []
  readonly #append = (slots: readonly number[]): void => {
    for (const slot of slots) this.#arrived.push(slot)
  }

  /**
   * For this worker, by its number. `receive` gives false if it cannot be done yet; `settled` is called when all is
   * received.
   */
  constructor(
    completionQueues: CompletionQueues,
    completionQueue: number,
    deques: Deques,
    worker: number,
    receive: (slot: number) => boolean,
    settled: () => void,
  ) {
    this.#completionQueues = completionQueues
    this.#completionQueue = completionQueue
    this.#receive = receive
    this.#settled = settled
    this.#settling = new Settling(deques, worker, completionQueue)
  }

  get hasCompletions(): boolean {
    return !this.#completionQueues.isEmpty(this.#completionQueue)
  }

  /** Receives all there is. */
  look(): void {
    if (this.hasCompletions || this.#late.length > 0 || this.#next < this.#arrived.length)
      this.during(() => this.#receiveAll())
  }

  #receiveAll(): void {
    if (this.#late.length > 0) this.#append(this.#late.splice(0))
    this.#completionQueues.empty(this.#completionQueue, this.#append)
    // What is told may look in turn: whichever call comes goes on where the last one is.
    while (this.#next < this.#arrived.length) {
      const slot = this.#arrived[this.#next++] as number
      if (!this.#receive(slot)) this.#late.push(slot)
    }
    if (this.#arrived.length > 0) {
      this.#arrived = []
      this.#next = 0
    }
  }

  /** The worker runs something, and may have no task in hand. */
  during(body: () => void): void {
    this.#settling.begin()
    try {
      body()
    } finally {
      if (this.#settling.end(this.#late.length > 0)) this.#settled()
    }
  }
}
