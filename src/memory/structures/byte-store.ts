import { read, write } from "#atomics"
import type { GrowingWords } from "../growing-words.ts"
import type { MemoryRecord } from "../record.ts"

/*
 * How it works
 *
 * Memory is cut into cells of a cache line each. A piece is one cell, or a chain of cells if one is too short. There is
 * nothing to split or to merge: any free cell serves any piece, and the longest possible piece is as long as all free
 * cells together. Data has to be copied cell by cell, but that costs less than encoding it.
 *
 *     first cell:    LINK  MORE     LENGTH  OWN …  DATA …
 *     further cell:  LINK  FURTHER  data …
 *
 * Free cells are linked by LINK; those beyond USED have never been used. After a death, all this can be made anew from
 * the first cells that are in use: see `rebuild`.
 */
export const CELL = { LINK: 0, MORE: 1, LENGTH: 2, OWN: 3, DATA: 10, SIZE: 16 } as const

/** In the place of MORE, in a cell that is not the first of its piece. */
const FURTHER = -1
const FURTHER_DATA = 2

const FIRST_BYTES = (CELL.SIZE - CELL.DATA) * 4
const FURTHER_BYTES = (CELL.SIZE - FURTHER_DATA) * 4

/** The words that the user of the store provides for it. */
export const STORE = { FREE: 0, FREE_COUNT: 1, USED: 2, SIZE: 3 } as const

/**
 * Pieces of data of any length in memory that threads share. For use under a lock.
 *
 *     const piece = store.take(100)               // 0 if there is no room left
 *     store.fill(piece, words)                    // its bytes, from words
 *     store.copy(piece, words)                    // and back
 *     store.give(piece)
 *
 * A piece is named by a number: the index in `store.words` at which its first cell begins. The words from `CELL.OWN` to
 * `CELL.DATA` of that cell are the user's, and so is `CELL.LINK` as long as the piece is taken. The first of the user's
 * words tells whether the piece is in use: it is 0 when a piece is taken, and has to be 0 when it is given back.
 */
export class ByteStore {
  readonly #memory: GrowingWords
  readonly #state: MemoryRecord
  #cells: number

  /** `state` has room for `STORE.SIZE` words, all 0 at first. */
  constructor(memory: GrowingWords, state: MemoryRecord) {
    this.#memory = memory
    this.#state = state
    // The first cell is never used: 0 names nothing.
    this.#cells = Math.floor(memory.maximum / CELL.SIZE) - 1
  }

  get words(): Int32Array {
    return this.#memory.words
  }

  /** To be called first by each new holder of the lock: other threads may have made the memory larger. */
  refresh(): void {
    this.#memory.reach(this.#end)
  }

  /** How many cells are free. */
  get room(): number {
    return this.#state.read(STORE.FREE_COUNT) + this.#cells - this.#state.read(STORE.USED)
  }

  /** How many cells that many bytes need. */
  static cellsFor(bytes: number): number {
    return bytes <= FIRST_BYTES ? 1 : 1 + Math.ceil((bytes - FIRST_BYTES) / FURTHER_BYTES)
  }

  /** Whether that many bytes could ever be held, if `spare` cells are to be left. */
  couldHold(bytes: number, spare: number): boolean {
    return ByteStore.cellsFor(bytes) <= this.#cells - spare
  }

