import { OwnMap, OwnSet } from "../../primordials.ts"
import { decodeArguments } from "../../codec/arguments.ts"
import { encode } from "../../codec/codec.ts"
import type { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import { readsWhileBlocked } from "#host/runtime/capabilities"
import { NotSerializableError } from "../../errors.ts"
import { signStack } from "../../future/merge-stacks.ts"
import { EXCEPTIONAL, NORMAL } from "../../future/task-state.ts"
import { itemToBlame } from "../../task/chunk-outcome.ts"
import { refusalOf } from "../../task/portable-error.ts"
import { move, requireAmong, requirePresent, transferListOf } from "../../task/transfer.ts"
import { threadHere } from "../../thread/thread.ts"
import { messageOf } from "../../user-values.ts"
import { SpinWait } from "../../memory/flow/spin-wait.ts"
import type { CompletionQueues } from "../memory/completion-queues.ts"
import { encodedFailure, writeFailure } from "../submit/failure.ts"
import { requireFit } from "./fitness.ts"
import type { FunctionTable } from "../memory/function-table.ts"
import { DEAF, REACHABLE } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import { asPosted, encodedOf, type Attachments, SideChannel } from "../transport/side-channel.ts"
import { isKnown, posted, toPost } from "../transport/references.ts"
import type { TaskRecords } from "../memory/task-records.ts"

const NOTHING: readonly object[] = []

/**
 * From this many bytes of buffers and views on, a result is copied once, into memory that is moved to the submitter,
 * instead of into shared memory and out of it again. The copying itself matters little. But memory that the submitter
 * has never touched costs ten times as much, a page at a time, and thousands of results that arrive at once need much
 * of it; while a worker, which makes one result after the other, soon gets freed memory back. For less, a message takes
 * longer.
 *
 * Not for arguments: workers would have to ask for them, and to wait for a submitter that is busy.
 */
const LARGE = 2 ** 15

/** How long a worker polls until the submitter has sealed a task, in ms, before it asks. */
const SEALING = 0.05

/**
 * Decodes the arguments of tasks for the thread that runs them, and encodes their outcomes. Most of them are whole in
 * the record. Parts of the others went by message or have to be requested: see side-channel.ts.
 */
export class TaskPayloads {
  /** Whether this thread cannot return to its event loop before the task under way has ended. */
  isBlocked = false
  readonly #tasks: TaskRecords
  readonly #completionQueues: CompletionQueues
  readonly #functions: FunctionTable
  readonly #sideChannel: SideChannel
  readonly #token: number
  readonly #sealing = new SpinWait(SEALING)
  /**
   * The shared objects among the arguments of tasks under way, by slot. The submitter has them, should one be returned.
   */
  readonly #given = new OwnMap<number, readonly object[]>()
  /** Empty; collects objects that cannot be encoded. Undefined while in use. */
  #collector: object[] | undefined = []
  /**
   * What belongs to the encoded value that {@link encode} has returned last: the objects to send with it, and which of
   * them to move.
   */
  #things: object[] | undefined
  #toMove: readonly object[] = NOTHING

  constructor(memory: PoolMemory, tasks: TaskRecords, completionQueues: CompletionQueues, functions: FunctionTable) {
    this.#functions = functions
    this.#tasks = tasks
    this.#completionQueues = completionQueues
    this.#sideChannel = SideChannel.of(memory)
    this.#token = memory.threadContext.token
  }

  // ------------------------------------------------------------------ arguments

  /** The arguments of the task; undefined if they have to be {@link fetch}ed. */
  argumentsOf(slot: number): unknown[] | undefined {
    return this.#tasks.isWhole(slot) ? this.#read(slot, undefined, NOTHING) : this.#gather(slot)
  }

  #gather(slot: number): unknown[] | undefined {
    const submitter = this.#submitterOf(slot)
    const isOurs = submitter === this.#token
    if (isOurs) return this.#open(slot, this.#sideChannel.sender?.handOver(this.#tasks.handleOf(slot)) ?? LOST, true)
    if (this.#tasks.isEnclosed(slot)) return this.#isSealed(slot) ? this.#readEnclosed(slot) : undefined
    if (this.#tasks.isPosted(slot)) return undefined
    const things = this.#recall(this.#tasks.referencesOf(slot))
    if (things === undefined) return undefined
    this.#given.set(slot, things)
    return this.#read(slot, undefined, things)
  }

  /**
   * The submitter empties the buffers as soon as the pool has accepted the task; this thread may get the task before
   * that.
   */
  #isSealed(slot: number): boolean {
    if (this.#tasks.isSealed(slot)) return true
    return this.#sealing.isWorthwhile && this.#sealing.until(() => this.#tasks.isSealed(slot))
  }

  #readEnclosed(slot: number): unknown[] {
    return this.#read(slot, undefined, this.#tasks.enclosedIn(slot))
  }

  /** Objects that were lent have arrived, but may be unread. */
  #recall(numbers: readonly number[]): object[] | undefined {
    const { channels } = this.#sideChannel
    const things = channels.known.recall(numbers)
    if (things !== undefined) return things
    channels.look()
    return channels.known.recall(numbers)
  }

  /**
   * Requests the arguments. Returns them if they come within a moment, for which the thread blocks; else a promise.
   * Throws if the submitter has died, or cannot send them.
   */
  fetch(slot: number): unknown[] | Promise<unknown[]> {
    if (this.#tasks.isEnclosed(slot)) return this.#ask(slot)
    const isHere = !this.#tasks.isPosted(slot) && this.#sideChannel.channels.known.has(this.#tasks.referencesOf(slot))
    return isHere ? this.#learnFirst(slot) : this.#ask(slot)
  }

  /** Everything is here, but this thread has not loaded the classes. */
  async #learnFirst(slot: number): Promise<unknown[]> {
    await this.#sideChannel.channels.loadClasses()
    return this.#gather(slot) ?? this.#ask(slot)
  }

  #ask(slot: number): unknown[] | Promise<unknown[]> {
    const handle = this.#tasks.handleOf(slot)
    const submitter = this.#submitterOf(slot)
    const channel = this.#sideChannel.ask(handle, submitter)
    this.#sideChannel.channels.onAsk(submitter)
    if (!readsWhileBlocked)
      return this.#openLater(
        slot,
        this.#sideChannel.wait(handle, channel, () => this.isHere(slot)),
      )
    const attachments = this.isBlocked
      ? this.#sideChannel.block(handle, channel)
      : this.#sideChannel.linger(handle, channel)
    if (attachments?.things.every(isKnown) === true) return this.#open(slot, attachments, false)
    return this.#openLater(slot, attachments ?? this.#sideChannel.wait(handle, channel))
  }

  /** Whether this thread has all arguments of the task, or can get them without a message. */
  isHere(slot: number): boolean {
    if (readsWhileBlocked || this.#tasks.isWhole(slot) || this.#submitterOf(slot) === this.#token) return true
    if (this.#tasks.isEnclosed(slot)) return this.#tasks.isSealed(slot)
    return !this.#tasks.isPosted(slot) && this.#recall(this.#tasks.referencesOf(slot)) !== undefined
  }

  async #openLater(slot: number, pending: Attachments | Promise<Attachments | undefined>): Promise<unknown[]> {
    const attachments = await pending
    if (attachments === undefined) return this.#gather(slot) as unknown[] // what was lent has come sooner
    if (!attachments.things.every(isKnown)) await this.#sideChannel.channels.loadClasses()
    return this.#open(slot, attachments, false)
  }

  #open(slot: number, attachments: Attachments, isOurs: boolean): unknown[] {
    if (this.#tasks.isSealed(slot)) return this.#readEnclosed(slot)
    const things = isOurs ? attachments.things : attachments.things.map(posted)
    if (!this.#tasks.isPosted(slot)) {
      this.#given.set(slot, things)
      if (!isOurs) this.#sideChannel.channels.known.remember(this.#tasks.referencesOf(slot), things)
    }
    return this.#read(slot, attachments, things)
  }

  #read(slot: number, attachments: Attachments | undefined, things: readonly object[]): unknown[] {
    const encoded = encodedOf(slot, this.#tasks, attachments)
    const args = decodeArguments(encoded, things)
    encoded.release()
    return args
  }

  #submitterOf(slot: number): number {
    return this.#completionQueues.holderOf(this.#tasks.completionQueueOf(slot))
  }

  // ------------------------------------------------------------------ outcomes

  /**
   * Encodes the result of the task, for {@link settle}. Call it while the task is undecided and can be cancelled, and
   * the thread counts as being in user code: code of the program runs in here, and need not return. Throws
   * NotSerializableError, which names the task, if the result cannot be sent; or UnfitThread ({@link requireFit}).
   */
  encode(slot: number, result: unknown): EncodedValue {
    try {
      return this.#encode(slot, result)
    } catch (error) {
      requireFit(error)
      throw this.#refusalOf(slot, error, result)
    }
  }

  #refusalOf(slot: number, error: unknown, result?: unknown): unknown {
    if (!(error instanceof NotSerializableError)) return error
    const { message, cause } = error
    const title = this.#functions.titleOf(this.#tasks.functionOf(slot))
    const blamed = itemToBlame(result, message)
    if (blamed === undefined) return refusalOf(title, error)
    const options = cause === undefined ? undefined : { cause }
    return refusalOf(title, new NotSerializableError(blamed.why, options), blamed.item)
  }

  #encode(slot: number, outcome: unknown): EncodedValue {
    const isPostable = this.#tasks.hasFlag(slot, REACHABLE)
    const things = isPostable ? (this.#collector ?? []) : undefined
    this.#collector = undefined // user code that runs now may encode another one
    const toMove = transferListOf(outcome) ?? NOTHING
    if (toMove.length > 0) requireMovable(toMove, isPostable)
    const encoded = encode(outcome, things, toMove.length > 0 ? new OwnSet(toMove) : undefined, true)
    this.#things = things
    this.#toMove = toMove
    return encoded
  }

  /**
   * The same for what the task has thrown; if that cannot be sent, encodes an error that says why. Throws only if this
   * thread is not fit to work.
   */
  encodeError(slot: number, error: unknown): EncodedValue {
    try {
      return this.#encode(slot, error)
    } catch (cause) {
      requireFit(cause)
      return encodedFailure(error, cause)
    }
  }

  /**
   * This thread has decided the outcome of the task: writes what {@link encode} or {@link encodeError} has just
   * returned, and sends the rest. No code of the program runs in here. If the value cannot be sent, the task fails for
   * that reason. Throws only if this thread is not fit to work; the task is not settled then.
   */
  settle(slot: number, encoded: EncodedValue, state: typeof NORMAL | typeof EXCEPTIONAL): void {
    try {
      this.#write(slot, encoded)
    } catch (cause) {
      requireFit(cause)
      const error = state === NORMAL ? this.#refusalOf(slot, cause) : cause
      signStack(error, threadHere().name)
      writeFailure(this.#tasks, slot, error)
      this.#tasks.settle(slot, EXCEPTIONAL)
      return
    }
    this.#tasks.settle(slot, state)
  }

  /**
   * Another thread has decided the outcome meanwhile: drops what {@link encode} or {@link encodeError} has just
   * returned.
   */
  drop(encoded: EncodedValue): void {
    this.#things = undefined
    this.#toMove = NOTHING
    encoded.release()
  }

  #write(slot: number, encoded: EncodedValue): void {
    const given = this.#takeGiven(slot)
    const isPostable = this.#tasks.hasFlag(slot, REACHABLE)
    const things = this.#things
    const toMove = this.#toMove
    this.#things = undefined
    this.#toMove = NOTHING
    const isBulkPosted = isPostable && encoded.bulk.size >= LARGE && !this.#tasks.hasFlag(slot, DEAF)
    let bulk = isBulkPosted ? encoded.takeBulk() : undefined
    if (things === undefined || things.length === 0) {
      this.#collector = things
      if (toMove.length > 0) requireInResult(toMove, NOTHING)
      if (bulk === undefined && this.#tasks.fill(slot, encoded)) return
      if (!isPostable) throw new NotSerializableError("There is no room for the result")
    } else if (toMove.length > 0) requireInResult(toMove, things)
    const echoes = (things ?? []).map((thing) => given.indexOf(thing) + 1)
    const unknown = (things ?? []).filter((_, i) => echoes[i] === 0)
    const hasRoom = encoded.length > 0 && this.#tasks.fill(slot, encoded, echoes)
    if (hasRoom && unknown.length === 0 && bulk === undefined) return
    if (!hasRoom) bulk ??= encoded.takeBulk()
    this.#post(slot, { things: unknown, encoded: hasRoom ? undefined : asPosted(encoded), echoes, bulk }, toMove)
    this.#tasks.notePosted(slot, !hasRoom)
  }

  #takeGiven(slot: number): readonly object[] {
    if (this.#given.size === 0) return NOTHING
    const given = this.#given.get(slot) ?? NOTHING
    this.#given.delete(slot)
    return given
  }

  /** The task is over, and its outcome is not needed. */
  forget(slot: number): void {
    this.#takeGiven(slot)
  }

  #post(slot: number, attachments: Attachments, toMove: readonly object[]): void {
    const handle = this.#tasks.handleOf(slot)
    const submitter = this.#submitterOf(slot)
    try {
      if (submitter === this.#token) {
        const things = attachments.things.map((thing) => (toMove.includes(thing) ? move(thing) : thing))
        this.#sideChannel.keep(handle, { ...attachments, things })
      } else
        this.#sideChannel.send(submitter, handle, { ...attachments, things: attachments.things.map(toPost) }, toMove)
    } catch (cause) {
      if (cause instanceof NotSerializableError) throw cause
      throw new NotSerializableError(`The result cannot be sent to another thread: ${messageOf(cause)}`, { cause })
    }
  }
}

const LOST: Attachments = { things: NOTHING }

/** An error in the transfer list of a result is reported as an error of the result. */
function requireMovable(list: readonly object[], isPostable: boolean): void {
  if (!isPostable) throw new NotSerializableError("Nothing can be moved to the thread that submitted the task")
  asRefusal(() => requirePresent("list", list))
}

function requireInResult(list: readonly object[], things: readonly object[]): void {
  asRefusal(() => requireAmong("list", list, things, "the result"))
}

function asRefusal(check: () => void): void {
  try {
    check()
  } catch (cause) {
    throw new NotSerializableError(messageOf(cause), { cause })
  }
}
