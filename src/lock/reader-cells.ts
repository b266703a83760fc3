import { compareAndSet, load, read, store, write } from "#atomics"
import type { SharedMemory } from "../memory/shared/shared-memory.ts"
import type { ThreadRegistry } from "../memory/thread/thread-registry.ts"
import {
  ABANDONED,
  CELL_COUNT,
  readersIn,
  readsOf,
  STATE,
  tokenOf,
  writerIn,
  WRITERS_CELL,
} from "./read-write-words.ts"

/** All cells are in use. */
export const NONE = -1

/**
 * The threads that read: the cells of a read-write lock, and their bits in its state. See read-write-words.ts.
 *
 * Death. A thread may die with a cell, with its bit set or not. A thread that needs such a cell, or that the bit keeps
 * from writing, claims the cell by compare-and-set, clears the bit in place of the dead thread, and then uses the cell
 * or frees it. Two threads cannot do so at once, and if the claiming thread dies too, the cell again belongs to a dead
 * thread. (It would be wrong to clear the bit of a dead thread without claiming the cell first: by then a live thread
 * may have the cell, and the state looks the same as before.)
 */
export class ReaderCells {
  readonly #words: Int32Array
  readonly #registry: ThreadRegistry
  readonly #token: number
  /** Where this thread looks first: the cell it had last time is probably free. */
  #preferred: number

  constructor({ words, threadContext }: SharedMemory) {
    this.#words = words
    this.#registry = threadContext.registry
    this.#token = threadContext.token
    this.#preferred = threadContext.token % CELL_COUNT
  }

  /** Claims a cell that no live thread has; NONE if there is none. */
  claim(): number {
    const preferred = this.#preferred
    for (let i = 0; i < CELL_COUNT; i++) {
      const cell = (preferred + i) % CELL_COUNT
      if (compareAndSet(this.#words, tokenOf(cell), 0, this.#token) || this.#inherit(cell)) {
        this.#preferred = cell
        return cell
      }
    }
    return NONE
  }

  /** Frees a cell whose bit is not set. */
  free(cell: number): void {
    // The writers' cell may belong to the next writer already, and then is not touched.
    if (cell !== WRITERS_CELL) store(this.#words, tokenOf(cell), 0)
  }

  /** Begins to read with a claimed cell, after a dead writer too; false if a live thread writes. */
  enter(cell: number, reads: number): boolean {
    write(this.#words, readsOf(cell), reads)
    for (let state = read(this.#words, STATE); ; state = load(this.#words, STATE)) {
      const writer = writerIn(state)
      if (writer !== 0 && this.#registry.isAlive(writer)) {
        if (this.isWritten) return false
      } else if (compareAndSet(this.#words, STATE, state, (writer === 0 ? state : ABANDONED) | (1 << cell))) return true
    }
  }

  /** Whether a live thread writes. */
  get isWritten(): boolean {
    const writer = writerIn(load(this.#words, STATE))
    return writer !== 0 && this.#registry.isAlive(writer)
  }

  /** Ends reading, and returns the cells that still read. */
  leave(cell: number): number {
    const left = this.#clear(cell)
    this.free(cell)
    return readersIn(left)
  }

  /** Ends the reading of dead threads; true if there were any. */
  reap(): boolean {
    let any = false
    for (const cell of cellsIn(load(this.#words, STATE))) {
      if (!this.#inherit(cell)) continue
      this.free(cell)
      any = true
    }
    return any
  }

  /** The live threads that read, and how often. A writer may be among them. */
  list(): { thread: number; holds: number }[] {
    const state = load(this.#words, STATE)
    const writer = writerIn(state)
    const found: { thread: number; holds: number }[] = []
    for (const cell of writer === 0 ? cellsIn(state) : [WRITERS_CELL]) {
      const thread = load(this.#words, tokenOf(cell))
      const holds = load(this.#words, readsOf(cell))
      if (holds > 0 && (writer === 0 || writer === thread) && this.#registry.isAlive(thread))
        found.push({ thread, holds })
    }
    return found
  }

  /** Claims the cell of a dead thread and ends its reading; false if the cell is free, or its thread alive. */
  #inherit(cell: number): boolean {
    const words = this.#words
    const owner = load(words, tokenOf(cell))
    if (owner === 0 || this.#registry.isAlive(owner)) return false
    // A bit that is set while the cell still belongs to the dead thread is the dead thread's, and stays until this
    // thread clears it.
    const reads = (readersIn(load(words, STATE)) & (1 << cell)) !== 0
    if (cell === WRITERS_CELL && !reads) return false // a writer may be about to take it, which it does without a claim
    if (!compareAndSet(words, tokenOf(cell), owner, this.#token)) return false
    if (reads) {
      write(words, readsOf(cell), 0)
      this.#clear(cell)
    }
    return true
  }

  #clear(cell: number): number {
    for (let state = read(this.#words, STATE); ; state = load(this.#words, STATE)) {
      const left = state & ~(1 << cell)
      if (compareAndSet(this.#words, STATE, state, left)) return left
    }
  }
}

/** The numbers of the cells whose bits are set. */
function* cellsIn(state: number): Generator<number> {
  for (let bits = readersIn(state); bits !== 0; bits &= bits - 1) yield 31 - Math.clz32(bits & -bits)
}
