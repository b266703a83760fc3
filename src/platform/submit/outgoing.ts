import { OwnMap, OwnSet } from "../../primordials.ts"
import { decodeArguments, encodeArguments } from "../../codec/arguments.ts"
import { sharedAmong } from "../../codec/plain-words.ts"
import type { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import { NotSerializableError, UnsupportedOperationError } from "../../errors.ts"
import { types } from "#host/values/values"
import { sizeOfBuffer } from "../../codec/bytes/views.ts"
import { empty, move, requireAmong, requirePresent } from "../../task/transfer.ts"
import { messageOf } from "../../user-values.ts"
import { fail } from "./failure.ts"
import type { Channel } from "../transport/channel.ts"
import { asPosted, encodedOf, type Attachments, type SideChannel, type Sender } from "../transport/side-channel.ts"
import { canBeReferred, toPost } from "../transport/references.ts"
import type { TaskRecords } from "../memory/task-records.ts"

interface Kept {
  things: object[]
  /** The objects that still have to be moved. */
  toMove: readonly object[]
  /** The moved objects, as they are now. */
  moved: readonly object[]
  /** The encoded value and its bulk parts, if there was no room for them. */
  readonly encoded: Attachments["encoded"]
  readonly bulk: Attachments["bulk"]
  /** The arguments of the task. */
  readonly args: readonly unknown[]
  readonly isShared: boolean
  /** Whether the record has copies of the contents of all objects. */
  readonly isEnclosed: boolean
}

/**
 * Up to so many bytes of moved buffers are copied into the record of their task, instead of being moved by message. A
 * message would have to be requested first: two threads would sleep, and wake up, for each task.
 */
const MOST_ENCLOSED = 2 ** 13

/**
 * Keeps the parts of arguments that this thread could not write into shared memory, until the task is over or another
 * thread has received them.
 *
 * There are two kinds. Shared objects are known by a number, and a worker that has met them before need not ask; they
 * are kept for workers that have not. A worker must always ask for everything else: objects to be moved, objects that
 * only the runtime can copy, and arguments for which there was no room.
 *
 * When objects are moved. A program expects a buffer to be empty as soon as `submit` has returned, though no worker has
 * taken the task yet; but not if the pool has refused the task. So an object is moved once the pool has accepted the
 * task: first into another object of this thread, and from there to the worker that asks. A task that comes back unrun
 * gets that object as its argument.
 */
export class Outgoing implements Sender {
  readonly #tasks: TaskRecords
  readonly #sideChannel: SideChannel
  readonly #settled = new OwnSet<() => void>()
  /** The arguments of a task that this thread has forked, by slot; plain ones are not kept here. */
  forked: (slot: number) => readonly unknown[] | undefined = () => undefined
  /** By slot. */
  readonly #kept = new OwnMap<number, Kept>()

  private constructor(tasks: TaskRecords, sideChannel: SideChannel) {
    this.#tasks = tasks
    this.#sideChannel = sideChannel
  }

  /**
   * The sender of the side channel, for all submitters that use it. `settled` is called when attachments have arrived.
   */
  static of(tasks: TaskRecords, sideChannel: SideChannel, settled: () => void): Outgoing {
    const outgoing = (sideChannel.sender as Outgoing | undefined) ?? new Outgoing(tasks, sideChannel)
    sideChannel.sender = outgoing
    outgoing.#settled.add(settled)
    return outgoing
  }

  /** Writes as much of the encoded value as possible into the record, and keeps the rest. */
  pack(
    slot: number,
    encoded: EncodedValue,
    things: object[],
    toMove: readonly object[],
    args: readonly unknown[],
  ): void {
    const isShared = toMove.length === 0 && things.every(canBeReferred)
    if (this.#enclose(slot, encoded, things, toMove, args)) return
    const { known } = this.#sideChannel.channels
    const numbers = isShared ? things.map((thing) => known.numberOf(thing)) : undefined
    const hasRoom = this.#tasks.fill(slot, encoded, numbers)
    if (!hasRoom || !isShared) this.#tasks.notePosted(slot, !hasRoom)
    this.#kept.set(slot, {
      things,
      toMove,
      moved: [],
      encoded: hasRoom ? undefined : asPosted(encoded),
      bulk: hasRoom ? undefined : encoded.takeBulk(),
      args,
      isShared: isShared && hasRoom,
      isEnclosed: false,
    })
    if (isShared && hasRoom) this.#sideChannel.lend(things)
  }

  /** Copies the contents of short buffers that are to be moved; false if there is something else to send. */
  #enclose(
    slot: number,
    encoded: EncodedValue,
    things: object[],
    toMove: readonly object[],
    args: readonly unknown[],
  ): boolean {
    if (!areShort(things, toMove) || !this.#tasks.enclose(slot, encoded, things)) return false
    const nothing = { encoded: undefined, bulk: undefined, isShared: false }
    this.#kept.set(slot, { things, toMove, moved: NOTHING, args, isEnclosed: true, ...nothing })
    return true
  }

  /** The pool has accepted the task. */
  seal(slot: number): void {
    const kept = this.#kept.get(slot)
    if (kept !== undefined && kept.toMove.length > 0) this.#move(slot, kept)
  }

  #move(slot: number, kept: Kept): void {
    const { things, toMove } = kept
    kept.toMove = []
    try {
      if (kept.isEnclosed) {
        for (const thing of toMove) empty(thing as ArrayBuffer)
        kept.moved = toMove
        this.#tasks.seal(slot)
        return
      }
      kept.moved = toMove.map((thing) => {
        const moved = move(thing)
        things[things.indexOf(thing)] = moved
        return moved
      })
    } catch (cause) {
      // No thread has begun the task, and none could get its arguments.
      fail(this.#tasks, slot, new NotSerializableError(`The runtime cannot move it: ${messageOf(cause)}`, { cause }))
    }
  }

  // ------------------------------------------------------------------ asked for

  send(handle: number, channel: Channel): void {
    const slot = this.#tasks.slotOf(handle)
    const kept = this.#tasks.isCurrent(handle) ? (this.#kept.get(slot) ?? this.#plainIn(slot)) : undefined
    if (kept === undefined) {
      this.#sideChannel.send(channel, handle, { things: [], refusal: "The arguments of the task are gone" })
    } else {
      this.seal(slot)
      if (!this.#isNeededAgain(slot, kept)) this.#kept.delete(slot)
      try {
        if (kept.isEnclosed) this.#sideChannel.send(channel, handle, ENCLOSED)
        else this.#sideChannel.send(channel, handle, { ...kept, things: kept.things.map(toPost) }, kept.moved)
      } catch (error) {
        this.#sideChannel.send(channel, handle, {
          things: [],
          refusal: `The runtime cannot send it: ${messageOf(error)}`,
        })
      }
    }
    channel.ring()
  }

  /**
   * For a thread that is about to block, and reads no messages then: throws if it would wait for one. Also if another
   * thread has yet to ask for arguments of any task: until then that worker does nothing else.
   */
  requireNoMessage(isResultOnItsWay: boolean, isStarting: boolean): void {
    if (isResultOnItsWay) throw cannotHear()
    for (const [slot, { isShared }] of this.#kept) if (!isShared && this.#tasks.isPosted(slot)) throw cannotHear()
    if (isStarting) throw cannotStart()
  }

  handOver(handle: number): Attachments {
    const slot = this.#tasks.slotOf(handle)
    const kept = this.#kept.get(slot)
    if (kept === undefined) throw new NotSerializableError("The arguments of the task are gone")
    this.seal(slot)
    if (!this.#isNeededAgain(slot, kept)) this.#kept.delete(slot)
    return { things: kept.things, encoded: kept.encoded, bulk: kept.bulk }
  }

  /**
   * Shared objects are needed again by the next worker, should this one die; objects that were not moved, by the next
   * run of a periodic task; and what the record has, should the task come back unrun.
   */
  #isNeededAgain(slot: number, kept: Kept): boolean {
    return kept.isShared || kept.isEnclosed || (this.#tasks.periodOf(slot) !== 0 && kept.moved.length === 0)
  }

  get shared(): readonly object[] {
    const things = new OwnSet<object>()
    for (const kept of this.#kept.values()) if (kept.isShared) for (const thing of kept.things) things.add(thing)
    return [...things]
  }

  look(): void {
    for (const settled of this.#settled) settled()
  }

  // ------------------------------------------------------------------ over

  /** The shared objects among the arguments of the task. */
  sharedBy(slot: number): readonly object[] {
    const kept = this.#kept.get(slot) ?? this.#plainIn(slot)
    return kept?.isShared === true ? kept.things : NOTHING
  }

  /** The arguments of a forked task, if they are plain. */
  #plainIn(slot: number): Kept | undefined {
    const args = this.forked(slot)
    return args && { ...UNPOSTED, things: sharedAmong(args), args, isShared: true }
  }

  /** The task is over. */
  finish(slot: number): void {
    if (this.#kept.size > 0) this.#kept.delete(slot)
  }

  /**
   * The task has come back unrun. Its arguments are restored, except that moved objects are other objects now: returns
   * these.
   */
  restore(slot: number): readonly object[] {
    if (this.#kept.size === 0) return NOTHING
    const kept = this.#kept.get(slot)
    this.#kept.delete(slot)
    if (kept === undefined || kept.moved.length === 0) return NOTHING
    const encoded = encodedOf(slot, this.#tasks, kept)
    const args = kept.args as unknown[]
    const things = kept.isEnclosed ? this.#tasks.enclosedIn(slot) : kept.things
    const decoded = decodeArguments(encoded, things)
    for (let i = 0; i < args.length; i++) args[i] = decoded[i] // not the stores that went with them
    return kept.isEnclosed ? things : kept.moved
  }
}

const NOTHING: readonly object[] = []

const UNPOSTED = {
  toMove: NOTHING,
  moved: NOTHING,
  encoded: undefined,
  bulk: undefined,
  isEnclosed: false,
} as const

/** All that was asked for is in the record by now. */
const ENCLOSED: Attachments = { things: NOTHING }

/** Whether these are buffers of fixed length, all of them to be moved, and short enough to be copied. */
function areShort(things: readonly object[], toMove: readonly object[]): things is ArrayBuffer[] {
  if (toMove.length === 0 || things.length !== toMove.length) return false
  let size = 0
  for (const thing of things) {
    if (!types.isArrayBuffer(thing) || (thing as { resizable?: boolean }).resizable === true) return false
    size += sizeOfBuffer(thing)
  }
  return size <= MOST_ENCLOSED
}

/** For a thread that blocks, in a browser. */
export function cannotHear(): UnsupportedOperationError {
  return new UnsupportedOperationError(
    "A part of the arguments or of the result goes by message, which a worker of a browser does not get while it blocks: moved objects, objects that only the browser can copy, or values that are too large for shared memory. Await the future instead; it is not affected",
  )
}

/** The same. */
function cannotStart(): UnsupportedOperationError {
  return new UnsupportedOperationError(
    "A worker of a browser starts no threads while it blocks, and the thread that is to run this task has not begun. Await the future instead; it is not affected",
  )
}

/** The arguments of a task, of which some are to be moved. `things` is undefined if nothing can be sent from here. */
export function encodeMoving(
  args: readonly unknown[],
  things: object[] | undefined,
  toMove: readonly object[],
): EncodedValue {
  if (things === undefined) {
    throw new NotSerializableError(
      "Nothing can be moved to the threads of this pool from here: this thread was not made by corepool, or not by the thread that made the pool",
    )
  }
  requirePresent("transfer", toMove)
  const encoded = encodeArguments(args, things, new OwnSet(toMove), true)
  requireAmong("transfer", toMove, things, "the arguments")
  return encoded
}
