import { read, write } from "#atomics"
import { requireInteger } from "../../checks.ts"
import { IllegalStateError } from "../../errors.ts"

/*
 * How it works
 *
 * A binary heap in an array of entries: those below i are 2i+1 and 2i+2. Each slot has a word that holds its index in
 * the array, plus one. That word is only a hint: a slot is in if the entry it points to is that slot. So the word may
 * hold anything while the slot is not in, and a death between the two writes does no harm.
 *
 * An operation makes all its comparisons first, and then all its moves. One slot moves along a path, and each slot on
 * the path moves by one step. They are copied in the direction of the path, so that each is in two places for a moment
 * and none is missing, apart from the moving slot, which stands in MOVING until it has its place. So at every moment
 *
 *     { entries[0], …, entries[SIZE - 1] } and MOVING
 *
 * are, taken as a set, all slots that should be in. `repair` relies on nothing else, and keeps that true itself, since
 * it may be cut short too.
 */

export const HEAP = { SIZE: 0, MOVING: 1, ENTRIES: 2 } as const

/** Orders slots: negative if `a` comes before `b`. */
export type SlotComparator = (a: number, b: number) => number

/** One word for each slot that the heap has to itself: slot s has `words[index + s * stride]`. */
export interface SlotWords {
  readonly words: Int32Array
  readonly index: number
  readonly stride: number
}

/**
 * A priority queue of slot numbers that can also take out an entry from its middle, in logarithmic time. For use under
 * a lock, or by a single thread over ordinary memory: it makes plain accesses only.
 *
 *     const heap = new IndexedHeap(words, 0, 100, (a, b) => timeOf(a) - timeOf(b), { words, index: 200, stride: 1 })
 *     heap.offer(5)                              // true, or false if the heap is full
 *     heap.peek()                                // the least slot, 0 if there is none
 *     heap.remove(5)                             // true if it was in
 *
 * Slot numbers are positive, and each is in at most once. What the order depends on must not change while a slot is in.
 * Among equals there is no order: a comparator that needs one compares sequence numbers last. Words that are all 0 are
 * an empty heap.
 *
 * A comparator that throws leaves the heap as it was. If a thread dies in the middle of an operation, the next holder
 * of the lock calls {@link IndexedHeap.repair}. Then every slot is in that was in before and was not on its way out;
 * the slot on its way in or out is either in or not.
 */
export class IndexedHeap {
  readonly capacity: number
  readonly #words: Int32Array
  readonly #size: number
  readonly #moving: number
  readonly #entries: number
  readonly #compare: SlotComparator
  readonly #indexWords: Int32Array
  readonly #indexStart: number
  readonly #indexStride: number

  /** Occupies `IndexedHeap.wordsFor(capacity)` words from `index` on, and a word for each slot elsewhere. */
  constructor(words: Int32Array, index: number, capacity: number, compare: SlotComparator, indices: SlotWords) {
    this.capacity = requireInteger("capacity", capacity, 1)
    this.#words = words
    this.#size = index + HEAP.SIZE
    this.#moving = index + HEAP.MOVING
    this.#entries = index + HEAP.ENTRIES
    this.#compare = compare
    this.#indexWords = indices.words
    this.#indexStart = indices.index
    this.#indexStride = indices.stride
  }

  static wordsFor(capacity: number): number {
    return HEAP.ENTRIES + requireInteger("capacity", capacity, 1)
  }

