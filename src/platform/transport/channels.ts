import { readsWhileBlocked } from "#host/runtime/capabilities"
import { OwnMap, OwnSet } from "../../primordials.ts"
import { Bell } from "../../memory/wait/bell.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import { type BlockedWake, WaitList } from "../../memory/flow/wait-list.ts"
import { perThread } from "../../per-thread.ts"
import { cut, Channel, type ChannelEnd, newChannel } from "./channel.ts"
import { Lender, type Loan, type Recall } from "./lending.ts"
import { KnownThings } from "./references.ts"
import { Relay } from "./relay.ts"

/**
 * Sent to the maker (see {@link Channels}): pass this end of a channel on. Sent to the thread `to`: the end is yours.
 */
interface Introduction {
  readonly to: number
  readonly from: number
  readonly end: ChannelEnd
}

/** The end is yours. `worksFor`: the pool for which the thread at the other end works, if any. */
interface Link {
  readonly link: ChannelEnd
  readonly worksFor: number | undefined
}

/** A message for a pool: its identity, and the rest. A list is read in half the time that an object takes. */
export type PoolMessage = readonly [pool: number, ...unknown[]]

export interface Recipient<M extends PoolMessage> {
  arrived(message: M, channel: Channel): void
  /** All messages that have arrived were passed on. */
  settled(): void
  /** The thread at the other end has lent objects, for threads that this one is going to make. */
  lentFor(channel: Channel): void
}

const NO_LINES: ReadonlySet<Channel> = new OwnSet()

const channelsByContext = perThread("channels", () => new WeakMap<ThreadContext, Channels>())

/**
 * The channels of this thread to other threads, and how it receives messages.
 *
 * From the beginning each worker has a channel to the thread that made it, its maker. To reach another worker, because
 * that one has submitted a task, a worker makes a channel and has its maker pass the other end on. It need not wait for
 * that, as a port takes messages before any thread has the other end. So a worker reaches its maker and the threads of
 * the same maker. A thread that corepool has not made has no channel at all.
 *
 * The channels of a thread serve all pools; a message says which pool it is for.
 */
export class Channels {
  /** Where to wait for messages, blocking or not. */
  readonly news: WaitList
  /** The objects that have arrived, and that messages may refer to again. */
  readonly known: KnownThings
  readonly lender: Lender
  readonly relay: Relay
  /** Loads classes of arguments that this thread does not know; a thread that has made a pool knows all of them. */
  loadClasses: () => Promise<void> = () => Promise.resolve()
  /** Called after the thread with this token was asked for arguments, in case it can be made to answer sooner. */
  onAsk: (token: number) => void = () => undefined
  readonly #threadContext: ThreadContext
  readonly #bell: Bell
  readonly #channels = new OwnSet<Channel>()
  /** By pool. */
  readonly #recipients = new OwnMap<number, Recipient<never>>()
  /** The channels to workers of a pool, by pool, as far as they are known. */
  readonly #workers = new OwnMap<number, Set<Channel>>()
  #isLooking = false
  /** Recipients of messages whose `settled` is still to be called. */
  #told = new OwnSet<Recipient<never>>()

