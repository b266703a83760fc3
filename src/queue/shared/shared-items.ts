import { read, store, write } from "#atomics"
import type { ByteStore } from "../../memory/structures/byte-store.ts"
import type { MemoryRecord } from "../../memory/record.ts"
import { CellList } from "./cell-list.ts"
import type { End } from "../base/queue-core.ts"
import { CONTROL, ENTRY, IN } from "./shared-layout.ts"

/** The elements of a shared queue. For use under its lock. */
export interface SharedItems {
  /** Whether elements cannot be taken before their time. */
  readonly isTimed: boolean
  readonly size: number
  /** The element at this end; 0 if there is none. */
  at(end: End): number
  /** The element that can be taken at this end now; 0 if there is none. */
  ready(end: End): number
  /** How long until {@link ready} shows an element, if nobody inserts one; Infinity if there is nothing to wait for. */
  readonly delay: number
  /** Notes when an element can be taken, before it is put in. */
  mark(cell: number, due: number): void
  /** Puts an element in: from then on its state is IN. */
  add(cell: number, end: End): void
  /** Takes an element out; its state is up to the caller. */
  remove(cell: number): void
  /** All of them, in the order of iteration. */
  cells(): number[]
  /** A way through them that survives every change: gives the next one at each call, 0 at the end. */
  walk(backwards: boolean): () => number
  /** Makes everything anew, of elements whose state is IN. */
  rebuild(cells: number[]): void
  /** Others may have made the memory larger. */
  refresh(): void
}

/** What can be read in the memory of a shared queue by who is inside. */
export interface SharedWords {
  readonly store: ByteStore
  readonly control: MemoryRecord
}

/** Elements in the order in which they came, at either end. */
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
    // They can be taken at once.
  }

  at(end: End): number {
    return end === "first" ? this.#list.first : this.#list.last
  }

  ready(end: End): number {
    return this.at(end)
  }

  add(cell: number, end: End): void {
    const isLast = end === "last"
    // Counted before it is used: so no two elements have the same, also if we die in between. Orders wrap at 2³² and
    // are compared by their difference.
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
    this.#list.rebuild(cells.toSorted((a, b) => orderOf(a) - orderOf(b)))
  }

  refresh(): void {
    // Everything is in the store.
  }

  #beyond(cell: number, backwards: boolean): number {
    return backwards ? this.#list.before(cell) : this.#list.after(cell)
  }

  /** The first element that comes after those of this order, which is not there any more. */
  #seek(order: number, backwards: boolean): number {
    let cell = this.at(backwards ? "last" : "first")
    for (; cell !== 0; cell = this.#beyond(cell, backwards)) {
      const distance = (read(this.#store.words, cell + ENTRY.ORDER) - order) | 0
      if (backwards ? distance < 0 : distance > 0) break
    }
    return cell
  }
}
