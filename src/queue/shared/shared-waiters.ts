import { read, write } from "#atomics"
import { LockSync } from "../../lock/lock-sync.ts"
import type { GrowingWords } from "../../memory/growing-words.ts"
import type { SharedMemory } from "../../memory/shared/shared-memory.ts"
import { CellList } from "./cell-list.ts"
import { SharedCells } from "./shared-cells.ts"
import { CONTROL, ENTRY, PENDING, PUTTER, REFUSED, TAKER } from "./shared-layout.ts"
import { type Protected, SharedSection } from "./shared-section.ts"

/**
 * The waiting flows of a shared queue, in two lines: putters wait for room, takers for an element. A third list has the
 * flows whose wait is decided, but which have yet to see it: if their thread dies before that, the next thread finds
 * their cells there. To be used in the critical section, which is made here.
 */
export abstract class SharedWaiters extends SharedCells implements Protected {
  readonly section: SharedSection
  readonly putters: CellList
  readonly takers: CellList
  /** The cells that are SERVED, REFUSED or HELD. */
  readonly leaving: CellList
  readonly #latestFirst: boolean

  constructor(memory: SharedMemory, cells: GrowingWords, spins: number) {
    super(memory, cells)
    this.section = new SharedSection(new LockSync(memory), this.control, this, spins)
    this.putters = new CellList(this.store, this.control, CONTROL.PUTTERS)
    this.takers = new CellList(this.store, this.control, CONTROL.TAKERS)
    this.leaving = new CellList(this.store, this.control, CONTROL.LEAVING)
    this.#latestFirst = this.control.load(CONTROL.LATEST_FIRST) !== 0
  }

  abstract refresh(): void
  abstract sweep(): void
  abstract repair(): void

  /** Runs `body` in the critical section. To be called from outside of it. */
  inside<T>(body: () => T): T {
    this.section.enter()
    return this.section.within(body)
  }

  // ------------------------------------------------------------------ standing in line

  /** Appends a putter, with its element or, if there was no memory for that, without. */
  standAsPutter(cell: number, node: number): void {
    this.occupy(cell, node)
    this.putters.append(cell)
    this.become(cell, PUTTER)
  }

  /** Gives the next putter, which waited for memory in cell `stood`, the cell with its element, at the same place. */
  replacePutter(stood: number, cell: number, node: number): void {
    const { words } = this.store
    this.putters.remove(stood)
    write(words, cell + ENTRY.TICKET, read(words, stood + ENTRY.TICKET))
    this.occupy(cell, node)
    this.standFirst(cell)
    this.discard(stood)
  }

  /** Makes the cell the putter whose turn is next. */
  standFirst(cell: number): void {
    if (this.#latestFirst) this.putters.append(cell)
    else this.putters.prepend(cell)
    this.become(cell, PUTTER)
  }

  standAsTaker(cell: number, node: number): void {
    this.occupy(cell, node)
    this.takers.append(cell)
    this.become(cell, TAKER)
  }

  /**
   * Whether a putter waits for memory. Then later putters have to wait without their elements, too: otherwise their
   * elements could take the memory that the putter before them needs.
   */
  get isMemoryAwaited(): boolean {
    const { last } = this.putters
    return last !== 0 && this.has(last, PENDING)
  }

  // ------------------------------------------------------------------ being served

  /** The cell that is to be served next; 0 if no flow waits in this line. */
  next(line: CellList): number {
    return this.#latestFirst ? line.last : line.first
  }

  /** Whether it is this cell's turn in its line. */
  isNext(cell: number): boolean {
    return this.next(this.stateOf(cell) === PUTTER ? this.putters : this.takers) === cell
  }

  /** The next putter that has its element. Wakes a PENDING putter whose turn it is if there is memory for it now. */
  nextPutter(): number {
    let putter = this.next(this.putters)
    if (putter === 0 || !this.has(putter, PENDING)) return putter
    if (this.isThereMemoryFor(putter)) this.wake(putter)
    while (putter !== 0 && this.has(putter, PENDING)) {
      putter = this.#latestFirst ? this.putters.before(putter) : this.putters.after(putter)
    }
    return putter
  }

  /** Ends the waits of all flows in this line, because the queue is closed. */
  refuseAll(line: CellList): void {
    for (const cell of line.cells()) {
      if (this.threadOf(cell) === 0) continue // an element that was put back: it can still be taken
      line.remove(cell)
      this.leaving.append(cell)
      this.become(cell, REFUSED)
      this.wake(cell)
    }
  }

  /** Wakes the flow that waits at this cell, as soon as the section has been left. */
  wake(cell: number): void {
    this.section.wakeLater(this.threadOf(cell), read(this.store.words, cell + ENTRY.NODE))
  }
}
