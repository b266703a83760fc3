import { read, write } from "#atomics"
import type { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import type { GrowingWords } from "../../memory/growing-words.ts"
import type { SharedMemory } from "../../memory/shared/shared-memory.ts"
import type { End } from "../base/queue-core.ts"
import type { SharedItems, SharedWords } from "./shared-items.ts"
import { CONTROL, ENTRY, FREE, GIVEN, HELD, KIND, PUTTER, SERVED, TRANSFER } from "./shared-layout.ts"
import { SharedLines } from "./shared-lines.ts"
import { repair, sweep } from "./shared-repair.ts"

/** An element on its way in. */
export interface EncodedElement {
  readonly encoded: EncodedValue
  readonly end: End
  readonly isTransfer: boolean
  /** When it can be taken, if elements expire, by the clock of shared-ordered-items.ts. */
  readonly due: number
}

/**
 * The inside of a queue that threads share: elements, those who wait, and what becomes of them. Nearly everything here
 * is for who is in the critical section.
 *
 * How it works
 *
 * Each element is a piece of the store, and each one who waits is one too: a putter together with its element, a taker
 * by itself. What such a cell is, its STATE tells.
 *
 *     PUTTER ──→ IN ──→ (FREE)          an element comes in at once, or when there is room, and is taken out
 *        └────────┴──→ GIVEN ──→ (FREE) or somebody is waiting for it; then it is that taker's, who fetches it
 *     TAKER ──→ SERVED ──→ (FREE)       the same, as the taker sees it
 *
 * Nobody slips in between: what a waiting taker gets is given to it by whoever inserts, in the order of the line, and
 * room that comes free is filled with the elements of waiting putters by whoever makes it. So a wait ends with what
 * it was for, whatever others do before its flow runs.
 *
 * Death. The states are the truth: each change of them is a single store and completes what it is about. Lists, counts,
 * and which cells are free are made anew from them by who gets the lock from a dead thread (shared-repair.ts). So an
 * element is in or out, and a thread takes with it only what it had taken out already.
 */
export class SharedCore extends SharedLines {
  readonly items: SharedItems
  readonly capacity: number

  constructor(memory: SharedMemory, cells: GrowingWords, items: (words: SharedWords) => SharedItems, spins: number) {
    super(memory, cells, spins)
    this.items = items(this)
    this.capacity = this.control.load(CONTROL.CAPACITY)
  }

  override refresh(): void {
    this.store.refresh()
    this.items.refresh()
  }

  override sweep(): void {
    sweep(this)
  }

  override repair(): void {
    repair(this)
  }

  /** Also from outside. */
  get isClosed(): boolean {
    return this.control.load(CONTROL.CLOSED) !== 0
  }

  // ------------------------------------------------------------------ elements

  /** A cell with the element, which is nothing yet; 0 if there is no memory for it. */
  pack({ encoded, end, isTransfer, due }: EncodedElement): number {
    const cell = this.write(encoded, end, isTransfer ? TRANSFER : 0)
    if (cell !== 0 && this.items.isTimed) this.items.mark(cell, due)
    return cell
  }

  /** Lets an element in now; false if there is no room, or the queue is closed. */
  put(element: EncodedElement): boolean {
    if (!this.hasRoom) return false
    const cell = this.pack(element)
    if (cell === 0) return false
    this.admit(cell)
    if (this.items.isTimed) this.serve()
    return true
  }

  /** Whether an element could come in now. Not ahead of those who wait. */
  get hasRoom(): boolean {
    if (this.control.read(CONTROL.CLOSED) !== 0) return false
    return this.takers.count > 0 || (this.putters.count === 0 && this.items.size < this.capacity)
  }

  /** Lets an element in, or gives it to who waits for one. It is in no list. */
  admit(cell: number): void {
    const taker = this.next(this.takers)
    if (taker !== 0 && !this.items.isTimed) {
      this.#give(cell, taker)
      return
    }
    try {
      this.items.add(cell, this.endOf(cell))
    } catch (error) {
      // By a comparator. The element has not been in yet: where there is a comparator, nobody waits for room.
      this.discard(cell)
      this.section.failSafely()
      throw error
    }
  }

  /** Takes an element out of its place; a comparator may not want that. */
  removeItem(cell: number): void {
    try {
      this.items.remove(cell)
    } catch (error) {
      this.section.failSafely()
      throw error
    }
  }

  /** The element that a taker was served with. */
  itemOf(taker: number): number {
    return read(this.store.words, taker + ENTRY.ORDER)
  }

  /** The element that can be taken at this end now; 0 if there is none. */
  available(end: End): number {
    const cell = this.items.ready(end)
    return cell === 0 && this.capacity === 0 ? this.nextPutter() : cell
  }

  /** Takes an element out that is in, or whose putter waits; who waits for that is told. Its state becomes this one. */
  takeOut(cell: number, state: typeof FREE | typeof HELD): void {
    const { words } = this.store
    if (this.stateOf(cell) === PUTTER) {
      this.putters.remove(cell)
      this.wake(cell)
    } else {
      this.removeItem(cell)
      if (this.has(cell, TRANSFER)) this.wake(cell)
    }
    if (state === HELD) {
      write(words, cell + ENTRY.THREAD, this.memory.threadContext.token)
      this.leaving.append(cell)
    }
    this.become(cell, state)
    if (state === FREE) this.store.give(cell)
    if (this.control.read(CONTROL.CLOSED) !== 0 && this.items.size === 0) this.refuseAll(this.takers)
  }

  /** An element that was held goes back to where it was, by itself: who brought it has been told that it was taken. */
  putBack(cell: number): void {
    const { words } = this.store
    const kind = read(words, cell + ENTRY.SHAPE) & KIND
    this.leaving.remove(cell)
    this.label(cell, kind, "first")
    if (this.items.isTimed) this.items.mark(cell, -Infinity) // it had expired
    if (this.takers.count > 0 || this.capacity > 0) this.admit(cell)
    else this.standFirst(cell)
  }

  // ------------------------------------------------------------------ those who wait

  /** An element that is in, while somebody waits for it to be received. */
  standAsTransfer(cell: number, node: number): void {
    this.occupy(cell, node)
    this.items.add(cell, "last")
  }

  /**
   * Brings together whatever can be: elements and takers, room and putters. To be called whenever something went out.
   */
  serve(): void {
    for (;;) {
      const taker = this.next(this.takers)
      const item = taker === 0 ? 0 : this.items.ready(this.endOf(taker))
      if (item !== 0) {
        this.removeItem(item)
        this.#give(item, taker)
        continue
      }
      if (taker === 0 && this.items.size >= this.capacity) break
      const putter = this.nextPutter()
      if (putter === 0) break
      this.putters.remove(putter)
      this.wake(putter)
      this.admit(putter)
    }
    if (this.items.isTimed) this.#appointLeader()
  }

  /** Lets nothing in any more, and sends everybody away who waits in vain. Does no harm the second time. */
  close(): void {
    this.control.store(CONTROL.CLOSED, 1)
    this.refuseAll(this.putters)
    if (this.items.size === 0) this.refuseAll(this.takers)
  }

  // ------------------------------------------------------------------ inside

  /**
   * Of those who wait for elements to expire only the first, the leader, has a time to wake up. When another one
   * becomes first, or another element is to expire next, it is woken to look how long that takes.
   */
  #appointLeader(): void {
    const leader = this.next(this.takers)
    const head = this.items.at("first")
    if (leader === 0 || head === 0) return
    const [ticket, headTicket] = [this.ticketOf(leader), this.ticketOf(head)]
    if (this.control.read(CONTROL.LEADER) === ticket && this.control.read(CONTROL.LEADS_FOR) === headTicket) return
    this.control.write(CONTROL.LEADER, ticket)
    this.control.write(CONTROL.LEADS_FOR, headTicket)
    this.wake(leader)
  }

  #give(cell: number, taker: number): void {
    const { words } = this.store
    this.takers.remove(taker)
    write(words, cell + ENTRY.NEXT, taker)
    this.become(cell, GIVEN)
    write(words, taker + ENTRY.ORDER, cell)
    this.leaving.append(taker)
    this.become(taker, SERVED)
    if (this.has(cell, TRANSFER)) this.wake(cell)
    this.wake(taker)
  }
}
