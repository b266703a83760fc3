import { compareAndSet, load, read, store, write } from "#atomics"
import { wholeWords } from "../../codec/bytes/bulk.ts"
import { EncodedValue, INT, NO_VALUE } from "../../codec/bytes/encoded-value.ts"
import { sizeOfBuffer } from "../../codec/bytes/views.ts"
import type { Arena } from "../../memory/structures/arena.ts"
import type { Slots } from "../../memory/structures/slots.ts"
import { CANCELLED, NEW } from "../../future/task-state.ts"
import { BulkInArena } from "./bulk-in-arena.ts"
// prettier-ignore
import {
  ENCLOSED, INLINE_WORDS, KIND_MASK, MEASURED, POSTED, REFERENCES_SHIFT, TASK, tasksBase, TIMED,
} from "./layout.ts"
import type { PoolMemory } from "./pool-memory.ts"

const NO_REFERENCES: readonly number[] = []

const INLINE_BYTES = INLINE_WORDS * 4

/** No buffers are enclosed while more bytes of the arena are in use: half of it is for other values. */
const MOST_ENCLOSED = 2 ** 27

const double = new Float64Array(1)
const halves = new Int32Array(double.buffer)

/**
 * The slots of a pool's tasks, and the values in their records: the arguments of a task, later its result. What the
 * other words of a record mean is in task-records.ts.
 */
export abstract class TaskSlots {
  protected readonly memory: PoolMemory
  /** The words of the records, as far as this thread has reached: those of a slot only after {@link recordOf}. */
  words: Int32Array
  readonly #base: number
  readonly #slots: Slots
  readonly #arena: Arena
  /**
   * The handles of slots that this thread has used and keeps for its next tasks: to give them back and take others
   * costs more than all the rest.
   */
  readonly #spare: number[] = []
  #spareCount = 0
  #mostSpare = 0

  constructor(memory: PoolMemory) {
    this.memory = memory
    this.words = memory.words
    this.#base = tasksBase(memory.capacity)
    this.#slots = memory.slots
    this.#arena = memory.arena
  }

  /** Where the record of the slot begins. */
  recordOf(slot: number): number {
    const record = this.#base + slot * TASK.SIZE
    if (record + TASK.SIZE > this.words.length) this.words = this.memory.reach(record + TASK.SIZE)
    return record
  }

  // ------------------------------------------------------------------ slots

  /** Lets this thread keep slots. They are lost if it dies, so this is only for a thread with which the pool ends. */
  keepSpare(most: number): void {
    this.#mostSpare = most
  }

  /**
   * Takes a slot for a new task and returns its handle; 0 if all are in use, or there is no memory for more. If the
   * flags say MEASURED, `submitted` is the time of the submission, on the clock that all threads share.
   */
  take(completionQueue: number, functionId: number, flags: number, submitted = 0): number {
    const handle = this.#spareCount > 0 ? (this.#spare[--this.#spareCount] as number) : this.#takeNew()
    if (handle === 0) return 0
    const record = this.recordOf(this.slotOf(handle))
    const words = this.words
    write(words, record + TASK.COMPLETION_QUEUE, completionQueue)
    write(words, record + TASK.NEXT, 0)
    write(words, record + TASK.FUNCTION, functionId)
    write(words, record + TASK.FLAGS, flags)
    write(words, record + TASK.BLOCK, 0)
    if ((flags & (MEASURED | TIMED)) !== 0) {
      double[0] = submitted
      write(words, record + TASK.SUBMITTED, halves[0] as number)
      write(words, record + TASK.SUBMITTED + 1, halves[1] as number)
      write(words, record + TASK.STARTED, 0)
      write(words, record + TASK.STARTED + 1, 0)
    }
    store(words, record + TASK.STATE, NEW)
    return handle
  }

