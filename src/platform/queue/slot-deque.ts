import { compareAndSet, load, read, store, write } from "#atomics"
import { bitsFor, requirePowerOfTwo } from "../../memory/capacity.ts"
import { Ring, RING } from "../../memory/structures/ring.ts"
import { MOST_TASKS } from "../memory/layout.ts"

/*
 * How it works
 *
 * The deque is a ring (memory/structures/ring.ts) with a single producer, its owner, which can also take back what it
 * has put in last. A cell shows its own state:
 *
 *     { lap, 0 }  --push-->  { lap, slot }  --steal-->  { lap + 1, 0 }
 *                 <--pop---
 *
 * Thieves poll the ring as any consumer does. Only the owner moves the top, so it knows where the top is. A push is one
 * store: the cell is vacant, and only the owner fills vacant cells. A pop is one compareAndSet of the cell, which a
 * thief may try to take at the same time; one of them gets it. If the thief does, everything older was stolen before,
 * and the deque is empty.
 *
 * Only the cells decide, so a death at any step leaves the deque whole, as with the ring. TAIL, where a ring would look
 * for its end, is a hint for threads that count or list. A new owner of the deque finds the top by looking at the cells
 * from HEAD on.
 *
 * A road not taken: the deque of Chase and Lev (2005), in which thieves count a word up and cells are plain. There a
 * pop has to announce itself before it looks (two accesses, and two more for the last value, which in a loop of fork
 * and join every value is): measured, push and pop take 46 ns, and here 18.
 */

/** The bits of a cell that are the slot; the others are its lap. */
const SLOT_BITS: number = bitsFor(MOST_TASKS)

/** How often {@link SlotDeque.isSteady} looks: in all about a tenth of a microsecond. */
const LOOKS = 8

const LAP_MASK: number = -1 << SLOT_BITS

/**
 * Holds the slots of the tasks that a worker has forked. The worker, the owner of the deque, pushes and pops at the
 * top, the newest first. Other threads steal at the base, the oldest first.
 *
 *     const deque = new SlotDeque(words, 0, 8192)     // again in every thread, over the same words
 *     deque.adopt()                                   // the owner, before anything else
 *     deque.push(7)                                   // owner: true, or false if it is full
 *     deque.unpush(7)                                 // owner: true if 7 is on top, and now is not
 *     deque.pop()                                     // owner: the newest, or 0
 *     deque.steal(claim, claims)                      // any thread: the oldest, or 0
 *
 * Each value comes out once. The thread that gets it sees everything written before its `push`. If the owner dies,
 * other threads can still steal what it has pushed; the next owner calls `adopt`.
 */
export class SlotDeque {
  readonly capacity: number
  readonly #words: Int32Array
  readonly #index: number
  readonly #cells: number
  readonly #mask: number
  readonly #lapBits: number
  readonly #ring: Ring
  /** The owner's: where the next slot goes. */
  #top = 0

  /** Occupies `SlotDeque.wordsFor(capacity)` words from `index` on. */
  constructor(words: Int32Array, index: number, capacity: number) {
    this.capacity = requirePowerOfTwo("capacity", capacity)
    this.#words = words
    this.#index = index
    this.#cells = index + RING.CELLS
    this.#mask = capacity - 1
    this.#lapBits = bitsFor(capacity - 1)
    this.#ring = new Ring(words, index, capacity, MOST_TASKS)
  }

  static wordsFor(capacity: number): number {
    return Ring.wordsFor(capacity)
  }

  // ------------------------------------------------------------------ for the owner

  /** Makes the caller the owner, the first one or after another. */
  adopt(): void {
    const words = this.#words
    let at = load(words, this.#index + RING.HEAD)
    // Up to a cell that is vacant; or that holds a slot of the lap before: then the deque is full.
    for (;;) {
      const content = load(words, this.#cells + (at & this.#mask))
      if (content === this.#vacant(at) || (content & LAP_MASK) === this.#vacant((at - this.capacity) | 0)) break
      at = (at + 1) | 0
    }
    this.#top = at
    write(words, this.#index + RING.TAIL, at)
  }

  push(slot: number): boolean {
    const words = this.#words
    const top = this.#top
    const cell = this.#cells + (top & this.#mask)
    const vacant = this.#vacant(top)
    // A thief may have vacated the cell, which a plain read need not show.
    if (read(words, cell) !== vacant && load(words, cell) !== vacant) return false
    this.#top = (top + 1) | 0
    write(words, this.#index + RING.TAIL, (top + 1) | 0)
    store(words, cell, vacant | slot)
    return true
  }

  /** Takes this slot out, if it is the newest. */
  unpush(slot: number): boolean {
    const top = (this.#top - 1) | 0
    const vacant = this.#vacant(top)
    if (!compareAndSet(this.#words, this.#cells + (top & this.#mask), vacant | slot, vacant)) return false
    this.#lower(top)
    return true
  }

  /**
   * Takes the newest slot out; 0 if there is none. The owner first writes it into the word `claim` of `claims`, as for
   * {@link steal}.
   */
  pop(claim = 0, claims: Int32Array = this.#words): number {
    const words = this.#words
    const top = (this.#top - 1) | 0
    const vacant = this.#vacant(top)
    const cell = this.#cells + (top & this.#mask)
    const content = load(words, cell)
    const slot = content - vacant
    // Stolen; or this is below the first slot, where the cell looks stolen too.
    if (slot <= 0 || slot > MOST_TASKS) return 0
    if (claim !== 0) write(claims, claim, slot)
    if (!compareAndSet(words, cell, content, vacant)) return 0
    this.#lower(top)
    return slot
  }

  #lower(top: number): void {
    this.#top = top
    write(this.#words, this.#index + RING.TAIL, top)
  }

  /** How many slots are inside, as the owner sees it; thieves may be taking some at this moment. */
  get length(): number {
    return Math.max((this.#top - load(this.#words, this.#index + RING.HEAD)) | 0, 0)
  }

  // ------------------------------------------------------------------ for any thread

  /**
   * Takes the oldest slot out; 0 if there is none. The caller first writes it into the word `claim` of `claims`: see
   * `Ring.poll`.
   */
  steal(claim: number, claims: Int32Array): number {
    return this.#ring.poll(claim, claims)
  }

  get isEmpty(): boolean {
    return this.#ring.isEmpty
  }

  /**
   * Whether the deque holds a slot that stays there for a few looks. A task that is forked and joined at once is not
   * worth stealing: the thief would take longer to run it than the owner.
   */
  get isSteady(): boolean {
    if (this.isEmpty) return false
    const first = load(this.#words, this.#index + RING.HEAD)
    const cell = this.#cells + (first & this.#mask)
    const vacant = this.#vacant(first)
    for (let looks = LOOKS; looks > 0; looks--) if (load(this.#words, cell) === vacant) return false
    return true
  }

  /** Exact while no thread changes the deque. */
  get size(): number {
    return this.#ring.toArray().length
  }

  /** The slots inside, oldest first; exact as {@link size} is. */
  toArray(): number[] {
    return this.#ring.toArray()
  }

  /** The content of the cell of this position when it is vacant and the position's lap has come. */
  #vacant(at: number): number {
    return (at >>> this.#lapBits) << SLOT_BITS
  }
}
