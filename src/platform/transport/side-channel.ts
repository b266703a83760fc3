import { NotSerializableError, ThreadDeathError } from "../../errors.ts"
import { bulkOf } from "../../codec/bytes/bulk.ts"
import { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import { mainFlow } from "../../memory/flow/flow.ts"
import { awaiting, blocking, SIGNALLED, type Steps } from "../../memory/flow/waiting.ts"
import { now } from "../../time/timer.ts"
import { perThread } from "../../per-thread.ts"
import type { Channel, ChannelEnd } from "./channel.ts"
import { Channels, type Recipient } from "./channels.ts"
import { type PoolHandle, PoolMemory } from "../memory/pool-memory.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** What goes beside a record. */
export interface Attachments {
  /** What could not be written down. */
  readonly things: readonly object[]
  /** The letter, if there was no room for it in the record. */
  readonly encoded?: PostedValue | undefined
  /** What belongs to the letter, wherever that is, and is not in its bytes. */
  readonly bulk?: readonly ArrayBuffer[] | undefined
  /**
   * Of all things that belong to an outcome: which of those that the task was given, counted from 1, or 0 if it was
   * posted.
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

/** The handle of the task, and then the parcel; if there is none, it is what is asked for. */
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

/** Who has something to hand out; undefined if it has not got it. */
export interface Sender {
  /** RunningTasks the parcel of the task to this line. */
  send(handle: number, channel: Channel): void
  /** For a task that is run in the thread that has submitted it. */
  handOver(handle: number): Attachments
  /** Parcels have come. */
  look(): void
  /** The shared things of all tasks that are not over. */
  readonly shared: readonly object[]
}

/** So many lines between guests and workers are made for a pool: all pairs of 22 threads. */
const MOST_LINKS = 256

/** How long a worker blocks for a parcel before it lets its event loop go on, in ms. */
const LINGER = 2

/**
 * By the identity of the pool, until it has ended. (Not by WeakRefs: they keep what is new until the thread returns to
 * its event loop.)
 */
const offices = perThread("post offices", () => new Map<number, SideChannel>())

/**
 * What of a pool's tasks goes from thread to thread beside their records: arguments that their submitter keeps until
 * somebody has taken the task and asks for them, and outcomes that cannot be written down.
 *
 *     worker                          submitter
 *     takes the task
 *     { ask }          ------------>  looks for what it has kept
 *     reads it         <------------  { parcel }
 *     runs the task
 *     { parcel }       ------------>
 *     settles the record, and puts it into the submitter's box
 *
 * A parcel is posted before the record says so. So who has found a task in its box finds the parcel too; except that a
 * line between two workers may still be on its way to one of them.
 *
 * One for each pool that a thread has to do with, whether as a worker or as a submitter or both.
 */
export class SideChannel implements Recipient<Message> {
  /** Has to be set by whoever submits. */
  sender: Sender | undefined
  readonly channels: Channels
  readonly #memory: PoolMemory
  readonly #pool: number
  /**
   * The lines to threads that were sent the pool by this one, and between which of them and which workers there are
   * lines.
   */
  readonly #guests = new Set<Channel>()
  #links: (readonly [guest: Channel, worker: Channel])[] = []
  /** By the handle of their tasks. */
  readonly #arrived = new Map<number, Attachments>()

  private constructor(memory: PoolMemory) {
    this.#memory = memory
    this.#pool = memory.identity
    this.channels = Channels.of(memory.threadContext)
    this.channels.lender.sending = (sent, channel) => SideChannel.#sending(sent, channel)
    this.channels.enroll(this.#pool, this)
  }

  /** The one of this thread. */
  static of(memory: PoolMemory): SideChannel {
    let sideChannel = offices.get(memory.identity)
    if (sideChannel === undefined) offices.set(memory.identity, (sideChannel = new SideChannel(memory)))
    return sideChannel
  }

  /**
   * A line to a worker that is about to be made: the end for it, with all that it may need. `hangUp` when it has ended.
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
   * Gives each guest a line to a worker that is about to be made, and the worker what guests have lent for it. In this
   * order: a guest lends to this thread first and then looks for lines. So if it did not find the line, the loan is
   * found here.
   */
  #introduceGuests(worker: Channel): void {
    let guests: number
    do {
      guests = this.#guests.size
      for (const guest of this.#guests) this.#link(guest, worker)
      this.channels.listen() // there may be guests of which this thread did not know
    } while (this.#guests.size > guests)
    for (const guest of this.#guests) this.channels.relay.passOn(guest, worker, this.channels.lender.sending)
  }

  /**
   * Lends shared things to all workers to which there is a line, before a task tells of them, and to the owner for
   * those to which there is none.
   */
  lend(things: readonly object[]): void {
    if (!this.isOwner) {
      const owner = this.channels.to(this.#memory.owner)
      if (owner !== undefined) this.channels.lender.lend(owner, things, this.#pool)
      this.channels.look() // for lines to threads that are new
    }
    for (const channel of this.channels.workersOf(this.#pool)) this.channels.lender.lend(channel, things)
  }

  get isOwner(): boolean {
    return this.#memory.owner === this.#memory.threadContext.token
  }

  // ------------------------------------------------------------------ guests

  /**
   * This thread, which has made the pool, is about to send it over the line. The thread at the other end may submit to
   * it, and gets a line to each worker, lest it need this one for that later.
   */
  admit(guest: Channel): void {
    if (this.#guests.has(guest)) return
    this.#guests.add(guest)
    for (const worker of this.channels.workersOf(this.#pool)) this.#link(guest, worker)
  }

  #link(guest: Channel, worker: Channel): void {
    if (guest === worker || guest.isDead || this.#links.length >= MOST_LINKS) return
    // Between two workers one line is enough.
    if (this.#links.some((link) => link.includes(guest) && link.includes(worker))) return
    this.#links.push([guest, worker])
    this.channels.link(guest, worker, this.#pool)
  }

  /** Forgets the lines to threads that have ended. */
  #unlink(): void {
    this.#links = this.#links.filter(([guest, worker]) => !guest.isDead && !worker.isDead)
    for (const guest of this.#guests) if (guest.isDead) this.#guests.delete(guest)
  }

  /** If it is a pool of this thread's that is posted, open or wrapped. */
  static #sending(sent: object, channel: Channel): void {
    const { inner } = sent as { inner?: object }
    if (inner !== undefined) SideChannel.#sending(inner, channel)
    else if ("texts" in sent) {
      const sideChannel = offices.get(PoolMemory.identityOf(sent as PoolHandle))
      if (sideChannel?.isOwner === true) sideChannel.admit(channel)
    }
  }

  /** The pool has ended, and this thread has heard of all its tasks. */
  close(): void {
    offices.delete(this.#pool)
    this.channels.withdraw(this.#pool)
  }

  /** Whether this thread can be reached by the pool's workers. */
  get isReachable(): boolean {
    const { owner, threadContext } = this.#memory
    return owner === 0 || owner === threadContext.token || this.channels.to(owner) !== undefined // 0: it is just being made, here
  }

  // ------------------------------------------------------------------ sending

  /**
   * Posts a parcel to the thread with this token, or to a line. Throws what the runtime throws if that cannot be done.
   */
  send(to: number | Channel, task: number, attachments: Attachments, transfer: readonly object[] = []): Channel {
    const channel = typeof to === "number" ? this.#lineTo(to) : to
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

  #lineTo(token: number): Channel {
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

  /** The parcel of the task, if it has come. It has come only once. */
  take(task: number): Attachments | undefined {
    if (!this.#arrived.has(task)) this.channels.look()
    const attachments = this.#arrived.get(task)
    this.#arrived.delete(task)
    return attachments
  }

  /** Nobody is going to take it. */
  forget(task: number): void {
    if (this.#arrived.size > 0) this.#arrived.delete(task)
  }

  /** Asks the thread with this token for the parcel of its task; the line over which it will come. */
  ask(task: number, token: number): Channel {
    const channel = this.#lineTo(token)
    channel.post([this.#pool, task] satisfies Message)
    channel.ring()
    return channel
  }

  /**
   * Blocks the thread for a moment until the parcel is here: it is woken faster that way. Undefined if it has not come.
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

  /** Blocks the thread until it is here. */
  block(task: number, channel: Channel): Attachments {
    return blocking(this.#waiting(task, channel))
  }

  /** Waits until it is here. */
  wait(task: number, channel: Channel): Promise<Attachments> {
    return awaiting(this.#waiting(task, channel))
  }

  *#waiting(task: number, channel: Channel): Steps<Attachments> {
    for (;;) {
      const attachments = this.#look(task, channel)
      if (attachments !== undefined) return attachments
      yield this.channels.news
    }
  }

  /** Throws if it will never come. */
  #look(task: number, channel: Channel): Attachments | undefined {
    const { isDead } = channel // before the last look
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

/** The letter of the task in this slot, from its parcel, if it has one, and from its record. */
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
 * A letter for which there is no room: its memory is moved, and it must not be used any more. What is bulky goes beside
 * it.
 */
export function asPosted({ bytes, kind, length }: EncodedValue): PostedValue {
  return { bytes: bytes.buffer as ArrayBuffer, kind, length }
}
