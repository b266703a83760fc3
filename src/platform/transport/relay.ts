import { OwnMap, OwnSet } from "../../primordials.ts"
import type { Loan, Recall } from "./lending.ts"
import type { Channel } from "./channel.ts"
import type { KnownThings } from "./references.ts"

/** How many objects of a guest, the latest, are passed on to a new thread. The thread has to ask for others. */
const MOST = 1024

/**
 * Passes on to new threads what guests have lent to the owner of a pool (lending.ts). A guest has no channel to a
 * thread that the owner makes later until the guest reads its ports, which it does not while it blocks or computes. So
 * the owner passes the loans on:
 *
 *     guest                          owner                             new worker
 *     { numbers, things, pool } -->  keeps them, as any borrower
 *     the task
 *                                    { numbers, things, from } ----->  keeps them as loans of the guest
 *     { dropped }               -->  { dropped, from }         ----->  drops them
 *
 * A thread to which a loan was passed on keeps it as long as the guest does: the owner tells the thread when the guest
 * has dropped an object, or has died.
 */
export class Relay {
  readonly #known: KnownThings
  /** By the channel to a guest: the channels over which its loans were passed on. */
  readonly #receivers = new OwnMap<Channel, Set<Channel>>()

  constructor(known: KnownThings) {
    this.#known = known
  }

  /** Passes on what was lent over the first channel; `sending` is called with each object before. */
  passOn(from: Channel, to: Channel, sending: (sent: object, channel: Channel) => void): void {
    const loans = [...this.#known.lentOver(from)].slice(-MOST)
    if (loans.length === 0 || from === to) return
    for (const [, sent] of loans) sending(sent, to)
    const numbers = loans.map(([number]) => number)
    to.post({ numbers, things: loans.map(([, sent]) => sent), from: from.peer } satisfies Loan)
    const receivers = this.#receivers.get(from)
    if (receivers === undefined) this.#receivers.set(from, new OwnSet([to]))
    else receivers.add(to)
  }

  /** The guest at the other end of the channel has dropped these objects. */
  recall(from: Channel, dropped: readonly number[]): void {
    for (const channel of this.#receivers.get(from) ?? []) {
      channel.post({ dropped, from: from.peer } satisfies Recall)
      channel.ring()
    }
  }

  /** The channel is closed: the objects lent over it have to be dropped, too. */
  forget(channel: Channel): void {
    this.recall(
      channel,
      [...this.#known.lentOver(channel)].map(([number]) => number),
    )
    this.#receivers.delete(channel)
    for (const [from, receivers] of this.#receivers)
      if (receivers.delete(channel) && receivers.size === 0) this.#receivers.delete(from)
  }
}
