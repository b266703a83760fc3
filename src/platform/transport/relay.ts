import type { Loan, Recall } from "./lending.ts"
import type { Channel } from "./channel.ts"
import type { KnownThings } from "./references.ts"

/** So many things of a guest, the latest, are passed on to a new thread. It has to ask for others. */
const MOST = 1024

/**
 * What guests have lent to the owner of a pool (lending.ts), for threads that the owner makes later. A guest has no
 * line to such a thread before it reads its ports, which it does not while it blocks or computes. So the owner passes
 * the loans on:
 *
 *     guest                          owner                             new worker
 *     { numbers, things, pool } -->  keeps them, as it was lent them
 *     the task
 *                                    { numbers, things, from } ----->  keeps them as those of the guest
 *     { dropped }               -->  { dropped, from }         ----->  drops them
 *
 * A thread that was passed on a loan keeps it as long as the guest does: the owner tells it when the guest has dropped
 * a thing, or has died.
 */
export class Relay {
  readonly #known: KnownThings
  /** By the line to a guest: the lines over which something of it was passed on. */
  readonly #receivers = new Map<Channel, Set<Channel>>()

  constructor(known: KnownThings) {
    this.#known = known
  }

  /** Passes on what was lent over the first line; `sending` is told of each thing before. */
  passOn(from: Channel, to: Channel, sending: (sent: object, channel: Channel) => void): void {
    const loans = [...this.#known.lentOver(from)].slice(-MOST)
    if (loans.length === 0 || from === to) return
    for (const [, sent] of loans) sending(sent, to)
    const numbers = loans.map(([number]) => number)
    to.post({ numbers, things: loans.map(([, sent]) => sent), from: from.peer } satisfies Loan)
    const receivers = this.#receivers.get(from)
    if (receivers === undefined) this.#receivers.set(from, new Set([to]))
    else receivers.add(to)
  }

  /** The guest at the other end of the line has dropped these. */
  recall(from: Channel, dropped: readonly number[]): void {
    for (const channel of this.#receivers.get(from) ?? []) {
      channel.post({ dropped, from: from.peer } satisfies Recall)
      channel.ring()
    }
  }

  /** The line is no more: what was lent over it is to be dropped, too. */
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
