import { read, store, write } from "#atomics"
import { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import { IllegalStateError, NotSerializableError } from "../../errors.ts"
import { ByteStore, CELL } from "../../memory/structures/byte-store.ts"
import type { GrowingWords } from "../../memory/growing-words.ts"
import { MemoryRecord } from "../../memory/record.ts"
import type { SharedMemory } from "../../memory/shared/shared-memory.ts"
import type { End } from "../base/queue-core.ts"
import type { SharedWords } from "./shared-items.ts"
import { AT_FIRST, CONTROL, CONTROL_BASE, ENTRY, FREE, KIND, PENDING } from "./shared-layout.ts"

/** So many cells, or an eighth of a small store, are reserved for waiting flows: elements must not use them up. */
const MOST_SPARE = 4096

/**
 * The cells of a shared queue, elements and waiting flows, as words. shared-core.ts has their states. To be used in the
 * critical section.
 */
export class SharedCells implements SharedWords {
  readonly memory: SharedMemory
  readonly control: MemoryRecord
  readonly store: ByteStore
  readonly #spare: number

  constructor(memory: SharedMemory, cells: GrowingWords) {
    this.memory = memory
    this.control = new MemoryRecord(memory.words, CONTROL_BASE)
    this.store = new ByteStore(cells, new MemoryRecord(memory.words, CONTROL_BASE + CONTROL.STORE))
    this.#spare = Math.min(MOST_SPARE, Math.floor(cells.maximum / CELL.SIZE / 8))
  }

  stateOf(cell: number): number {
    return read(this.store.words, cell + ENTRY.STATE)
  }

  ticketOf(cell: number): number {
    return read(this.store.words, cell + ENTRY.TICKET)
  }

  threadOf(cell: number): number {
    return read(this.store.words, cell + ENTRY.THREAD)
  }

  /** Whether the cell has this state, and is still in the same use. */
  is(cell: number, state: number, ticket: number): boolean {
    return this.stateOf(cell) === state && this.ticketOf(cell) === ticket
  }

  has(cell: number, flag: number): boolean {
    return (read(this.store.words, cell + ENTRY.SHAPE) & flag) !== 0
  }

  endOf(cell: number): End {
    return this.has(cell, AT_FIRST) ? "first" : "last"
  }

  /** Completes a change. */
  become(cell: number, state: number): void {
    store(this.store.words, cell + ENTRY.STATE, state)
  }

  // ------------------------------------------------------------------ making and reading them

  /** Throws if the value is too long for the queue, however empty that is. */
  requireRoomFor(encoded: EncodedValue): void {
    if (this.store.couldHold(encoded.length, this.#spare)) return
    throw new NotSerializableError(`The element takes ${encoded.length} bytes, more than a shared queue can hold`)
  }

  /** Makes a cell with the element, which has no state yet; 0 if there is no memory for it. */
  write(encoded: EncodedValue, end: End, flags: number): number {
    const cell = this.store.take(encoded.length, this.#spare)
    if (cell === 0) return 0
    this.store.fill(cell, encoded.words)
    this.label(cell, encoded.kind | flags, end)
    return cell
  }

  /** The element, to be decoded after leaving the section. */
  read(cell: number): EncodedValue {
    const { words } = this.store
    const encoded = EncodedValue.toRead(read(words, cell + ENTRY.SHAPE) & KIND, read(words, cell + CELL.LENGTH))
    this.store.copy(cell, encoded.words)
    return encoded
  }

  /** Makes a cell for a waiting flow that has no element. */
  place(end: End): number {
    const cell = this.store.take(0)
    if (cell === 0) throw new IllegalStateError("Too many flows wait: the memory of the shared queue is used up")
    this.label(cell, 0, end)
    return cell
  }

  /** Makes a cell for a putter for whose element there is no memory. */
  placeWithout(encoded: EncodedValue, end: End): number {
    const cell = this.place(end)
    const { words } = this.store
    write(words, cell + ENTRY.SHAPE, read(words, cell + ENTRY.SHAPE) | PENDING)
    write(words, cell + ENTRY.ORDER, ByteStore.cellsFor(encoded.length))
    return cell
  }

  /** Whether there is memory now for the element of a putter that was placed without it. */
  isThereMemoryFor(putter: number): boolean {
    return this.store.room - read(this.store.words, putter + ENTRY.ORDER) >= this.#spare
  }

  /** Gives the cell a new ticket and its shape. It belongs to no thread yet. */
  label(cell: number, shape: number, end: End): void {
    const { words } = this.store
    const ticket = (this.control.read(CONTROL.TICKETS) + 1) | 0
    this.control.write(CONTROL.TICKETS, ticket)
    write(words, cell + ENTRY.TICKET, ticket)
    write(words, cell + ENTRY.SHAPE, end === "first" ? shape | AT_FIRST : shape)
    write(words, cell + ENTRY.THREAD, 0)
  }

  /** A flow of this thread waits at this cell, by this node. */
  occupy(cell: number, node: number): void {
    write(this.store.words, cell + ENTRY.NODE, node)
    write(this.store.words, cell + ENTRY.THREAD, this.memory.threadContext.token)
  }

  /** Frees a cell that is in no list. */
  discard(cell: number): void {
    this.become(cell, FREE)
    this.store.give(cell)
  }
}
