import { compareAndSet, load, read, store, write } from "#atomics"
import { bitsFor, requirePowerOfTwo } from "../../memory/capacity.ts"
import { Ring, RING } from "../../memory/structures/ring.ts"
import { MOST_TASKS } from "../memory/layout.ts"

/*
 * How it works
 *
 * It is a ring (memory/structures/ring.ts) of which one thread alone is the producer, and that one may take back what
 * it has put in last. A cell says by itself how far it has come:
 *
 *     { lap, 0 }  --push-->  { lap, slot }  --steal-->  { lap + 1, 0 }
 *                 <--pop---
 *
 * Thieves poll the ring as any consumer does. The owner knows where the top is, as nobody else moves it, so a push is
 * one store: the cell is vacant, and only the owner fills vacant cells. A pop is one compareAndSet of the cell, which a
 * thief may be after too; one of them gets it. If it was the thief, then everything older was stolen before, and the
 * deque is empty.
 *
 * Nothing but the cell is decisive, so a death at any step leaves it whole, as with the ring. TAIL, where a ring would
 * look for its end, is a hint for those who count or list; the owner of a deque that was another's finds the top by
 * looking at the cells from HEAD on.
 *
 * A road not taken: the deque of Chase and Lev (2005), in which thieves count a word up and cells are plain. There a
 * pop has to announce itself before it looks (two accesses, and two more for the last value, which in a loop of fork
 * and join is each): measured, push and pop take 46 ns, and here 18.
 */

/** The bits of a cell that are the slot; the others are its lap. */
const SLOT_BITS: number = bitsFor(MOST_TASKS)

/** How often to look: in all about a tenth of a microsecond. */
const LOOKS = 8

const LAP_MASK: number = -1 << SLOT_BITS

/**
 * Where a worker keeps the tasks it has forked, by the number of their slot: it puts in and takes out at the top, the
 * newest first; others steal at the base, the oldest first.
 *
 *     const deque = new SlotDeque(words, 0, 8192)     // again in every thread, over the same words
 *     deque.adopt()                                   // the owner, before anything else
 *     deque.push(7)                                   // owner: true, or false if it is full
 *     deque.unpush(7)                                 // owner: true if 7 is on top, and now is not
 *     deque.pop()                                     // owner: the newest, or 0
 *     deque.steal(claim, claims)                      // anybody: the oldest, or 0
 *
 * Each value comes out once, and whatever was written before `push` is seen by whoever gets it. If the owner dies, what
 * it has pushed can still be stolen; the next owner says `adopt`.
 */
export class SlotDeque {
  readonly capacity: number
  readonly #words: Int32Array
  readonly #index: number
  readonly #cells: number
  readonly #mask: number
  readonly #lapBits: number
  readonly #ring: Ring
  /** Of the owner: where the next one goes. */
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

  /** Makes the caller the owner, after another one or as the first. */
  adopt(): void {
    const words = this.#words
    let at = load(words, this.#index + RING.HEAD)
    // Up to a cell that is vacant, or holds what was put there a lap ago: then it is full.
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
    // A thief may have vacated it, which a plain read need not show.
    if (read(words, cell) !== vacant && load(words, cell) !== vacant) return false
    this.#top = (top + 1) | 0
    write(words, this.#index + RING.TAIL, (top + 1) | 0)
    store(words, cell, vacant | slot)
    return true
  }

  /** Takes this one out, if it is the newest. */
  unpush(slot: number): boolean {
    const top = (this.#top - 1) | 0
    const vacant = this.#vacant(top)
    if (!compareAndSet(this.#words, this.#cells + (top & this.#mask), vacant | slot, vacant)) return false
    this.#lower(top)
    return true
  }

  /**
   * Takes the newest out; 0 if there is none. `claim` is where in `claims` to say so beforehand, as for {@link steal}.
   */
  pop(claim = 0, claims: Int32Array = this.#words): number {
    const words = this.#words
    const top = (this.#top - 1) | 0
    const vacant = this.#vacant(top)
    const cell = this.#cells + (top & this.#mask)
    const content = load(words, cell)
    const slot = content - vacant
    // Stolen; or below the first, of which a cell says that it was, too.
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

  /** How many are inside, as the owner sees it; others may just be taking some. */
  get length(): number {
    return Math.max((this.#top - load(this.#words, this.#index + RING.HEAD)) | 0, 0)
  }

  // ------------------------------------------------------------------ for anybody

  /** Takes the oldest out; 0 if there is none. `claim` is where in `claims` to say so beforehand: see `Ring.poll`. */
  steal(claim: number, claims: Int32Array): number {
    return this.#ring.poll(claim, claims)
  }

  get isEmpty(): boolean {
    return this.#ring.isEmpty
  }

  /**
   * Whether something is in it, and stays for as long as it takes to look a few times. What is forked and joined at
   * once is not worth to be stolen: the thief would take longer to run it than its owner.
   */
  get isSteady(): boolean {
    if (this.isEmpty) return false
    const first = load(this.#words, this.#index + RING.HEAD)
    const cell = this.#cells + (first & this.#mask)
    const vacant = this.#vacant(first)
    for (let looks = LOOKS; looks > 0; looks--) if (load(this.#words, cell) === vacant) return false
    return true
  }

  /** Exact while nobody changes it. */
  get size(): number {
    return this.#ring.toArray().length
  }

  /** What is inside, oldest first; as exact. */
  toArray(): number[] {
    return this.#ring.toArray()
  }

  /** What the cell of this position holds if it is the turn of that position, and nothing is there. */
  #vacant(at: number): number {
    return (at >>> this.#lapBits) << SLOT_BITS
  }
}