  private constructor(threadContext: ThreadContext) {
    this.#threadContext = threadContext
    this.known = new KnownThings(threadContext.registry)
    this.lender = new Lender(this.known)
    this.relay = new Relay(this.known)
    this.#bell = new Bell(threadContext, () => void this.look(), false)
    this.news = new News(this.#bell)
  }

  static of(threadContext: ThreadContext): Channels {
    let channels = channelsByContext.get(threadContext)
    if (channels === undefined) channelsByContext.set(threadContext, (channels = new Channels(threadContext)))
    return channels
  }

  /**
   * A channel to a thread that is about to be made: the end for that thread. Call `hangUp` when the thread has ended.
   */
  begin(pool: number): { readonly channel: Channel; readonly end: ChannelEnd; readonly hangUp: () => void } {
    const [ours, end] = newChannel()
    const channel = this.adopt(ours)
    this.#noteWorker(pool, channel)
    return { channel, end, hangUp: () => this.#drop(channel) }
  }

  /** Takes over an end of a channel. */
  adopt(end: ChannelEnd, peer?: number): Channel {
    const channel = new Channel(end, this.#bell, peer)
    this.#channels.add(channel)
    return channel
  }

  /** The channel to a thread, if there is one. */
  to(token: number): Channel | undefined {
    for (const channel of this.#channels) if (channel.peer === token) return channel
    return undefined
  }

  /**
   * The channel to a thread. If there is none, makes one with the help of the thread `maker`. Undefined if that is not
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

  /** The channels to the workers of a pool. */
  workersOf(pool: number): ReadonlySet<Channel> {
    return this.#workers.get(pool) ?? NO_LINES
  }

  #noteWorker(pool: number, channel: Channel): void {
    const workers = this.#workers.get(pool)
    if (workers === undefined) this.#workers.set(pool, new OwnSet([channel]))
    else workers.add(channel)
  }

  /** Makes a channel between the threads at the other ends of two channels, of which the second works for the pool. */
  link(first: Channel, second: Channel, pool: number): void {
    const [one, other] = newChannel()
    const bothWork = this.workersOf(pool).has(first)
    first.post({ link: one, worksFor: pool } satisfies Link, [one.port])
    second.post({ link: other, worksFor: bothWork ? pool : undefined } satisfies Link, [other.port])
  }

  /** From now on this recipient gets the messages for the pool. */
  enroll<M extends PoolMessage>(pool: number, recipient: Recipient<M>): void {
    this.#recipients.set(pool, recipient)
  }

  /** The pool has terminated: messages that still come for it are dropped. */
  withdraw(pool: number): void {
    this.#recipients.delete(pool)
  }

  /** Reads all messages; true if there were any for a pool. */
  look(): boolean {
    if (this.#isLooking) return false
    this.#readAll()
    const told = this.#told
    if (told.size > 0) this.#told = new OwnSet()
    for (const recipient of told) recipient.settled()
    this.news.signalAll()
    return told.size > 0
  }

  /**
   * Reads all messages in the midst of something that user code must not interrupt: `settled` of the recipients is
   * called later.
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
        const request = channel.takeRequest()
        if (request !== undefined) this.#pass(request, channel, this.#told)
        this.#read(channel, this.#told)
        if (isDead && isRead(channel)) this.#close(channel)
      }
    } finally {
      this.#isLooking = false
    }
  }

  /**
   * Reads the messages that are there now. More may arrive meanwhile, but other channels wait too, and a thread that
   * has sent more has rung.
   */
  #read(channel: Channel, told: Set<Recipient<never>>): void {
    for (let left = channel.mail; left > 0; left--) {
      const message = channel.receive()
      if (message === undefined) return // the other side has died, and its port with it
      if (!Array.isArray(message)) this.#heed(message as Introduction | Link | Loan | Recall, channel)
      else this.#pass(message as unknown as PoolMessage, channel, told)
    }
  }

  #pass(message: PoolMessage, channel: Channel, told: Set<Recipient<never>>): void {
    const recipient = this.#recipients.get(message[0])
    if (recipient === undefined) return // no pool is left that could want it
    told.add(recipient)
    recipient.arrived(message as never, channel)
  }

  #heed(message: Introduction | Link | Loan | Recall, channel: Channel): void {
    if ("link" in message) {
      const adopted = this.adopt(message.link) // #readAll comes to it next
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
      this.adopt(end, from) // #readAll comes to it next
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
    if (isRead(channel)) this.#close(channel) // or else look() does, when the rest has come
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

/** Whether there is nothing left to read. Where messages come by events, some may be under way. */
function isRead(channel: Channel): boolean {
  return readsWhileBlocked || channel.mail === 0
}

/** A list for flows that await, and a bell for a thread that blocks. */
class News extends WaitList {
  readonly #bell: Bell

  constructor(bell: Bell) {
    super()
    this.#bell = bell
  }

  /** The message comes in any case, and is needed whatever happens. */
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
