import { read, write } from "#atomics"
import type { ByteStore } from "../../memory/structures/byte-store.ts"
import type { MemoryRecord } from "../../memory/record.ts"
import { ENTRY, LIST } from "./shared-layout.ts"

/** A doubly linked list of cells of a shared queue. To be used under the queue's lock. */
export class CellList {
  readonly #store: ByteStore
  readonly #control: MemoryRecord
  readonly #base: number

  /** The list's own `LIST.SIZE` words are those of `control` from `base` on. */
  constructor(store: ByteStore, control: MemoryRecord, base: number) {
    this.#store = store
    this.#control = control
    this.#base = base
  }

  get first(): number {
    return this.#control.read(this.#base + LIST.FIRST)
  }

  get last(): number {
    return this.#control.read(this.#base + LIST.LAST)
  }

  get count(): number {
    return this.#control.read(this.#base + LIST.COUNT)
  }

  after(cell: number): number {
    return read(this.#store.words, cell + ENTRY.NEXT)
  }

  before(cell: number): number {
    return read(this.#store.words, cell + ENTRY.PREV)
  }

  append(cell: number): void {
    const { last } = this
    const { words } = this.#store
    write(words, cell + ENTRY.NEXT, 0)
    write(words, cell + ENTRY.PREV, last)
    if (last === 0) this.#setFirst(cell)
    else write(words, last + ENTRY.NEXT, cell)
    this.#setLast(cell)
    this.#setCount(this.count + 1)
  }

  prepend(cell: number): void {
    const { first } = this
    const { words } = this.#store
    write(words, cell + ENTRY.PREV, 0)
    write(words, cell + ENTRY.NEXT, first)
    if (first === 0) this.#setLast(cell)
    else write(words, first + ENTRY.PREV, cell)
    this.#setFirst(cell)
    this.#setCount(this.count + 1)
  }

  remove(cell: number): void {
    const { words } = this.#store
    const next = read(words, cell + ENTRY.NEXT)
    const previous = read(words, cell + ENTRY.PREV)
    if (previous === 0) this.#setFirst(next)
    else write(words, previous + ENTRY.NEXT, next)
    if (next === 0) this.#setLast(previous)
    else write(words, next + ENTRY.PREV, previous)
    this.#setCount(this.count - 1)
  }

  /** All cells, in order. */
  cells(): number[] {
    const cells: number[] = []
    for (let cell = this.first; cell !== 0; cell = this.after(cell)) cells.push(cell)
    return cells
  }

  /** Makes the list consist of these cells. */
  rebuild(cells: Iterable<number>): void {
    this.#setFirst(0)
    this.#setLast(0)
    this.#setCount(0)
    for (const cell of cells) this.append(cell)
  }

  #setFirst(cell: number): void {
    this.#control.write(this.#base + LIST.FIRST, cell)
  }

  #setLast(cell: number): void {
    this.#control.write(this.#base + LIST.LAST, cell)
  }

  #setCount(count: number): void {
    this.#control.write(this.#base + LIST.COUNT, count)
  }
}
