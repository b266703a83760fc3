import { Bell } from "../../memory/wait/bell.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import { type BlockedWake, WaitList } from "../../memory/flow/wait-list.ts"
import { perThread } from "../../per-thread.ts"
import { cut, Channel, type ChannelEnd, newChannel } from "./channel.ts"
import { Lender, type Loan, type Recall } from "./lending.ts"
import { KnownThings } from "./references.ts"
import { Relay } from "./relay.ts"

/** To the maker: pass this end of a line on. To the one it is for: it is yours. */
interface Introduction {
  readonly to: number
  readonly from: number
  readonly end: ChannelEnd
}

/** It is yours. If the thread at the other end works for a pool: which one. */
interface Link {
  readonly link: ChannelEnd
  readonly worksFor: number | undefined
}

/** A message for a pool: which one it is, and the rest. A list is read in half the time that an object takes. */
export type PoolMessage = readonly [pool: number, ...unknown[]]

export interface Recipient<M extends PoolMessage> {
  arrived(message: M, channel: Channel): void
  /** Everything that has come was handed over. */
  settled(): void
  /** The thread at the other end has lent something, for threads that this one is going to make. */
  lentFor(channel: Channel): void
}

const NO_LINES: ReadonlySet<Channel> = new Set()

const linesByLife = perThread("lines", () => new WeakMap<ThreadContext, Channels>())

/**
 * The lines of this thread to others, and how it hears what comes over them.
 *
 * There is a line from each worker to the thread that made it, from the beginning. If a worker has to do with another
 * one, because that has submitted the task, it makes a line and has its maker pass the other end on; it need not wait
 * for that, as a port takes messages before anybody has the other one. So who can be reached is who has the same maker,
 * or is the maker. A thread that was not made by corepool has no line at all.
 *
 * A thread has these lines whatever the pools are; a message says which pool it is for.
 */
export class Channels {
  /** Where to wait for messages, in either way. */
  readonly news: WaitList
  /** What has come over them, and may be spoken of again. */
  readonly known: KnownThings
  readonly lender: Lender
  readonly relay: Relay
  readonly #threadContext: ThreadContext
  readonly #bell: Bell
  readonly #channels = new Set<Channel>()
  /** By pool. */
  readonly #recipients = new Map<number, Recipient<never>>()
  /** The lines to threads of a pool, by pool, as far as they are known. */
  readonly #workers = new Map<number, Set<Channel>>()
  #isLooking = false
  /** Those for which something has come, and that have yet to be told. */
  #told = new Set<Recipient<never>>()

