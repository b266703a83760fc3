import { read, store, write } from "#atomics"
import { decode } from "../../codec/codec.ts"
import { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import { type ByteStore, CELL } from "../../memory/structures/byte-store.ts"
import type { GrowingWords } from "../../memory/growing-words.ts"
import { HEAP, IndexedHeap } from "../../memory/structures/indexed-heap.ts"
import type { MemoryRecord } from "../../memory/record.ts"
import { sharedNow } from "../../time/shared-clock.ts"
import type { Comparator } from "../local/heap.ts"
import type { End } from "../base/queue-core.ts"
import type { Ordering } from "../base/queue-backend.ts"
import type { SharedItems, SharedWords } from "./shared-items.ts"
import { CONTROL, ENTRY, IN, KIND, LIST } from "./shared-layout.ts"

/**
 * The elements of a shared queue in an order: by a comparator, or by the time at which they expire. Equal elements keep
 * the order of insertion. To be used under the queue's lock.
 *
 * A comparator is a function, and so belongs to one thread: the comparators of all threads have to agree. It compares
 * values, so a comparison decodes the elements.
 */
export class OrderedItems implements SharedItems {
  readonly #store: ByteStore
  readonly #control: MemoryRecord
  readonly #entries: GrowingWords
  readonly #compare: Comparator<unknown>
  readonly #isTimed: boolean
  #heap: IndexedHeap
  /** The memory of the heap. Both may be exchanged for longer views of the same memory; then the heap is made anew. */
  #heapWords: Int32Array
  #cellWords: Int32Array
  /** The elements that the present operation has decoded. */
  readonly #values = new Map<number, unknown>()

  constructor({ store: cells, control }: SharedWords, entries: GrowingWords, ordering: Ordering) {
    this.#store = cells
    this.#control = control
    this.#entries = entries
    this.#isTimed = ordering === "due"
    this.#compare = ordering === "due" ? () => 0 : ordering
    this.#heapWords = entries.words
    this.#cellWords = cells.words
    this.#heap = this.#makeHeap()
  }

  get isTimed(): boolean {
    return this.#isTimed
  }

  get size(): number {
    return this.#control.read(CONTROL.ITEMS + LIST.COUNT)
  }

  at(_end: End): number {
    return cellOf(this.#current().peek())
  }

  ready(end: End): number {
    return this.delay <= 0 ? this.at(end) : 0
  }

  get delay(): number {
    const first = this.at("first")
    if (first === 0) return Infinity
    return this.#isTimed ? this.#dueOf(first) - sharedNow() : 0
  }

  mark(cell: number, due: number): void {
    double[0] = due
    write(this.#store.words, cell + ENTRY.THREAD, halves[0] as number)
    write(this.#store.words, cell + ENTRY.NODE, halves[1] as number)
  }

  add(cell: number, end: End): void {
    const counter = end === "last" ? CONTROL.TAIL_ORDER : CONTROL.HEAD_ORDER
    const order = (this.#control.read(counter) + (end === "last" ? 1 : -1)) | 0
    this.#control.write(counter, order)
    write(this.#store.words, cell + ENTRY.ORDER, order)
    this.#offer(cell)
    store(this.#store.words, cell + ENTRY.STATE, IN)
  }

  remove(cell: number): void {
    this.#change((heap) => heap.remove(cell / CELL.SIZE))
  }

  cells(): number[] {
    return this.#current().toArray().map(cellOf)
  }

  /** Walks over a snapshot of the elements: removing one moves others about. */
  walk(): () => number {
    let places: { readonly cell: number; readonly ticket: number }[] | undefined
    let index = 0
    return () => {
      const { words } = this.#store
      places ??= this.cells().map((cell) => ({ cell, ticket: read(words, cell + ENTRY.TICKET) }))
      for (let place = places[index++]; place !== undefined; place = places[index++]) {
        const { cell, ticket } = place
        if (read(words, cell + ENTRY.STATE) === IN && read(words, cell + ENTRY.TICKET) === ticket) return cell
      }
      return 0
    }
  }

  rebuild(cells: number[]): void {
    write(this.#entries.words, HEAP.SIZE, 0)
    write(this.#entries.words, HEAP.MOVING, 0)
    this.#control.write(CONTROL.ITEMS + LIST.COUNT, 0)
    for (const cell of cells) this.#offer(cell)
  }

  refresh(): void {
    this.#entries.reach(HEAP.ENTRIES + this.size)
  }

  /** Provides the memory first. A rebuild may need more than `refresh` has provided, if another one was cut short. */
  #offer(cell: number): void {
    this.#entries.reach(HEAP.ENTRIES + this.size + 1)
    this.#change((heap) => heap.offer(cell / CELL.SIZE))
  }

  #change(operation: (heap: IndexedHeap) => unknown): void {
    const heap = this.#current()
    try {
      operation(heap)
      this.#control.write(CONTROL.ITEMS + LIST.COUNT, heap.size)
    } finally {
      this.#values.clear()
    }
  }

  #current(): IndexedHeap {
    if (this.#heapWords !== this.#entries.words || this.#cellWords !== this.#store.words) this.#heap = this.#makeHeap()
    return this.#heap
  }

  #makeHeap(): IndexedHeap {
    this.#heapWords = this.#entries.words
    this.#cellWords = this.#store.words
    const places = { words: this.#cellWords, index: ENTRY.PREV, stride: CELL.SIZE }
    const capacity = this.#entries.maximum - HEAP.ENTRIES
    return new IndexedHeap(this.#heapWords, 0, capacity, (a, b) => this.#order(cellOf(a), cellOf(b)), places)
  }

  #order(a: number, b: number): number {
    const order = this.#isTimed ? this.#dueOf(a) - this.#dueOf(b) : this.#compare(this.#valueOf(a), this.#valueOf(b))
    // Neither less nor greater is equal: also NaN, which a careless comparator may return, and which Infinity -
    // Infinity is.
    if (order !== 0 && !Number.isNaN(order)) return order
    const { words } = this.#store
    return (read(words, a + ENTRY.ORDER) - read(words, b + ENTRY.ORDER)) | 0
  }

  #dueOf(cell: number): number {
    halves[0] = read(this.#store.words, cell + ENTRY.THREAD)
    halves[1] = read(this.#store.words, cell + ENTRY.NODE)
    return double[0] as number
  }

  #valueOf(cell: number): unknown {
    if (this.#values.has(cell)) return this.#values.get(cell)
    const { words } = this.#store
    const encoded = EncodedValue.toRead(read(words, cell + ENTRY.SHAPE) & KIND, read(words, cell + CELL.LENGTH))
    this.#store.copy(cell, encoded.words)
    const value = decode(encoded)
    encoded.release()
    this.#values.set(cell, value)
    return value
  }
}

/** A number and its two halves: words have 32 bits. */
const double = new Float64Array(1)
const halves = new Int32Array(double.buffer)

function cellOf(slot: number): number {
  return slot * CELL.SIZE
}