  #takeNew(): number {
    const handle = this.#slots.take(this.memory.threadContext.token)
    if (handle === 0) return 0
    try {
      this.recordOf(this.slotOf(handle))
    } catch (error) {
      this.#slots.free(handle)
      if (error instanceof RangeError) return 0
      throw error
    }
    return handle
  }

  /** As {@link free}, by the thread that took the slot. */
  release(slot: number): void {
    if (this.#spareCount >= this.#mostSpare) {
      this.free(slot)
      return
    }
    this.#spare[this.#spareCount++] = this.renew(slot)
  }

  free(slot: number): void {
    this.#dropBlock(this.recordOf(slot))
    this.#slots.free(this.#slots.handleOf(slot))
  }

  /**
   * From now on the slot is for another task of this thread, which has not passed the slot on meanwhile. Returns its
   * new handle.
   */
  renew(slot: number): number {
    const record = this.recordOf(slot)
    this.#dropBlock(record)
    write(this.words, record + TASK.STATE, CANCELLED) // so that it does not look like a waiting task
    return this.#slots.renew(slot)
  }

  handleOf(slot: number): number {
    return this.#slots.handleOf(slot)
  }

  /** Whether the slot is still in use for the task that had this handle. */
  isCurrent(handle: number): boolean {
    return this.#slots.isCurrent(handle)
  }

  /** The token of the thread that has submitted the task. */
  submitterOf(slot: number): number {
    return this.#slots.ownerOf(slot)
  }

  slotOf(handle: number): number {
    return handle & this.#slots.mask
  }

  // ------------------------------------------------------------------ what it carries

  /**
   * Writes the value into the record, followed by `references`, numbers that refer to what the bytes do not contain.
   * Releases the encoded value, unless there is no room: then returns false.
   */
  fill(slot: number, encoded: EncodedValue, references: readonly number[] = NO_REFERENCES): boolean {
    const record = this.recordOf(slot)
    const words = this.words
    const { length } = encoded
    const { length: count } = references
    const total = count === 0 ? length : appendTo(encoded, references)
    if (read(words, record + TASK.BLOCK) !== 0) this.#dropBlock(record)
    if (encoded.bulk.count > 0) {
      const block = this.#writeBulky(encoded, total)
      if (block === 0) return false
      write(words, record + TASK.BLOCK, block)
    } else if (total <= INLINE_BYTES) {
      const source = encoded.words
      const wordCount = (total + 3) >> 2
      for (let i = 0; i < wordCount; i++) write(words, record + TASK.DATA + i, source[i] as number)
    } else {
      const block = this.#arena.take(total)
      if (block === 0) return false
      this.#arena.write(block, encoded.bytes, total)
      write(words, record + TASK.BLOCK, block)
    }
    write(words, record + TASK.KIND, encoded.kind | (count << REFERENCES_SHIFT))
    write(words, record + TASK.LENGTH, length)
    encoded.release()
    return true
  }

  /**
   * As {@link fill}, and copies the contents of these buffers, which the value refers to as its attachments, behind it.
   * A worker must not use them before {@link seal}. If there is no room, returns false, and the value is as before.
   *
   * The references are where the first buffer begins among the bulk parts, and the sizes of all.
   */
  enclose(slot: number, encoded: EncodedValue, buffers: readonly ArrayBuffer[]): boolean {
    const { bulk } = encoded
    const { count, size: start } = bulk
    const sizes = buffers.map((buffer) => sizeOfBuffer(buffer))
    for (const [i, buffer] of buffers.entries()) bulk.add(new Uint8Array(buffer), sizes[i] as number)
    if (this.#arena.used > MOST_ENCLOSED || !this.fill(slot, encoded, [start, ...sizes])) {
      bulk.cut(count)
      return false
    }
    const kind = this.recordOf(slot) + TASK.KIND
    write(this.words, kind, read(this.words, kind) | ENCLOSED | POSTED)
    return true
  }

  /** The buffers that were enclosed are empty: from now on a worker may use what {@link enclose} has copied. */
  seal(slot: number): void {
    const kind = this.recordOf(slot) + TASK.KIND
    const before = load(this.words, kind)
    // Not if another thread has written an outcome meanwhile.
    if ((before & ENCLOSED) !== 0) compareAndSet(this.words, kind, before, before & ~POSTED)
  }

  /** Whether the record has the contents of moved buffers. They may be used once it {@link isSealed}. */
  isEnclosed(slot: number): boolean {
    const record = this.recordOf(slot)
    return (load(this.words, record + TASK.KIND) & ENCLOSED) !== 0
  }

  isSealed(slot: number): boolean {
    const record = this.recordOf(slot)
    return (load(this.words, record + TASK.KIND) & (ENCLOSED | POSTED)) === ENCLOSED
  }

  /** New buffers with the contents of those that were enclosed. */
  enclosedIn(slot: number): ArrayBuffer[] {
    const [start = 0, ...sizes] = this.referencesOf(slot)
    const record = this.recordOf(slot)
    const length = read(this.words, record + TASK.LENGTH)
    const block = read(this.words, record + TASK.BLOCK)
    const source = new BulkInArena(this.#arena, block, wholeWords(length) + (sizes.length + 1) * 4 + start)
    return sizes.map((size) => source.next(size) as ArrayBuffer)
  }

  /** As {@link fill} for no more than two ints as the arguments of a new task: the kind is that of `kindOfFew`. */
  fillFew(slot: number, kind: number, args: readonly unknown[]): void {
    const record = this.recordOf(slot)
    const words = this.words
    const { length } = args
    if (length > 0) write(words, record + TASK.DATA, args[0] as number)
    if (length > 1) write(words, record + TASK.DATA + 1, args[1] as number)
    write(words, record + TASK.KIND, kind)
    write(words, record + TASK.LENGTH, 4 * length)
  }

  /** Whether the value is an int, which {@link intIn} then gives. */
  isInt(slot: number): boolean {
    const record = this.recordOf(slot)
    return read(this.words, record + TASK.KIND) === INT
  }

  intIn(slot: number): number {
    const record = this.recordOf(slot)
    return read(this.words, record + TASK.DATA)
  }

  /** Writes that there is no value. Uses no built-in object. */
  leaveUntold(slot: number): void {
    const record = this.recordOf(slot)
    write(this.words, record + TASK.BLOCK, 0) // the memory of the block is lost: to give it back needs built-ins
    write(this.words, record + TASK.KIND, NO_VALUE)
    write(this.words, record + TASK.LENGTH, 0)
  }

  /** Writes the bytes and behind them the bulk parts into one block; returns the block, or 0 if there is no room. */
  #writeBulky({ bytes, bulk }: EncodedValue, total: number): number {
    const start = wholeWords(total)
    const block = this.#arena.take(start + bulk.size)
    if (block === 0) return 0
    this.#arena.write(block, bytes, total)
    bulk.forEach((part, at) => this.#arena.write(block, part, part.length, start + at))
    return block
  }

  /**
   * A copy of the value that {@link fill} has written; the caller releases it. Bulk parts are copied when they are
   * decoded.
   */
  read(slot: number): EncodedValue {
    const record = this.recordOf(slot)
    const words = this.words
    const length = read(words, record + TASK.LENGTH)
    const encoded = EncodedValue.toRead(read(words, record + TASK.KIND) & KIND_MASK, length)
    this.#copy(record, encoded, length)
    const block = read(words, record + TASK.BLOCK)
    if (block !== 0) {
      const count = read(words, record + TASK.KIND) >>> REFERENCES_SHIFT
      encoded.bulkSource = new BulkInArena(this.#arena, block, wholeWords(length) + count * 4)
    }
    return encoded
  }

  /** The references that came with the value. */
  referencesOf(slot: number): number[] {
    const record = this.recordOf(slot)
    const words = this.words
    const count = read(words, record + TASK.KIND) >>> REFERENCES_SHIFT
    if (count === 0) return []
    const start = wholeWords(read(words, record + TASK.LENGTH))
    const encoded = EncodedValue.toRead(0, start + count * 4)
    this.#copy(record, encoded, start + count * 4)
    const references = Array.from(encoded.words.subarray(start / 4, start / 4 + count))
    encoded.release()
    return references
  }

  #copy(record: number, encoded: EncodedValue, length: number): void {
    const words = this.words
    const block = read(words, record + TASK.BLOCK)
    if (block === 0) {
      const target = encoded.words
      const count = (length + 3) >> 2
      for (let i = 0; i < count; i++) target[i] = read(words, record + TASK.DATA + i)
    } else this.#arena.readInto(encoded.bytes, block, length)
  }

  /** Whether the record holds the whole value: no references, and nothing that goes by message. */
  isWhole(slot: number): boolean {
    const record = this.recordOf(slot)
    return read(this.words, record + TASK.KIND) <= KIND_MASK
  }

  /** Whether some of the value went by message, or has to be requested. */
  isPosted(slot: number): boolean {
    const record = this.recordOf(slot)
    return (load(this.words, record + TASK.KIND) & POSTED) !== 0
  }

  /** Notes that. If `all` of the value goes by message, what {@link fill} may have written is void. */
  notePosted(slot: number, all: boolean): void {
    const record = this.recordOf(slot)
    write(this.words, record + TASK.KIND, (all ? 0 : read(this.words, record + TASK.KIND)) | POSTED)
  }

  #dropBlock(record: number): void {
    const block = read(this.words, record + TASK.BLOCK)
    if (block === 0) return
    write(this.words, record + TASK.BLOCK, 0)
    this.#arena.give(block)
  }
}

/** Writes the references behind the bytes; returns the total length. */
function appendTo(encoded: EncodedValue, references: readonly number[]): number {
  const start = wholeWords(encoded.length)
  const total = start + references.length * 4
  if (total > encoded.bytes.length) encoded.reserve(total, encoded.length)
  encoded.words.set(references, start / 4)
  return total
}
