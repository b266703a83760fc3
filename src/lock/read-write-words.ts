/**
 * The words of a read-write lock, and the meaning of its state.
 *
 *     STATE      which threads hold it; changed by compare-and-set, which decides
 *     FLOW       which flow of its thread writes; written and compared by that thread alone
 *     HOLDS      how often it is write-locked; written by the writer
 *     FAIR       never changes
 *     MAKER      the token of the thread that made the lock, and
 *     NUMBER     how many it had made: together a name for it, the same in all threads
 *     CELLS      which threads read
 *
 * At every moment at which the lock is held, its words must name the holder: threads die, and what they held has to be
 * freed. So the state does not count the readers, as it would for threads that cannot die, but is the set of them:
 *
 *     state ≥ 0   a bit for each cell whose thread reads, and ABANDONED
 *     state < 0   the token of the thread that writes, and whether it took over from a dead one: −(2 · token + 1 or 0)
 *
 * A cell belongs to one thread at a time, however many of its flows read:
 *
 *     TOKEN      its thread; changed from 0, or from the token of a dead thread, by compare-and-set
 *     READS      how often its flows hold the read lock, all together; written by that thread
 *
 * A thread claims a cell before it sets its bit, and frees the cell after it has cleared the bit. The last cell is for
 * a writer that reads too, and must be certain to find one. It needs no claim: there is one writer at a time.
 */
import { LINE, wholeLines } from "../memory/layout.ts"
import { OWN } from "./synchronizer-base.ts"

export const STATE: number = OWN
export const FLOW: number = OWN + 1
export const HOLDS: number = OWN + 2
export const FAIR: number = OWN + 3
export const MAKER: number = OWN + 4
export const NUMBER: number = OWN + 5
const CELLS = wholeLines(OWN + 6)

/** How many cells any thread may claim. */
export const CELL_COUNT = 29
export const WRITERS_CELL: number = CELL_COUNT
/** A writer died, and no thread has written since. */
export const ABANDONED: number = 1 << (CELL_COUNT + 1)

/** A cache line each: threads that read at the same time should contend for STATE only. */
const CELL = { TOKEN: 0, READS: 1, SIZE: LINE } as const

/** How many words a read-write lock needs. If they are all 0, it is a free one that is not fair. */
export const READ_WRITE_WORDS: number = CELLS + (CELL_COUNT + 1) * CELL.SIZE

export function tokenOf(cell: number): number {
  return CELLS + cell * CELL.SIZE + CELL.TOKEN
}

export function readsOf(cell: number): number {
  return CELLS + cell * CELL.SIZE + CELL.READS
}

/** The cells whose threads read, a bit each; 0 while a thread writes. */
export function readersIn(state: number): number {
  return state < 0 ? 0 : state & ~ABANDONED
}

/** The token of the thread that writes; 0 if none does. */
export function writerIn(state: number): number {
  return state < 0 ? -state >> 1 : 0
}

export function isAbandoned(state: number): boolean {
  return state < 0 ? (-state & 1) !== 0 : (state & ABANDONED) !== 0
}

export function writing(token: number, abandoned: boolean): number {
  return -(2 * token + (abandoned ? 1 : 0))
}
