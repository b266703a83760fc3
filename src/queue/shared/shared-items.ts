import { read, store, write } from "#atomics"
import type { ByteStore } from "../../memory/structures/byte-store.ts"
import { sortedBy } from "../../memory/structures/sorted-by.ts"
import type { MemoryRecord } from "../../memory/record.ts"
import { CellList } from "./cell-list.ts"
import type { End } from "../base/queue-core.ts"
import { CONTROL, ENTRY, IN } from "./shared-layout.ts"

/** The elements of a shared queue. To be used under the queue's lock. */
export interface SharedItems {
  /** Whether elements cannot be taken before their time. */
  readonly isTimed: boolean
  readonly size: number
  /** The element at this end; 0 if there is none. */
  at(end: End): number
  /** The element that can be taken at this end now; 0 if there is none. */
  ready(end: End): number
  /** How long until {@link ready} returns an element, if no other is inserted; Infinity if time alone brings none. */
  readonly delay: number
  /** Notes when an element can be taken, before it is inserted. */
  mark(cell: number, due: number): void
  /** Inserts an element: from then on its state is IN. */
  add(cell: number, end: End): void
  /** Takes an element out; the caller sets its state. */
  remove(cell: number): void
  /** All elements, in the order of iteration. */
  cells(): number[]
  /** A way through the elements that survives every change: each call returns the next element, 0 at the end. */
  walk(backwards: boolean): () => number
  /** Makes the structure anew from elements whose state is IN. */
  rebuild(cells: number[]): void
  /** Another thread may have made the memory larger. */
  refresh(): void
}

/** The memory of a shared queue, for code that runs in its critical section. */
export interface SharedWords {
  readonly store: ByteStore
  readonly control: MemoryRecord
}

/** Elements in the order of insertion, at either end. */
export class ListedItems implements SharedItems {
  readonly #store: ByteStore
  readonly #control: MemoryRecord
  readonly #list: CellList

  constructor(words: SharedWords) {
    this.#store = words.store
    this.#control = words.control
    this.#list = new CellList(words.store, words.control, CONTROL.ITEMS)
  }

  get size(): number {
    return this.#list.count
  }

  get isTimed(): boolean {
    return false
  }

  get delay(): number {
    return Infinity
  }

  mark(): void {
    // Elements can be taken at once.
  }

  at(end: End): number {
    return end === "first" ? this.#list.first : this.#list.last
  }

  ready(end: End): number {
    return this.at(end)
  }

  add(cell: number, end: End): void {
    const isLast = end === "last"
    // The counter is written before the order is used: so no two elements have the same order, even if this thread dies
    // in between. Orders wrap at 2³² and are compared by their difference.
    const counter = isLast ? CONTROL.TAIL_ORDER : CONTROL.HEAD_ORDER
    const order = (this.#control.read(counter) + (isLast ? 1 : -1)) | 0
    this.#control.write(counter, order)
    const { words } = this.#store
    write(words, cell + ENTRY.ORDER, order)
    if (isLast) this.#list.append(cell)
    else this.#list.prepend(cell)
    store(words, cell + ENTRY.STATE, IN)
  }

  remove(cell: number): void {
    this.#list.remove(cell)
  }

  cells(): number[] {
    return this.#list.cells()
  }

  walk(backwards: boolean): () => number {
    let place = 0
    let ticket = 0
    let order = 0
    return () => {
      const { words } = this.#store
      let next: number
      if (place === 0) next = this.at(backwards ? "last" : "first")
      else if (read(words, place + ENTRY.STATE) === IN && read(words, place + ENTRY.TICKET) === ticket) {
        next = this.#beyond(place, backwards)
      } else next = this.#seek(order, backwards)
      if (next !== 0) {
        place = next
        ticket = read(words, next + ENTRY.TICKET)
        order = read(words, next + ENTRY.ORDER)
      }
      return next
    }
  }

  rebuild(cells: number[]): void {
    const { words } = this.#store
    const origin = this.#control.read(CONTROL.HEAD_ORDER)
    const orderOf = (cell: number): number => (read(words, cell + ENTRY.ORDER) - origin) | 0
    this.#list.rebuild(sortedBy(cells, orderOf, (a, b) => a - b))
  }

  refresh(): void {
    // Everything is in the store.
  }

  #beyond(cell: number, backwards: boolean): number {
    return backwards ? this.#list.before(cell) : this.#list.after(cell)
  }

  /** The first element beyond this order. The element that had this order is gone. */
  #seek(order: number, backwards: boolean): number {
    let cell = this.at(backwards ? "last" : "first")
    for (; cell !== 0; cell = this.#beyond(cell, backwards)) {
      const distance = (read(this.#store.words, cell + ENTRY.ORDER) - order) | 0
      if (backwards ? distance < 0 : distance > 0) break
    }
    return cell
  }
}
