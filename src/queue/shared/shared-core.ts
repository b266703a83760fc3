import { read, write } from "#atomics"
import type { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import type { GrowingWords } from "../../memory/growing-words.ts"
import type { SharedMemory } from "../../memory/shared/shared-memory.ts"
import type { End } from "../base/queue-core.ts"
import type { SharedItems, SharedWords } from "./shared-items.ts"
import { CONTROL, ENTRY, FREE, GIVEN, HELD, KIND, PUTTER, SERVED, TRANSFER } from "./shared-layout.ts"
import { SharedWaiters } from "./shared-waiters.ts"
import { repair, sweep } from "./shared-repair.ts"

/** An encoded element that is to be inserted. */
export interface EncodedElement {
  readonly encoded: EncodedValue
  readonly end: End
  readonly isTransfer: boolean
  /** When the element can be taken, if elements expire, by the clock of shared-ordered-items.ts. */
  readonly due: number
}

/**
 * The inside of a queue that threads share: its elements, its waiting putters and takers, and the changes of their
 * states. Unless said otherwise, a caller must be in the critical section.
 *
 * How it works
 *
 * Each element is a cell of the store. So is each waiting flow: a putter together with its element, a taker by itself.
 * The STATE of a cell tells what it is.
 *
 *     PUTTER ──→ IN ──→ (FREE)          an element comes in at once, or when there is room, and is taken out
 *        └────────┴──→ GIVEN ──→ (FREE) or a taker waits for it; then it belongs to that taker, which fetches it
 *     TAKER ──→ SERVED ──→ (FREE)       the same, as the taker sees it
 *
 * No flow can overtake a waiting one: the thread that inserts an element gives it to the next waiting taker, and the
 * thread that makes room fills it with the element of the next waiting putter. So the outcome of a wait is decided
 * before its flow runs again, whatever other threads do meanwhile.
 *
 * Death. The states are the truth: each change of a state is a single store and completes the operation. The thread
 * that gets the lock from a dead thread makes lists, counts and the set of free cells anew from the states
 * (shared-repair.ts). So an element is either in or out, and a dying thread loses only elements that it had taken out
 * already.
 */
export class SharedCore extends SharedWaiters {
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

  /** May also be read outside of the critical section. */
  get isClosed(): boolean {
    return this.control.load(CONTROL.CLOSED) !== 0
  }

  // ------------------------------------------------------------------ elements

  /** Makes a cell with the element, which has no state yet; 0 if there is no memory for it. */
  pack({ encoded, end, isTransfer, due }: EncodedElement): number {
    const cell = this.write(encoded, end, isTransfer ? TRANSFER : 0)
    if (cell !== 0 && this.items.isTimed) this.items.mark(cell, due)
    return cell
  }

  /** Inserts an element now; false if there is no room, or the queue is closed. */
  put(element: EncodedElement): boolean {
    if (!this.hasRoom) return false
    const cell = this.pack(element)
    if (cell === 0) return false
    this.admit(cell)
    if (this.items.isTimed) this.serve()
    return true
  }

  /** Whether an element could be inserted now, without overtaking a waiting putter. */
  get hasRoom(): boolean {
    if (this.control.read(CONTROL.CLOSED) !== 0) return false
    return this.takers.count > 0 || (this.putters.count === 0 && this.items.size < this.capacity)
  }

  /** Inserts an element, or gives it to a waiting taker. The cell is in no list. */
  admit(cell: number): void {
    const taker = this.next(this.takers)
    if (taker !== 0 && !this.items.isTimed) {
      this.#give(cell, taker)
      return
    }
    try {
      this.items.add(cell, this.endOf(cell))
    } catch (error) {
      // A comparator threw. The element has not been in yet: a queue with a comparator has no limit, so no putter
      // waits.
      this.discard(cell)
      this.section.failSafely()
      throw error
    }
  }

  /** Takes an element out of its place. Throws what a comparator throws. */
  removeItem(cell: number): void {
    try {
      this.items.remove(cell)
    } catch (error) {
      this.section.failSafely()
      throw error
    }
  }

  /** The element that this SERVED taker has got. */
  itemOf(taker: number): number {
    return read(this.store.words, taker + ENTRY.ORDER)
  }

  /** The element that can be taken at this end now; 0 if there is none. */
  available(end: End): number {
    const cell = this.items.ready(end)
    return cell === 0 && this.capacity === 0 ? this.nextPutter() : cell
  }

  /** Takes out an element that is in, or whose putter waits, and wakes its producer. The cell gets this state. */
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

  /** Puts a HELD element back to where it was. It has no waiting producer: takeOut() has woken that. */
  putBack(cell: number): void {
    const { words } = this.store
    const kind = read(words, cell + ENTRY.SHAPE) & KIND
    this.leaving.remove(cell)
    this.label(cell, kind, "first")
    if (this.items.isTimed) this.items.mark(cell, -Infinity) // the element had expired
    if (this.takers.count > 0 || this.capacity > 0) this.admit(cell)
    else this.standFirst(cell)
  }

  // ------------------------------------------------------------------ waiting flows

  /** Inserts the element of a transfer, whose producer waits until it has been received. */
  standAsTransfer(cell: number, node: number): void {
    this.occupy(cell, node)
    this.items.add(cell, "last")
  }

  /** Matches elements with waiting takers, and room with waiting putters. To be called after every removal. */
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

  /** Closes the queue: refuses new elements and all flows that would wait in vain. Calling it twice does no harm. */
  close(): void {
    this.control.store(CONTROL.CLOSED, 1)
    this.refuseAll(this.putters)
    if (this.items.size === 0) this.refuseAll(this.takers)
  }

  // ------------------------------------------------------------------ inside

  /**
   * Only the first of the takers that wait for an element to expire, the leader, has a time limit. When another taker
   * becomes the first, or another element is to expire next, wakes the leader, so that it looks how long to wait.
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
