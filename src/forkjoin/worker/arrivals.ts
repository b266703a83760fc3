import type { CompletionQueues } from "../../platform/memory/completion-queues.ts"
import type { Deques } from "../../platform/queue/deques.ts"
import { Settling } from "./quiescence.ts"

/**
 * Receives what thieves have finished, in the worker that forked it: takes the slots out of the worker's completion
 * queue and settles their tasks one after the other. A slot whose attachments have not all come yet is kept for the
 * next look.
 *
 * SETTLES is odd from before the first slot leaves the completion queue until all are received (quiescence.ts).
 * Receiving an outcome may call `onCompletion` of completers, which may fork further parts, while the worker has no
 * task in hand.
 */
export class Arrivals {
  readonly #completionQueues: CompletionQueues
  readonly #completionQueue: number
  readonly #receive: (slot: number) => boolean
  readonly #settled: () => void
  readonly #settling: Settling
  /** Slots taken out of the completion queue, and the index of the next one to receive. */
  #arrived: number[] = []
  #next = 0
  /** Slots of which an attachment has not come yet. */
  readonly #late: number[] = []
  readonly #append = (slots: readonly number[]): void => {
    for (const slot of slots) this.#arrived.push(slot)
  }

  /**
   * For the worker with this number. `receive` returns false if an attachment is missing; `settled` is called when all
   * slots are received.
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

  /** Receives all that has come. */
  look(): void {
    if (this.hasCompletions || this.#late.length > 0 || this.#next < this.#arrived.length)
      this.during(() => this.#receiveAll())
  }

  #receiveAll(): void {
    if (this.#late.length > 0) this.#append(this.#late.splice(0))
    this.#completionQueues.empty(this.#completionQueue, this.#append)
    // `receive` may call look() again: the inner call goes on from #next.
    while (this.#next < this.#arrived.length) {
      const slot = this.#arrived[this.#next++] as number
      if (!this.#receive(slot)) this.#late.push(slot)
    }
    if (this.#arrived.length > 0) {
      this.#arrived = []
      this.#next = 0
    }
  }

  /** Runs the function; the pool is not quiescent meanwhile, even if the worker has no task in hand. */
  during(body: () => void): void {
    this.#settling.begin()
    try {
      body()
    } finally {
      if (this.#settling.end(this.#late.length > 0)) this.#settled()
    }
  }
}