  private constructor(threadContext: ThreadContext) {
    this.#threadContext = threadContext
    this.known = new KnownThings(threadContext.registry)
    this.lender = new Lender(this.known)
    this.relay = new Relay(this.known)
    this.#bell = new Bell(threadContext, () => void this.look(), false)
    this.news = new News(this.#bell)
  }

  static of(threadContext: ThreadContext): Channels {
    let channels = linesByLife.get(threadContext)
    if (channels === undefined) linesByLife.set(threadContext, (channels = new Channels(threadContext)))
    return channels
  }

  /** A line to a thread that is about to be made: the end for it. `hangUp` when it has ended. */
  begin(pool: number): { readonly channel: Channel; readonly end: ChannelEnd; readonly hangUp: () => void } {
    const [ours, end] = newChannel()
    const channel = this.adopt(ours)
    this.#noteWorker(pool, channel)
    return { channel, end, hangUp: () => this.#drop(channel) }
  }

  /** Takes over an end. */
  adopt(end: ChannelEnd, peer?: number): Channel {
    const channel = new Channel(end, this.#bell, peer)
    this.#channels.add(channel)
    return channel
  }

  /** The line to a thread, if there is one. */
  to(token: number): Channel | undefined {
    for (const channel of this.#channels) if (channel.peer === token) return channel
    return undefined
  }

  /**
   * The line to a thread: a new one, with the help of another thread, if there is none. Undefined if that is not
   * possible.
   */
  reach(token: number, maker: number): Channel | undefined {
    const known = this.to(token)
    if (known !== undefined) return known
    const broker = this.to(maker)
    if (broker === undefined) return undefined
    const [ours, end] = newChannel()
    const channel = this.adopt(ours, token)
    broker.post({ to: token, from: this.#threadContext.token, end } satisfies Introduction, [end.port])
    broker.ring()
    return channel
  }

  /** The lines to the threads of a pool. */
  workersOf(pool: number): ReadonlySet<Channel> {
    return this.#workers.get(pool) ?? NO_LINES
  }

  #noteWorker(pool: number, channel: Channel): void {
    const workers = this.#workers.get(pool)
    if (workers === undefined) this.#workers.set(pool, new Set([channel]))
    else workers.add(channel)
  }

  /** Makes a line between the threads at the other ends of two lines, of which the second works for the pool. */
  link(first: Channel, second: Channel, pool: number): void {
    const [one, other] = newChannel()
    const bothWork = this.workersOf(pool).has(first)
    first.post({ link: one, worksFor: pool } satisfies Link, [one.port])
    second.post({ link: other, worksFor: bothWork ? pool : undefined } satisfies Link, [other.port])
  }

  /** From now on the messages for this pool go there. */
  enroll<M extends PoolMessage>(pool: number, recipient: Recipient<M>): void {
    this.#recipients.set(pool, recipient)
  }

  /** The pool has ended: messages for it that come all the same are dropped. */
  withdraw(pool: number): void {
    this.#recipients.delete(pool)
  }

  /** Reads what has come; true if there was something for somebody. */
  look(): boolean {
    if (this.#isLooking) return false
    this.#readAll()
    const told = this.#told
    if (told.size > 0) this.#told = new Set()
    for (const recipient of told) recipient.settled()
    this.news.signalAll()
    return told.size > 0
  }

  /**
   * Reads what has come in the midst of something else, which the user's code is not to interrupt: the recipients are
   * told later.
   */
  listen(): void {
    if (this.#isLooking) return
    this.#readAll()
    if (this.#told.size > 0) this.#threadContext.wake(this.#threadContext.token, this.#bell.index)
  }

  #readAll(): void {
    this.#isLooking = true
    try {
      for (const channel of this.#channels) {
        const isDead = channel.isDead // before the last look: nothing comes after that
        this.#read(channel, this.#told)
        if (isDead) this.#close(channel)
      }
    } finally {
      this.#isLooking = false
    }
  }

  /**
   * What there is now: more may come while it is read, but others are waiting too, and who has posted more has rung.
   */
  #read(channel: Channel, told: Set<Recipient<never>>): void {
    for (let left = channel.mail; left > 0; left--) {
      const message = channel.receive()
      if (message === undefined) return // the other side has died, and its port with it
      if (!Array.isArray(message)) this.#heed(message as Introduction | Link | Loan | Recall, channel)
      else {
        const recipient = this.#recipients.get(message[0] as number)
        if (recipient === undefined) continue // nobody is left who could want it
        told.add(recipient)
        recipient.arrived(message as never, channel)
      }
    }
  }

  #heed(message: Introduction | Link | Loan | Recall, channel: Channel): void {
    if ("link" in message) {
      const adopted = this.adopt(message.link) // which is looked at next
      if (message.worksFor !== undefined) this.#noteWorker(message.worksFor, adopted)
    } else if ("things" in message) {
      this.known.borrow(message.from ?? channel, message.numbers, message.things)
      if (message.pool !== undefined) this.#recipients.get(message.pool)?.lentFor(channel)
    } else if ("dropped" in message) {
      this.relay.recall(channel, message.dropped)
      this.known.giveBack(message.from ?? channel, message.dropped)
    } else this.#introduce(message)
  }

  #introduce({ to, from, end }: Introduction): void {
    if (to === this.#threadContext.token) {
      this.adopt(end, from) // which is looked at next
      return
    }
    const channel = this.to(to)
    if (channel === undefined) cut(end, (token, bell) => this.#threadContext.wake(token, bell))
    else {
      channel.post({ to, from, end } satisfies Introduction, [end.port])
      channel.ring()
    }
  }

  #drop(channel: Channel): void {
    this.look()
    this.#close(channel)
  }

  #close(channel: Channel): void {
    this.#channels.delete(channel)
    for (const [pool, workers] of this.#workers)
      if (workers.delete(channel) && workers.size === 0) this.#workers.delete(pool)
    this.lender.forget(channel)
    this.relay.forget(channel)
    this.known.giveAllBack(channel)
    channel.close()
  }
}

/** A list for flows that await, and a bell for a thread that blocks. */
class News extends WaitList {
  readonly #bell: Bell

  constructor(bell: Bell) {
    super()
    this.#bell = bell
  }

  /** What is waited for comes in any case, and is needed whatever happens. */
  override get interruptible(): boolean {
    return false
  }

  override get limited(): boolean {
    return false
  }

  override get isLocal(): boolean {
    return false
  }

  override block(flow: Flow, ms: number): BlockedWake {
    return this.#bell.block(flow, ms)
  }
}
