import { push, splice } from "../../primordials.ts"
import type { CompletionQueues } from "../memory/completion-queues.ts"

/**
 * The slots that other threads have put into the completion queue of this thread. It passes each to `receive`, in the
 * order of arrival. A slot of which an attachment has not come yet is postponed: the next look passes it on again.
 *
 * `receive` may call user code that looks in turn. The inner look goes on where the outer one is, so that every slot
 * that has arrived is received when a look returns.
 */
export class Inbox {
  readonly #completionQueues: CompletionQueues
  /** The number of the completion queue. */
  readonly #number: number
  readonly #receive: (slot: number) => void
  /** Slots taken out of the completion queue, and the index of the next one to receive. */
  #arrived: number[] = []
  #next = 0
  #postponed: number[] = []
  readonly #append = (slots: number[]): void => {
    if (this.#next === this.#arrived.length) {
      this.#arrived = slots
      this.#next = 0
    } else {
      const arrived = this.#arrived // not by spreading: there may be a million
      for (const slot of slots) push(arrived, slot)
    }
  }

  constructor(completionQueues: CompletionQueues, number: number, receive: (slot: number) => void) {
    this.#completionQueues = completionQueues
    this.#number = number
    this.#receive = receive
  }

  /** Whether slots are in the completion queue. */
  get hasMail(): boolean {
    return !this.#completionQueues.isEmpty(this.#number)
  }

  /** Whether slots wait for their attachments. */
  get hasPostponed(): boolean {
    return this.#postponed.length > 0
  }

  /** Whether there is anything to receive, as far as is known. */
  get hasAny(): boolean {
    return this.hasMail || this.hasPostponed || this.#next < this.#arrived.length
  }

  isPostponed(slot: number): boolean {
    return this.#postponed.includes(slot)
  }

  /** Receives all that has come. */
  look(): void {
    if (this.#postponed.length > 0) this.#append(splice(this.#postponed, 0))
    this.#completionQueues.empty(this.#number, this.#append)
    while (this.#next < this.#arrived.length) this.#receive(this.#arrived[this.#next++] as number)
    if (this.#arrived.length > 0) {
      this.#arrived = []
      this.#next = 0
    }
  }

  /** An attachment of this slot has not come yet. */
  postpone(slot: number): void {
    push(this.#postponed, slot)
  }

  /** Nothing more comes for the slots that were postponed. */
  dropPostponed(): void {
    this.#postponed = []
  }
}