  get size(): number {
    return read(this.#words, this.#size)
  }

  contains(slot: number): boolean {
    return this.#indexOf(slot) >= 0
  }

  /** The least slot, or 0. */
  peek(): number {
    return this.size === 0 ? 0 : this.#entry(0)
  }

  /** Adds the slot; false if the heap is full. */
  offer(slot: number): boolean {
    requireInteger("slot", slot, 1)
    if (this.contains(slot)) throw new IllegalStateError(`Slot ${slot} is in the heap already`)
    const size = this.size
    if (size === this.capacity) return false
    const target = this.#rise(size, slot)
    this.#put(size, slot)
    write(this.#words, this.#size, size + 1)
    if (target !== size) this.#move(slot, size, target)
    return true
  }

  /** Takes out the least slot, or gives 0. */
  poll(): number {
    if (this.size === 0) return 0
    const first = this.#entry(0)
    this.#removeAt(0)
    return first
  }

  /** Takes out the slot; false if it was not in. */
  remove(slot: number): boolean {
    const index = this.#indexOf(slot)
    if (index < 0) return false
    this.#removeAt(index)
    return true
  }

  /** All slots, the least first, the others in no order. */
  toArray(): number[] {
    return Array.from({ length: this.size }, (_, index) => this.#entry(index))
  }

  /**
   * Puts the heap in order after a thread died during an operation. Takes linear time; does no harm to a heap in order.
   */
  repair(): void {
    this.#dropDoubles()
    const moving = read(this.#words, this.#moving)
    if (moving !== 0 && !this.contains(moving)) {
      this.#put(this.size, moving)
      write(this.#words, this.#size, this.size + 1)
    }
    write(this.#words, this.#moving, 0)
    const { size } = this
    for (let index = (size >>> 1) - 1; index >= 0; index--) {
      const slot = this.#entry(index)
      this.#move(slot, index, this.#sink(index, slot, size))
    }
  }

  /** Leaves each slot in one entry, with its index in its word; the last entry takes the place of a double. */
  #dropDoubles(): void {
    let index = 0
    while (index < this.size) {
      const slot = this.#entry(index)
      const other = this.#indexOf(slot)
      if (other >= 0 && other < index) {
        const last = this.size - 1
        write(this.#words, this.#entries + index, this.#entry(last))
        write(this.#words, this.#size, last)
      } else {
        this.#put(index, slot)
        index++
      }
    }
  }

  /** Fills the gap at `index` with the last entry, which then sinks or rises to where it belongs. */
  #removeAt(index: number): void {
    const gone = this.#entry(index)
    const last = this.size - 1
    const slot = this.#entry(last)
    if (index === last) {
      write(this.#words, this.#size, last)
    } else {
      const below = this.#sink(index, slot, last)
      const target = below === index ? this.#rise(index, slot) : below
      write(this.#words, this.#moving, slot)
      write(this.#words, this.#size, last)
      this.#move(slot, index, target)
    }
    this.#setIndex(gone, -1)
  }

  /** Where a slot would come to rest if it rose from `index`. */
  #rise(index: number, slot: number): number {
    const words = this.#words
    const entries = this.#entries
    const compare = this.#compare
    let target = index
    while (target > 0) {
      const parent = (target - 1) >>> 1
      if (!(compare(slot, read(words, entries + parent)) < 0)) break
      target = parent
    }
    return target
  }

  /**
   * Where a slot would come to rest if it sank from `index` among the first `size` entries. It goes down to the end by
   * the lesser child, and back up from there. The sinking slot was the last entry and mostly belongs near the end
   * again, so this takes half of the comparisons that asking on each level whether to stop would take.
   */
  #sink(index: number, slot: number, size: number): number {
    const words = this.#words
    const entries = this.#entries
    const compare = this.#compare
    let target = index
    for (let child = 2 * target + 1; child < size; child = 2 * target + 1) {
      const isRightLess =
        child + 1 < size && compare(read(words, entries + child + 1), read(words, entries + child)) < 0
      target = isRightLess ? child + 1 : child
    }
    while (target > index && !(compare(read(words, entries + target), slot) < 0)) target = (target - 1) >>> 1
    return target
  }

  /** Moves a slot to `to` from the gap at `from`, its ancestor or descendant; the slots between move the other way. */
  #move(slot: number, from: number, to: number): void {
    write(this.#words, this.#moving, slot)
    let gap = from
    while (gap > to) {
      const parent = (gap - 1) >>> 1
      this.#put(gap, this.#entry(parent))
      gap = parent
    }
    // Downwards the path is known only from its end: counted from 1, an ancestor is the number without its last bits.
    for (let levels = Math.clz32(gap + 1) - Math.clz32(to + 1) - 1; levels >= 0; levels--) {
      const child = ((to + 1) >>> levels) - 1
      this.#put(gap, this.#entry(child))
      gap = child
    }
    this.#put(to, slot)
    write(this.#words, this.#moving, 0)
  }

  #entry(index: number): number {
    return read(this.#words, this.#entries + index)
  }

  #put(index: number, slot: number): void {
    write(this.#words, this.#entries + index, slot)
    this.#setIndex(slot, index)
  }

  #setIndex(slot: number, index: number): void {
    write(this.#indexWords, this.#indexStart + slot * this.#indexStride, index + 1)
  }

  /** -1 if the slot is not in. */
  #indexOf(slot: number): number {
    const index = read(this.#indexWords, this.#indexStart + slot * this.#indexStride) - 1
    return index >= 0 && index < this.size && this.#entry(index) === slot ? index : -1
  }
}
