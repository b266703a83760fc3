import { noteSharedBytes } from "../../memory/reservation.ts"
import { sharedBytesIn } from "../../memory/shared/shareables.ts"
import { runtime } from "../../time/runtime.ts"
import type { Channel } from "./channel.ts"
import { type KnownThings, toPost } from "./references.ts"

/** What is posted. */
export interface Loan {
  readonly numbers: readonly number[]
  readonly things: readonly object[]
  /** If it is for the threads that the receiver is going to make for its pool: which pool. */
  readonly pool?: number
  /** If it is passed on (relay.ts): the token of the lender. */
  readonly from?: number
}

export interface Recall {
  readonly dropped: readonly number[]
  /** As of a loan. */
  readonly from?: number
}

/** How many messages with loans may lie unread, and how much memory: a thread that computes for hours reads nothing. */
const MOST_UNREAD = 1024
const MOST_BYTES = 2 ** 26

/** After so many the worker is made to read them, if it is idle. */
const REMIND = 64

/** What one thread was lent. */
interface Loans {
  readonly numbers: Set<number>
  /** Messages that had not been read when this was looked at last: which one, and how large. */
  readonly unread: Unread[]
  /** Their size. */
  bytes: number
}

interface Unread {
  readonly message: number
  readonly bytes: number
}

/**
 * Shared things are sent to the workers of a pool before the task that needs them is in its queue: they are lent. A
 * worker that takes the task finds them in its own port, so that it need not ask its submitter, which may block or
 * compute for long.
 *
 *     submitter                                    each worker
 *     { numbers, things }            ----------->  reads them when it meets a number that it does not know
 *     the task, with the numbers
 *     …has dropped a thing: { dropped }  ------->  drops it too
 *
 * A guest of the pool lends them to its owner as well, for workers that are made later (relay.ts).
 *
 * Each thing is posted once to each worker. A worker keeps it until it hears that the submitter has dropped it: what
 * the submitter has anyway costs nothing more. What has been posted and not read yet is bounded, by number and by size;
 * beyond that nothing is lent to this worker, and it has to ask (side-channel.ts).
 */
export class Lender {
  readonly #known: KnownThings
  readonly #loans = new Map<Channel, Loans>()
  readonly #noted = new WeakSet()
  readonly #registry = new FinalizationRegistry<number>((number) => this.#drop(number))
  /** Told of each thing, as it is posted, before it is. */
  sending: (sent: object, channel: Channel) => void = () => undefined
  /** Numbers of things that are gone, which is yet to be told. */
  #dropped: number[] = []

  constructor(known: KnownThings) {
    this.#known = known
  }

  /**
   * Lends those of the things that the thread at the other end of the line has not got; for the threads of its pool, if
   * that is said.
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
    loans.unread.push({ message, bytes })
    loans.bytes += bytes
    for (const [i, thing] of fresh.entries()) {
      loans.numbers.add(numbers[i] as number)
      this.#note(thing, numbers[i] as number, sent[i] as object)
    }
    if (loans.unread.length % REMIND === 0) channel.ring()
  }

  /** The line is no more. */
  forget(channel: Channel): void {
    this.#loans.delete(channel)
  }

  #loansOf(channel: Channel): Loans {
    let loans = this.#loans.get(channel)
    if (loans === undefined) this.#loans.set(channel, (loans = { numbers: new Set(), unread: [], bytes: 0 }))
    return loans
  }

  /** Strikes out what has been read. */
  #settle(channel: Channel, loans: Loans): void {
    const { unread } = loans
    let read = 0
    for (; read < unread.length; read++) {
      const { message, bytes } = unread[read] as Unread
      if (channel.isUnread(message)) break
      loans.bytes -= bytes
    }
    unread.splice(0, read)
  }

  /** Once for each thing. */
  #note(thing: object, number: number, sent: object): void {
    if (this.#noted.has(thing)) return
    this.#noted.add(thing)
    this.#registry.register(thing, number)
    noteSharedBytes(sharedBytesIn(sent)) // so that the collector finds out when it is dropped
  }

  // ------------------------------------------------------------------ the end of a loan

  /** The collector tells of one thing after the other; the others are told of all at once. */
  #drop(number: number): void {
    if (this.#dropped.push(number) === 1) runtime.microtask(() => this.#tell())
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
