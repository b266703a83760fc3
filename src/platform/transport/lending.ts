import { OwnMap, OwnSet, push, splice } from "../../primordials.ts"
import { noteSharedBytes } from "../../memory/reservation.ts"
import { sharedBytesIn } from "../../memory/shared/shareables.ts"
import { runtime } from "#host/runtime/clock"
import type { Channel } from "./channel.ts"
import { type KnownThings, toPost } from "./references.ts"

/** The message of a loan. */
export interface Loan {
  readonly numbers: readonly number[]
  readonly things: readonly object[]
  /** If the loan is for threads that the receiver is going to make for its pool: the identity of that pool. */
  readonly pool?: number
  /** If the loan is passed on (relay.ts): the token of the lender. */
  readonly from?: number
}

export interface Recall {
  readonly dropped: readonly number[]
  /** As in {@link Loan}. */
  readonly from?: number
}

/** How many messages with loans may be unread, and how much memory: a thread that computes for hours reads nothing. */
const MOST_UNREAD = 1024
const MOST_BYTES = 2 ** 26

/** After this many the worker is rung, and reads them if it is idle. */
const REMIND = 64

/** What was lent to one thread. */
interface Loans {
  readonly numbers: Set<number>
  /** Messages that were unread at the last check: the number and the size of each. */
  readonly unread: Unread[]
  /** The size of all of them. */
  bytes: number
}

interface Unread {
  readonly message: number
  readonly bytes: number
}

/**
 * Lends shared objects to the workers of a pool: sends them before the task that needs them is in the queue. A worker
 * that takes the task finds them in its own port and need not ask the submitter, which may block or compute for long.
 *
 *     submitter                                    each worker
 *     { numbers, things }            ----------->  reads them when it meets a number that it does not know
 *     the task, with the numbers
 *     …has dropped a thing: { dropped }  ------->  drops it too
 *
 * A guest of the pool also lends them to the owner, for workers that are made later (relay.ts).
 *
 * Each object is sent once to each worker. The worker keeps it until the submitter reports that it has dropped it:
 * memory that the submitter keeps anyway costs nothing more. Unread loans are bounded in number and in size; beyond
 * that nothing is lent to this worker, and it has to ask (side-channel.ts).
 */
export class Lender {
  readonly #known: KnownThings
  readonly #loans = new OwnMap<Channel, Loans>()
  readonly #noted = new WeakSet()
  readonly #registry = new FinalizationRegistry<number>((number) => this.#drop(number))
  /** Called with each object, as it is sent, before it is. */
  sending: (sent: object, channel: Channel) => void = () => undefined
  /** Numbers of collected objects, that the borrowers do not know yet. */
  #dropped: number[] = []

  constructor(known: KnownThings) {
    this.#known = known
  }

  /**
   * Lends the objects that the thread at the other end does not have yet. With `pool`, the loan is for threads that it
   * makes for that pool.
   */
  lend(channel: Channel, things: readonly object[], pool?: number): void {
    const loans = this.#loansOf(channel)
    const isNew = (thing: object): boolean => !loans.numbers.has(this.#known.numberOf(thing))
    if (!things.some(isNew)) return
    const fresh = things.filter(isNew)
    this.#settle(channel, loans)
    if (loans.unread.length >= MOST_UNREAD || loans.bytes >= MOST_BYTES) return
    const sent = fresh.map(toPost)
    const bytes = sent.reduce((sum, thing) => sum + sharedBytesIn(thing), 0)
    const numbers = fresh.map((thing) => this.#known.numberOf(thing))
    if (pool === undefined) for (const thing of sent) this.sending(thing, channel)
    const loan: Loan = pool === undefined ? { numbers, things: sent } : { numbers, things: sent, pool }
    const message = channel.post(loan)
    push(loans.unread, { message, bytes })
    loans.bytes += bytes
    for (const [i, thing] of fresh.entries()) {
      loans.numbers.add(numbers[i] as number)
      this.#note(thing, numbers[i] as number, sent[i] as object)
    }
    if (loans.unread.length % REMIND === 0) channel.ring()
  }

  /** The channel is closed. */
  forget(channel: Channel): void {
    this.#loans.delete(channel)
  }

  #loansOf(channel: Channel): Loans {
    let loans = this.#loans.get(channel)
    if (loans === undefined) this.#loans.set(channel, (loans = { numbers: new OwnSet(), unread: [], bytes: 0 }))
    return loans
  }

  /** Strikes out the messages that have been read. */
  #settle(channel: Channel, loans: Loans): void {
    const { unread } = loans
    let read = 0
    for (; read < unread.length; read++) {
      const { message, bytes } = unread[read] as Unread
      if (channel.isUnread(message)) break
      loans.bytes -= bytes
    }
    splice(unread, 0, read)
  }

  /** Once for each object. */
  #note(thing: object, number: number, sent: object): void {
    if (this.#noted.has(thing)) return
    this.#noted.add(thing)
    this.#registry.register(thing, number)
    noteSharedBytes(sharedBytesIn(sent)) // so that the collector finds out when it is dropped
  }

  // ------------------------------------------------------------------ the end of a loan

  /** The collector announces objects one by one; the borrowers get one message for all of them. */
  #drop(number: number): void {
    if (push(this.#dropped, number) === 1) runtime.microtask(() => this.#tell())
  }

  #tell(): void {
    const all = this.#dropped
    this.#dropped = []
    for (const [channel, { numbers }] of this.#loans) {
      const dropped = all.filter((number) => numbers.delete(number))
      if (dropped.length === 0) continue
      channel.post({ dropped } satisfies Recall)
      channel.ring()
    }
  }
}
