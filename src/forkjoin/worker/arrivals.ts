import type { CompletionQueues } from "../../platform/memory/completion-queues.ts"
import type { Deques } from "../../platform/queue/deques.ts"
import { Inbox } from "../../platform/submit/inbox.ts"
import { Settling } from "./quiescence.ts"

/**
 * Receives what thieves have finished, in the worker that forked it.
 *
 * SETTLES is odd from before the first slot leaves the completion queue until all are received (quiescence.ts).
 * Receiving an outcome may call `onCompletion` of completers, which may fork further parts, while the worker has no
 * task in hand.
 */
export class Arrivals {
  readonly #inbox: Inbox
  readonly #settled: () => void
  readonly #settling: Settling

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
    this.#inbox = new Inbox(completionQueues, completionQueue, (slot) => {
      if (!receive(slot)) this.#inbox.postpone(slot)
    })
    this.#settled = settled
    this.#settling = new Settling(deques, worker, completionQueue)
  }

  get hasCompletions(): boolean {
    return this.#inbox.hasMail
  }

  /** Whether an attachment of what a thief has finished has not come yet. */
  isPostponed(slot: number): boolean {
    return this.#inbox.isPostponed(slot)
  }

  /** Receives all that has come. */
  look(): void {
    if (this.#inbox.hasAny) this.during(() => this.#inbox.look())
  }

  /** Runs the function; the pool is not quiescent meanwhile, even if the worker has no task in hand. */
  during(body: () => void): void {
    this.#settling.begin()
    try {
      body()
    } finally {
      if (this.#settling.end(this.#inbox.hasPostponed)) this.#settled()
    }
  }
}
