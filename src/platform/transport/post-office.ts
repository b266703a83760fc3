/**
 * What of a pool's tasks goes from thread to thread beside their records: arguments that their submitter keeps until somebody
 * has taken the task and asks for them, and outcomes that cannot be written down.
 *
 *     worker                          submitter
 *     takes the task
 *     { ask }          ------------>  looks for what it has kept
 *     reads it         <------------  { parcel }
 *     runs the task
 *     { parcel }       ------------>
 *     settles the record, and puts it into the submitter's box
 *
 * A parcel is posted before the record says so. So who has found a task in its box finds the parcel too; except that a line
 * between two workers may still be on its way to one of them.
 *
 * One for each pool that a thread has to do with, whether as a worker or as a submitter or both.
 */
import { NotSerializableError, ThreadDeathError } from "../../errors.ts"
import { bulkOf } from "../../codec/bytes/bulk.ts"
import { Letter } from "../../codec/bytes/letter.ts"
import { mainFlow } from "../../memory/flow/flow.ts"
import { awaiting, blocking, SIGNALLED, type Steps } from "../../memory/flow/waiting.ts"
import { now } from "../../time/timer.ts"
import { perThread } from "../../per-thread.ts"
import type { Line, LineEnd } from "./line.ts"
import { Lines, type Recipient } from "./lines.ts"
import { type PoolHandle, PoolMemory } from "../memory/pool-memory.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** What goes beside a record. */
export interface Parcel {
  /** What could not be written down. */
  readonly things: readonly object[]
  /** The letter, if there was no room for it in the record. */
  readonly letter?: PostedLetter | undefined
  /** What belongs to the letter, wherever that is, and is not in its bytes. */
  readonly bulk?: readonly ArrayBuffer[] | undefined
  /** Of all things that belong to an outcome: which of those that the task was given, counted from 1, or 0 if it was posted. */
  readonly echoes?: readonly number[] | undefined
  /** Why there is nothing. */
  readonly refusal?: string | undefined
}

export interface PostedLetter {
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
      things: Parcel["things"],
      letter: Parcel["letter"],
      echoes: Parcel["echoes"],
      refusal: Parcel["refusal"],
      bulk: Parcel["bulk"],
    ]

/** Who has something to hand out; undefined if it has not got it. */
export interface Sender {
  /** Hands the parcel of the task to this line. */
  send(handle: number, line: Line): void
  /** For a task that is run in the thread that has submitted it. */
  handOver(handle: number): Parcel
  /** Parcels have come. */
  look(): void
  /** The shared things of all tasks that are not over. */
  readonly shared: readonly object[]
}

/** So many lines between guests and workers are made for a pool: all pairs of 22 threads. */
const MOST_LINKS = 256

/** How long a worker blocks for a parcel before it lets its event loop go on, in ms. */
const LINGER = 2

/** By the identity of the pool, until it has ended. (Not by WeakRefs: they keep what is new until the thread returns to its event loop.) */
const offices = perThread("post offices", () => new Map<number, PostOffice>())

export class PostOffice implements Recipient<Message> {
  /** Has to be set by whoever submits. */
  sender: Sender | undefined
  readonly lines: Lines
  readonly #memory: PoolMemory
  readonly #pool: number
  /** The lines to threads that were sent the pool by this one, and between which of them and which workers there are lines. */
  readonly #guests = new Set<Line>()
  #links: (readonly [guest: Line, worker: Line])[] = []
  /** By the handle of their tasks. */
  readonly #arrived = new Map<number, Parcel>()

