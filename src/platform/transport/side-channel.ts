import { canBlock, readsWhileBlocked } from "#host/runtime/capabilities"
import { OwnMap, OwnSet } from "../../primordials.ts"
import { NotSerializableError, ThreadDeathError } from "../../errors.ts"
import { bulkOf } from "../../codec/bytes/bulk.ts"
import { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import { mainFlow } from "../../memory/flow/flow.ts"
import { awaiting, blocking, SIGNALLED, type Steps } from "../../memory/flow/waiting.ts"
import { now } from "../../time/timer.ts"
import { perThread } from "../../per-thread.ts"
import type { Channel, ChannelEnd } from "./channel.ts"
import { Channels, type Recipient } from "./channels.ts"
import { DEAF, REACHABLE } from "../memory/layout.ts"
import { type PoolHandle, PoolMemory } from "../memory/pool-memory.ts"
import { isFirstTask } from "../memory/workers/worker-line.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** What goes by message, beside the record of a task. */
export interface Attachments {
  /** The objects that cannot be encoded. */
  readonly things: readonly object[]
  /** The encoded value, if the record had no room for it. */
  readonly encoded?: PostedValue | undefined
  /** The bulk parts of the encoded value, wherever that value is. */
  readonly bulk?: readonly ArrayBuffer[] | undefined
  /**
   * For each object of an outcome: its place among the objects that the task was called with, from 1 on; or 0 if the
   * object was sent.
   */
  readonly echoes?: readonly number[] | undefined
  /** Why there is nothing. */
  readonly refusal?: string | undefined
}

export interface PostedValue {
  readonly bytes: ArrayBuffer
  readonly kind: number
  readonly length: number
}

/** The handle of the task, and its attachments; without attachments the message is a request for them. */
type Message =
  | readonly [pool: number, task: number]
  | readonly [
      pool: number,
      task: number,
      things: Attachments["things"],
      encoded: Attachments["encoded"],
      echoes: Attachments["echoes"],
      refusal: Attachments["refusal"],
      bulk: Attachments["bulk"],
    ]

/** Has the arguments that other threads may request. */
export interface Sender {
  /** Sends the attachments of the task over this channel. */
  send(handle: number, channel: Channel): void
  /** The same, for a task that runs in the thread that has submitted it. */
  handOver(handle: number): Attachments
  /** Attachments have arrived. */
  look(): void
  /** The shared objects of all tasks that are not over. */
  readonly shared: readonly object[]
}

/** The most channels between guests and workers of a pool: all pairs of 22 threads. */
const MOST_LINKS = 256

/** How long a worker blocks for attachments before it lets its event loop run, in ms. */
const LINGER = 2

/**
 * By the identity of the pool, until the pool has terminated. (Not by WeakRefs: those keep new objects alive until the
 * thread returns to its event loop.)
 */
const sideChannels = perThread("side channels", () => new OwnMap<number, SideChannel>())

/**
 * What goes by message beside the records of a pool's tasks: arguments that the submitter keeps until a worker has
 * taken the task and asks for them, and outcomes that cannot be encoded.
 *
 *     worker                          submitter
 *     takes the task
 *     request          ------------>  looks up what it has kept
 *     reads it         <------------  { attachments }
 *     runs the task
 *     { attachments }  ------------>
 *     settles the record, and puts it into the submitter's completion queue
 *
 * A thread sends attachments before the record says so. So a submitter that finds a task in its completion queue finds
 * the attachments too; except that the end of a new channel between two workers may still be on its way to one of them.
 *
 * A thread has one side channel for each pool that it works for or submits to.
 */
export class SideChannel implements Recipient<Message> {
  /** Must be set before this thread submits. */
  sender: Sender | undefined
  readonly channels: Channels
  readonly #memory: PoolMemory
  readonly #pool: number
  /**
   * The channels to guests, threads to which this one has sent the pool; and which pairs of a guest and a worker have a
   * channel.
   */
  readonly #guests = new OwnSet<Channel>()
  #links: (readonly [guest: Channel, worker: Channel])[] = []
  /** By the handle of their tasks. */
  readonly #arrived = new OwnMap<number, Attachments>()

  private constructor(memory: PoolMemory) {
    this.#memory = memory
    this.#pool = memory.identity
    this.channels = Channels.of(memory.threadContext)
    this.channels.lender.sending = (sent, channel) => SideChannel.#sending(sent, channel)
    this.channels.enroll(this.#pool, this)
  }

  /** The side channel of this thread. */
  static of(memory: PoolMemory): SideChannel {
    let sideChannel = sideChannels.get(memory.identity)
    if (sideChannel === undefined) sideChannels.set(memory.identity, (sideChannel = new SideChannel(memory)))
    return sideChannel
  }

  /**
   * A channel to a worker that is about to be made: the end for the worker, with all that it may need. Call `hangUp`
   * when the worker has ended.
   */
  begin(): { readonly end: ChannelEnd; readonly hangUp: () => void } {
    const { channel, end, hangUp } = this.channels.begin(this.#pool)
    this.#introduceGuests(channel)
    this.channels.lender.lend(channel, this.sender?.shared ?? [])
    return {
      end,
      hangUp: () => {
        hangUp()
        this.#unlink()
      },
    }
  }

  /**
   * Gives each guest a channel to a worker that is about to be made, and gives the worker what guests have lent for it.
   * In this order: a guest first lends to this thread and then looks for channels. So if the guest did not find the
   * channel, this thread finds the loan.
   */
  #introduceGuests(worker: Channel): void {
    let guests: number
    do {
      guests = this.#guests.size
      for (const guest of this.#guests) this.#link(guest, worker)
      this.channels.listen() // there may be guests that this thread did not know of
    } while (this.#guests.size > guests)
    for (const guest of this.#guests) this.channels.relay.passOn(guest, worker, this.channels.lender.sending)
  }

  /**
   * Lends shared objects to all workers to which there is a channel, before a task refers to them; and to the owner,
   * for workers to which there is none.
   */
  lend(things: readonly object[]): void {
    if (!this.isOwner) {
      const owner = this.channels.to(this.#memory.owner)
      if (owner !== undefined) this.channels.lender.lend(owner, things, this.#pool)
      this.channels.look() // for channels to new threads
    }
    for (const channel of this.channels.workersOf(this.#pool)) this.channels.lender.lend(channel, things)
  }

  get isOwner(): boolean {
    return this.#memory.owner === this.#memory.threadContext.token
  }

  // ------------------------------------------------------------------ guests

  /**
   * This thread, the owner, is about to send the pool over this channel. The thread at the other end may then submit to
   * the pool. It gets a channel to each worker, so that it does not need this thread for that later.
   */
  admit(guest: Channel): void {
    if (this.#guests.has(guest)) return
    this.#guests.add(guest)
    for (const worker of this.channels.workersOf(this.#pool)) this.#link(guest, worker)
  }

  #link(guest: Channel, worker: Channel): void {
    if (guest === worker || guest.isDead || this.#links.length >= MOST_LINKS) return
    // Two workers need only one channel.
    if (this.#links.some((link) => link.includes(guest) && link.includes(worker))) return
    this.#links.push([guest, worker])
    this.channels.link(guest, worker, this.#pool)
  }

  /** Forgets the channels to threads that have ended. */
  #unlink(): void {
    this.#links = this.#links.filter(([guest, worker]) => !guest.isDead && !worker.isDead)
    for (const guest of this.#guests) if (guest.isDead) this.#guests.delete(guest)
  }

  /** Admits the receiver as a guest, if a pool of this thread is being sent, open or wrapped. */
  static #sending(sent: object, channel: Channel): void {
    const { inner } = sent as { inner?: object }
    if (inner !== undefined) SideChannel.#sending(inner, channel)
    else if ("texts" in sent) {
      const sideChannel = sideChannels.get(PoolMemory.identityOf(sent as PoolHandle))
      if (sideChannel?.isOwner === true) sideChannel.admit(channel)
    }
  }

  /** The pool has terminated, and this thread has received all its tasks. */
  close(): void {
    sideChannels.delete(this.#pool)
    this.channels.withdraw(this.#pool)
  }

  /** Whether the workers of the pool can send messages to this thread. */
  get isReachable(): boolean {
    const { owner, threadContext } = this.#memory
    return owner === 0 || owner === threadContext.token || this.channels.to(owner) !== undefined // 0: being made, here
  }

  /**
   * Whether this thread has to start the thread that is to run the task: none has begun, or it is the first task of one
   * that has not.
   */
  isStarting(slot: number): boolean {
    if (!this.isOwner) return false
    const hasBegun = [...this.channels.workersOf(this.#pool)].some(({ peer, isDead }) => peer !== 0 && !isDead)
    return !hasBegun || isFirstTask(this.#memory, slot)
  }

  /** What this thread can be sent: bits of the FLAGS of its tasks. */
  get reach(): number {
    return this.isReachable ? REACHABLE | (canBlock && !readsWhileBlocked ? DEAF : 0) : 0
  }

  // ------------------------------------------------------------------ sending

  /**
   * Sends attachments to the thread with this token, or over a channel. Throws what the runtime throws if it cannot
   * send them.
   */
  send(to: number | Channel, task: number, attachments: Attachments, transfer: readonly object[] = []): Channel {
    const channel = typeof to === "number" ? this.#channelTo(to) : to
    const { things, encoded, echoes, refusal, bulk } = attachments
    const bytes = encoded === undefined ? bulk : [encoded.bytes, ...(bulk ?? [])]
    const all = bytes === undefined ? transfer : [...transfer, ...bytes]
    channel.post([this.#pool, task, things, encoded, echoes, refusal, bulk] satisfies Message, all)
    return channel
  }

  /** The same to this thread itself. */
  keep(task: number, attachments: Attachments): void {
    this.#arrived.set(task, attachments)
  }

  #channelTo(token: number): Channel {
    const channel = this.channels.reach(token, this.#memory.owner)
    if (channel === undefined) throw new NotSerializableError(OUT_OF_REACH)
    return channel
  }

  // ------------------------------------------------------------------ receiving

  arrived([, task, things, encoded, echoes, refusal, bulk]: Message, channel: Channel): void {
    if (things === undefined) this.sender?.send(task, channel)
    else this.#arrived.set(task, { things, encoded, echoes, refusal, bulk })
  }

  settled(): void {
    this.sender?.look()
  }

  lentFor(channel: Channel): void {
    if (this.isOwner) this.admit(channel)
  }

  /** The attachments of the task, if they have arrived; only once. */
  take(task: number): Attachments | undefined {
    if (!this.#arrived.has(task)) this.channels.look()
    const attachments = this.#arrived.get(task)
    this.#arrived.delete(task)
    return attachments
  }

  /** Drops the attachments: no thread is going to take them. */
  forget(task: number): void {
    if (this.#arrived.size > 0) this.#arrived.delete(task)
  }

  /**
   * Requests the attachments of a task from the thread with this token; returns the channel over which they will come.
   */
  ask(task: number, token: number): Channel {
    const channel = this.#channelTo(token)
    channel.ask(this.#pool, task)
    channel.ring()
    return channel
  }

  /**
   * Blocks the thread for a moment until the attachments are here: a blocked thread is woken faster. Undefined if they
   * have not arrived.
   */
  linger(task: number, channel: Channel): Attachments | undefined {
    const end = now() + LINGER
    for (;;) {
      const attachments = this.#look(task, channel)
      if (attachments !== undefined) return attachments
      const left = end - now()
      if (left <= 0 || this.channels.news.block(mainFlow, left) !== SIGNALLED) return undefined
    }
  }

  /** Blocks the thread until they are here. */
  block(task: number, channel: Channel): Attachments {
    return blocking(this.#waiting(task, channel)) as Attachments
  }

  /** Waits until they are here. */
  wait(task: number, channel: Channel): Promise<Attachments>
  /** Waits until they are here, or are not needed any more: then they are undefined. */
  wait(task: number, channel: Channel, isNeedless: () => boolean): Promise<Attachments | undefined>
  wait(task: number, channel: Channel, isNeedless?: () => boolean): Promise<Attachments | undefined> {
    return awaiting(this.#waiting(task, channel, isNeedless))
  }

  *#waiting(task: number, channel: Channel, isNeedless?: () => boolean): Steps<Attachments | undefined> {
    for (;;) {
      if (isNeedless?.() === true) return undefined
      const attachments = this.#look(task, channel)
      if (attachments !== undefined) return attachments
      yield this.channels.news
    }
  }

  /** Throws if they will never come. */
  #look(task: number, channel: Channel): Attachments | undefined {
    const { isDead } = channel // read it before the last look
    const attachments = this.take(task)
    if (attachments?.refusal !== undefined) throw new NotSerializableError(attachments.refusal)
    if (attachments !== undefined) return attachments
    if (channel.isOutOfReach) throw new NotSerializableError(OUT_OF_REACH)
    if (isDead) throw new ThreadDeathError("The thread that submitted the task has ended, and its arguments with it")
    return undefined
  }
}

const OUT_OF_REACH =
  "What cannot be written down as bytes can be sent only between threads of corepool that were made by the same thread, and that thread"

/** The encoded value of the task in this slot, from its attachments, if there are any, and from its record. */
export function encodedOf(
  slot: number,
  tasks: TaskRecords,
  attachments: Pick<Attachments, "encoded" | "bulk"> | undefined,
): EncodedValue {
  const posted = attachments?.encoded
  const encoded = posted === undefined ? tasks.read(slot) : EncodedValue.over(posted.bytes, posted.kind, posted.length)
  if (attachments?.bulk !== undefined) encoded.bulkSource = bulkOf(attachments.bulk)
  return encoded
}

/**
 * An encoded value for which the record has no room. Its memory is moved, so it must not be used any more. Its bulk
 * parts go beside it.
 */
export function asPosted({ bytes, kind, length }: EncodedValue): PostedValue {
  return { bytes: bytes.buffer as ArrayBuffer, kind, length }
}