  /** A piece for that many bytes; 0 if fewer than `spare` cells would then be left. */
  take(bytes: number, spare = 0): number {
    const count = ByteStore.cellsFor(bytes)
    if (this.room - count < spare || !this.#provide(count)) return 0
    let chain = 0
    for (let further = count - 1; further > 0; further--) {
      const cell = this.#takeCell()
      write(this.words, cell + CELL.LINK, chain)
      write(this.words, cell + CELL.MORE, FURTHER)
      chain = cell
    }
    const piece = this.#takeCell()
    const { words } = this
    write(words, piece + CELL.OWN, 0) // first: only now may it look like the beginning of a piece
    write(words, piece + CELL.MORE, chain)
    write(words, piece + CELL.LENGTH, bytes)
    return piece
  }

  give(piece: number): void {
    const { words } = this
    for (let cell = read(words, piece + CELL.MORE); cell !== 0;) {
      const next = read(words, cell + CELL.LINK)
      this.#giveCell(cell)
      cell = next
    }
    this.#giveCell(piece)
  }

  /** Copies the data of a piece from words. */
  fill(piece: number, source: Int32Array): void {
    this.#transfer(piece, source, true)
  }

  /** Copies the data of a piece to words. */
  copy(piece: number, target: Int32Array): void {
    this.#transfer(piece, target, false)
  }

  #transfer(piece: number, outside: Int32Array, isInward: boolean): void {
    const { words } = this
    const count = (read(words, piece + CELL.LENGTH) + 3) >> 2
    let at = 0
    let cell = piece
    let from = piece + CELL.DATA
    for (;;) {
      const end = Math.min(at + cell + CELL.SIZE - from, count)
      if (isInward) while (at < end) write(words, from++, outside[at++] as number)
      else while (at < end) outside[at++] = read(words, from++)
      if (at === count) return
      cell = read(words, cell + (cell === piece ? CELL.MORE : CELL.LINK))
      from = cell + FURTHER_DATA
    }
  }

  // ------------------------------------------------------------------ after a death

  /** Every cell that may be the first of a piece in use: its first own word is not 0. */
  *pieces(): Generator<number> {
    for (let cell: number = CELL.SIZE; cell < this.#end; cell += CELL.SIZE) {
      if (read(this.words, cell + CELL.MORE) !== FURTHER && read(this.words, cell + CELL.OWN) !== 0) yield cell
    }
  }

  /** Makes everything free that does not belong to one of these pieces. */
  rebuild(pieces: Iterable<number>): void {
    const { words } = this
    const taken = new Uint8Array(this.#end / CELL.SIZE)
    for (const piece of pieces) {
      taken[piece / CELL.SIZE] = 1
      for (let cell = read(words, piece + CELL.MORE); cell !== 0; cell = read(words, cell + CELL.LINK)) {
        taken[cell / CELL.SIZE] = 1
      }
    }
    this.#state.write(STORE.FREE, 0)
    this.#state.write(STORE.FREE_COUNT, 0)
    for (let cell = this.#end - CELL.SIZE; cell > 0; cell -= CELL.SIZE) {
      if (taken[cell / CELL.SIZE] === 0) this.#giveCell(cell)
    }
  }

  // ------------------------------------------------------------------ cells

  get #end(): number {
    return (this.#state.read(STORE.USED) + 1) * CELL.SIZE
  }

  /** Makes the memory larger if that many cells need it; false if the machine has no more. */
  #provide(count: number): boolean {
    const fresh = count - this.#state.read(STORE.FREE_COUNT)
    if (fresh <= 0) return true
    try {
      this.#memory.reach(this.#end + fresh * CELL.SIZE)
      return true
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      // The machine will have no more for some time, and `room` must account for that.
      this.#cells = Math.floor(this.words.length / CELL.SIZE) - 1
      return false
    }
  }

  #takeCell(): number {
    const cell = this.#state.read(STORE.FREE)
    if (cell === 0) {
      const fresh = this.#end
      this.#state.write(STORE.USED, this.#state.read(STORE.USED) + 1)
      return fresh
    }
    this.#state.write(STORE.FREE, read(this.words, cell + CELL.LINK))
    this.#state.write(STORE.FREE_COUNT, this.#state.read(STORE.FREE_COUNT) - 1)
    return cell
  }

  #giveCell(cell: number): void {
    write(this.words, cell + CELL.LINK, this.#state.read(STORE.FREE))
    this.#state.write(STORE.FREE, cell)
    this.#state.write(STORE.FREE_COUNT, this.#state.read(STORE.FREE_COUNT) + 1)
  }
}