  private constructor(memory: PoolMemory) {
    this.#memory = memory
    this.#pool = memory.identity
    this.lines = Lines.of(memory.here)
    this.lines.lender.sending = (sent, line) => PostOffice.#sending(sent, line)
    this.lines.enroll(this.#pool, this)
  }

  /** The one of this thread. */
  static of(memory: PoolMemory): PostOffice {
    let office = offices.get(memory.identity)
    if (office === undefined) offices.set(memory.identity, (office = new PostOffice(memory)))
    return office
  }

  /** A line to a worker that is about to be made: the end for it, with all that it may need. `hangUp` when it has ended. */
  begin(): { readonly end: LineEnd; readonly hangUp: () => void } {
    const { line, end, hangUp } = this.lines.begin(this.#pool)
    this.#introduceGuests(line)
    this.lines.lender.lend(line, this.sender?.shared ?? [])
    return {
      end,
      hangUp: () => {
        hangUp()
        this.#unlink()
      },
    }
  }

  /**
   * Gives each guest a line to a worker that is about to be made, and the worker what guests have lent for it. In this order: a guest
   * lends to this thread first and then looks for lines. So if it did not find the line, the loan is found here.
   */
  #introduceGuests(worker: Line): void {
    let guests: number
    do {
      guests = this.#guests.size
      for (const guest of this.#guests) this.#link(guest, worker)
      this.lines.listen() // there may be guests of which this thread did not know
    } while (this.#guests.size > guests)
    for (const guest of this.#guests) this.lines.relay.passOn(guest, worker, this.lines.lender.sending)
  }

  /** Lends shared things to all workers to which there is a line, before a task tells of them, and to the owner for those to which there is none. */
  lend(things: readonly object[]): void {
    if (!this.isOwner) {
      const owner = this.lines.to(this.#memory.owner)
      if (owner !== undefined) this.lines.lender.lend(owner, things, this.#pool)
      this.lines.look() // for lines to threads that are new
    }
    for (const line of this.lines.workersOf(this.#pool)) this.lines.lender.lend(line, things)
  }

  get isOwner(): boolean {
    return this.#memory.owner === this.#memory.here.token
  }

  // ------------------------------------------------------------------ guests

  /**
   * This thread, which has made the pool, is about to send it over the line. The thread at the other end may submit to it, and gets a
   * line to each worker, lest it need this one for that later.
   */
  admit(guest: Line): void {
    if (this.#guests.has(guest)) return
    this.#guests.add(guest)
    for (const worker of this.lines.workersOf(this.#pool)) this.#link(guest, worker)
  }

  #link(guest: Line, worker: Line): void {
    if (guest === worker || guest.isDead || this.#links.length >= MOST_LINKS) return
    // Between two workers one line is enough.
    if (this.#links.some((link) => link.includes(guest) && link.includes(worker))) return
    this.#links.push([guest, worker])
    this.lines.link(guest, worker, this.#pool)
  }

  /** Forgets the lines to threads that have ended. */
  #unlink(): void {
    this.#links = this.#links.filter(([guest, worker]) => !guest.isDead && !worker.isDead)
    for (const guest of this.#guests) if (guest.isDead) this.#guests.delete(guest)
  }

  /** If it is a pool of this thread's that is posted, open or wrapped. */
  static #sending(sent: object, line: Line): void {
    const { inner } = sent as { inner?: object }
    if (inner !== undefined) PostOffice.#sending(inner, line)
    else if ("texts" in sent) {
      const office = offices.get(PoolMemory.identityOf(sent as PoolHandle))
      if (office?.isOwner === true) office.admit(line)
    }
  }

  /** The pool has ended, and this thread has heard of all its tasks. */
  close(): void {
    offices.delete(this.#pool)
    this.lines.withdraw(this.#pool)
  }

  /** Whether this thread can be reached by the pool's workers. */
  get isReachable(): boolean {
    const { owner, here } = this.#memory
    return owner === 0 || owner === here.token || this.lines.to(owner) !== undefined // 0: it is just being made, here
  }

  // ------------------------------------------------------------------ sending

  /** Posts a parcel to the thread with this token, or to a line. Throws what the runtime throws if that cannot be done. */
  send(to: number | Line, task: number, parcel: Parcel, transfer: readonly object[] = []): Line {
    const line = typeof to === "number" ? this.#lineTo(to) : to
    const { things, letter, echoes, refusal, bulk } = parcel
    const bytes = letter === undefined ? bulk : [letter.bytes, ...(bulk ?? [])]
    const all = bytes === undefined ? transfer : [...transfer, ...bytes]
    line.post([this.#pool, task, things, letter, echoes, refusal, bulk] satisfies Message, all)
    return line
  }

  /** The same to this thread itself. */
  keep(task: number, parcel: Parcel): void {
    this.#arrived.set(task, parcel)
  }

  #lineTo(token: number): Line {
    const line = this.lines.reach(token, this.#memory.owner)
    if (line === undefined) throw new NotSerializableError(OUT_OF_REACH)
    return line
  }

  // ------------------------------------------------------------------ receiving

  arrived([, task, things, letter, echoes, refusal, bulk]: Message, line: Line): void {
    if (things === undefined) this.sender?.send(task, line)
    else this.#arrived.set(task, { things, letter, echoes, refusal, bulk })
  }

  settled(): void {
    this.sender?.look()
  }

  lentFor(line: Line): void {
    if (this.isOwner) this.admit(line)
  }

  /** The parcel of the task, if it has come. It has come only once. */
  take(task: number): Parcel | undefined {
    if (!this.#arrived.has(task)) this.lines.look()
    const parcel = this.#arrived.get(task)
    this.#arrived.delete(task)
    return parcel
  }

  /** Nobody is going to take it. */
  forget(task: number): void {
    if (this.#arrived.size > 0) this.#arrived.delete(task)
  }

  /** Asks the thread with this token for the parcel of its task; the line over which it will come. */
  ask(task: number, token: number): Line {
    const line = this.#lineTo(token)
    line.post([this.#pool, task] satisfies Message)
    line.ring()
    return line
  }

  /** Blocks the thread for a moment until the parcel is here: it is woken faster that way. Undefined if it has not come. */
  linger(task: number, line: Line): Parcel | undefined {
    const end = now() + LINGER
    for (;;) {
      const parcel = this.#look(task, line)
      if (parcel !== undefined) return parcel
      const left = end - now()
      if (left <= 0 || this.lines.news.block(mainFlow, left) !== SIGNALLED) return undefined
    }
  }

  /** Blocks the thread until it is here. */
  block(task: number, line: Line): Parcel {
    return blocking(this.#waiting(task, line))
  }

  /** Waits until it is here. */
  wait(task: number, line: Line): Promise<Parcel> {
    return awaiting(this.#waiting(task, line))
  }

  *#waiting(task: number, line: Line): Steps<Parcel> {
    for (;;) {
      const parcel = this.#look(task, line)
      if (parcel !== undefined) return parcel
      yield this.lines.news
    }
  }

  /** Throws if it will never come. */
  #look(task: number, line: Line): Parcel | undefined {
    const { isDead } = line // before the last look
    const parcel = this.take(task)
    if (parcel?.refusal !== undefined) throw new NotSerializableError(parcel.refusal)
    if (parcel !== undefined) return parcel
    if (line.isOutOfReach) throw new NotSerializableError(OUT_OF_REACH)
    if (isDead) throw new ThreadDeathError("The thread that submitted the task has ended, and its arguments with it")
    return undefined
  }
}

const OUT_OF_REACH =
  "What cannot be written down as bytes can be sent only between threads of corepool that were made by the same thread, and that thread"

/** The letter of the task in this slot, from its parcel, if it has one, and from its record. */
export function letterOf(
  slot: number,
  tasks: TaskRecords,
  parcel: Pick<Parcel, "letter" | "bulk"> | undefined,
): Letter {
  const posted = parcel?.letter
  const letter = posted === undefined ? tasks.read(slot) : Letter.over(posted.bytes, posted.kind, posted.length)
  if (parcel?.bulk !== undefined) letter.bulkSource = bulkOf(parcel.bulk)
  return letter
}

/** A letter for which there is no room: its memory is moved, and it must not be used any more. What is bulky goes beside it. */
export function asPosted({ bytes, kind, length }: Letter): PostedLetter {
  return { bytes: bytes.buffer as ArrayBuffer, kind, length }
}
