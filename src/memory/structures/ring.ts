import { compareAndSet, load, write } from "#atomics"
import { rangeError } from "../../checks.ts"
import { bitsFor, requireBits, requirePowerOfTwo } from "../capacity.ts"

/*
 * How it works
 *
 * Positions count from 0 and wrap at 2³². Position p lies in cell p mod capacity; the round it belongs to is its lap. A
 * cell is one word, { lap, value }, and runs through
 *
 *     { lap, 0 }  --offer-->  { lap, value }  --poll or remove-->  { lap + 1, 0 }
 *
 * so the cell alone says how far its position has come, and each step is one compareAndSet which both claims and
 * publishes. HEAD and TAIL only say where to look. A thread that finds that the position there is done with moves them
 * on, whichever thread completed it.
 *
 * Why a death costs no more than the value that the thread was taking. Before its compareAndSet of the cell a thread
 * has changed nothing. After it, the operation is complete: the next thread moves HEAD or TAIL on, which is all that is
 * left. There is no state in between, hence nothing to wait for and nothing to clean up. (The better known queue with a
 * sequence number beside each value claims a position in one step and fills it in another. A producer that dies between
 * the two stops all consumers for good.)
 *
 * The price is the range of values, because value and lap share 32 bits. A thread that is held up just before its
 * compareAndSet, while the others do exactly a multiple of 2^(lap bits) laps, takes a cell for the one it saw. A
 * consumer then takes a value out of turn. A producer puts a value ahead of TAIL, where no consumer would look; it
 * notices, because TAIL is far from where it was, takes the value out again and starts anew. So the worst outcome is a
 * value out of order (or, if the producer dies in that very moment, a value that is in but waits for TAIL to reach it).
 * With a million values and 1024 cells the multiple is four million operations; the fewer the values, the larger it is.
 *
 * Removing frees the cell out of turn: HEAD finds it done when it comes there. Until then it is a hole, which takes up
 * room and for which `size` has to look at the cells. HOLES says up to where there may be one.
 *
 * A road not taken: HEAD and the cell could be read plainly at first, as the compareAndSet reveals any stale read. It
 * would save a third of the time of an uncontended `poll`, and give up the rule that plain access means one writer.
 */

/** TAIL for producers, HEAD for consumers, and the cells: each on cache lines of their own. */
export const RING = { TAIL: 0, HEAD: 16, HOLES: 17, CELLS: 32 } as const

/** Leaves 4 bits for the lap. */
const MAX_VALUE_BITS = 28

/**
 * A bounded first-in-first-out queue in shared memory: any thread may add, take and remove. Lock-free. If a thread dies
 * in the middle of any operation, all other threads can go on at once.
 *
 *     const words = sharedWords(Ring.wordsFor(1024))
 *     const ring = new Ring(words, 0, 1024)      // again in every thread, over the same words
 *     ring.offer(7)                              // true
 *     ring.poll()                                // 7, then 0
 *
 * It holds numbers from 1 to `maxValue`: numbers of slots, in which the actual things lie. Words that are all 0 are an
 * empty ring. The values of one producer keep their order. A thread that polls a value sees everything that its
 * producer wrote before `offer`.
 */
export class Ring {
  readonly capacity: number
  readonly maxValue: number
  readonly #words: Int32Array
  readonly #tail: number
  readonly #head: number
  readonly #holes: number
  readonly #cells: number
  readonly #cellMask: number
  readonly #capacityBits: number
  /** The bits of a cell that are its value; the others are its lap. */
  readonly #valueMask: number
  readonly #valueBits: number

  /**
   * Occupies `Ring.wordsFor(capacity)` words from `index` on, best at the start of a cache line.
   *
   * @param capacity a power of two from 2 to 2²⁴
   * @param maxValue the largest value, up to 2²⁸−1. No larger than need be: see above
   */
  constructor(words: Int32Array, index: number, capacity: number, maxValue: number = 2 ** 20 - 1) {
    this.capacity = requirePowerOfTwo("capacity", capacity)
    this.maxValue = requireBits("maxValue", maxValue, MAX_VALUE_BITS)
    this.#capacityBits = bitsFor(capacity - 1)
    this.#valueBits = bitsFor(maxValue)
    this.#words = words
    this.#tail = index + RING.TAIL
    this.#head = index + RING.HEAD
    this.#holes = index + RING.HOLES
    this.#cells = index + RING.CELLS
    this.#cellMask = capacity - 1
    this.#valueMask = 2 ** this.#valueBits - 1
  }

  static wordsFor(capacity: number): number {
    return RING.CELLS + requirePowerOfTwo("capacity", capacity)
  }

  /** Appends the value; false if the ring is full, holes included. */
  offer(value: number): boolean {
    if ((value | 0) !== value || value < 1 || value > this.maxValue) {
      throw rangeError("value", `an integer from 1 to ${this.maxValue}`, value)
    }
    const words = this.#words
    for (;;) {
      const at = load(words, this.#tail)
      const cell = this.#cells + (at & this.#cellMask)
      const vacant = this.#lap(at)
      if (compareAndSet(words, cell, vacant, vacant | value)) {
        if (compareAndSet(words, this.#tail, at, (at + 1) | 0) || !this.#takeBack(at, vacant | value)) return true
        continue
      }
      const content = load(words, cell)
      if ((content & ~this.#valueMask) === this.#lap(at - this.capacity)) {
        // The value of the lap before is still there. That TAIL has not moved shows that this was the end of the queue.
        if (load(words, this.#tail) === at) return false
      } else if (content !== vacant) {
        compareAndSet(words, this.#tail, at, (at + 1) | 0)
      } // else the cell has just become vacant: TAIL must not pass it by
    }
  }

  /**
   * Takes out the first value; 0 if there is none. If `claim` is the index of a word, the value is written there before
   * it leaves the ring: if this thread dies in between, others can tell which value it was about to take, or has taken.
   * The word is in `claims`, if not beside the ring.
   */
  poll(claim = 0, claims: Int32Array = this.#words): number {
    const words = this.#words
    for (;;) {
      const at = load(words, this.#head)
      const cell = this.#cells + (at & this.#cellMask)
      const content = load(words, cell)
      const vacant = this.#lap(at)
      if (content === vacant) {
        if (load(words, this.#head) === at) {
          if (claim !== 0) write(claims, claim, 0)
          return 0
        }
      } else if ((content & ~this.#valueMask) !== vacant) {
        compareAndSet(words, this.#head, at, (at + 1) | 0)
      } else {
        if (claim !== 0) write(claims, claim, content & this.#valueMask)
        if (compareAndSet(words, cell, content, this.#lap(at + this.capacity))) {
          compareAndSet(words, this.#head, at, (at + 1) | 0)
          return content & this.#valueMask
        }
      }
    }
  }

  /**
   * Takes the value out of any position; if it is there several times, the foremost. True if this call took it: of a
   * `remove` and a `poll` that meet, one gets it. Its room is free again when all values before it are gone.
   */
  remove(value: number): boolean {
    if ((value | 0) !== value || value < 1 || value > this.maxValue) return false
    const words = this.#words
    const end = this.#findTail()
    // Finding HEAD also keeps it from falling behind without bound where values are only ever added and removed.
    for (let at = this.#findHead(); ((end - at) | 0) > 0; at = (at + 1) | 0) {
      const cell = this.#cells + (at & this.#cellMask)
      const content = this.#lap(at) | value
      if (load(words, cell) !== content) continue
      this.#announceHole(at)
      if (compareAndSet(words, cell, content, this.#lap(at + this.capacity))) return true
    }
    return false
  }

  /** The first value, left in its place; 0 if there is none. */
  peek(): number {
    const words = this.#words
    for (;;) {
      const at = this.#findHead()
      const content = load(words, this.#cells + (at & this.#cellMask))
      if ((content & ~this.#valueMask) !== this.#lap(at)) continue
      if ((content & this.#valueMask) !== 0 || load(words, this.#head) === at) return content & this.#valueMask
    }
  }

  /** The values, the first one first. Exact while no other thread changes the ring. */
  toArray(): number[] {
    const words = this.#words
    const values: number[] = []
    const first = this.#findHead()
    const places = Math.min((this.#findTail() - first) >>> 0, this.capacity)
    for (let i = 0; i < places; i++) {
      const at = (first + i) | 0
      const content = load(words, this.#cells + (at & this.#cellMask))
      if ((content & ~this.#valueMask) === this.#lap(at) && (content & this.#valueMask) !== 0) {
        values.push(content & this.#valueMask)
      }
    }
    return values
  }

  /** True if there was no value at some moment of this call. */
  get isEmpty(): boolean {
    const words = this.#words
    for (;;) {
      const at = this.#findHead()
      if (load(words, this.#cells + (at & this.#cellMask)) !== this.#lap(at)) return false
      if (load(words, this.#head) === at) return true
    }
  }

  /**
   * How many values there are. Exact while no other thread changes the ring, whichever threads died before; otherwise
   * close.
   */
  get size(): number {
    const words = this.#words
    const first = this.#findHead()
    const end = this.#findTail()
    const places = Math.min((end - first) >>> 0, this.capacity)
    const holes = (load(words, this.#holes) - 1 - first) >>> 0
    if (holes >= 4 * this.capacity) return places
    let count = 0
    for (let i = 0; i < places; i++) {
      const at = (first + i) | 0
      const content = load(words, this.#cells + (at & this.#cellMask))
      if ((content & ~this.#valueMask) === this.#lap(at) && (content & this.#valueMask) !== 0) count++
    }
    return count
  }

  /**
   * Takes the value of a late producer back. TAIL was not where this producer had seen it before it put its value
   * there. As a rule another thread has moved TAIL on, and perhaps the value has long been polled. Only if TAIL is more
   * than a lap away and the value still there does the value stand ahead of TAIL. Then this takes it out, unless a
   * consumer was faster, and leaves a hole.
   */
  #takeBack(at: number, content: number): boolean {
    const words = this.#words
    const tail = load(words, this.#tail)
    if ((tail - at) >>> 0 <= this.capacity) return false
    const cell = this.#cells + (at & this.#cellMask)
    if (load(words, cell) !== content) return false
    this.#announceHole((tail + ((at - tail) & this.#cellMask)) | 0)
    return compareAndSet(words, cell, content, this.#lap(at + this.capacity))
  }

  /** The lap of a position, in its place in a cell: thus also the cell's content before that position has a value. */
  #lap(position: number): number {
    return (position >>> this.#capacityBits) << this.#valueBits
  }

  /** The first position that is not done with: it has a value, or will have the next one. */
  #findHead(): number {
    const words = this.#words
    for (;;) {
      const at = load(words, this.#head)
      const lap = load(words, this.#cells + (at & this.#cellMask)) & ~this.#valueMask
      if (lap === this.#lap(at)) return at
      compareAndSet(words, this.#head, at, (at + 1) | 0)
    }
  }

  /** The first position that never had a value. */
  #findTail(): number {
    const words = this.#words
    for (;;) {
      const at = load(words, this.#tail)
      const content = load(words, this.#cells + (at & this.#cellMask))
      if (content === this.#lap(at) || (content & ~this.#valueMask) === this.#lap(at - this.capacity)) return at
      compareAndSet(words, this.#tail, at, (at + 1) | 0)
    }
  }

  /**
   * Called before the hole is made: a death in between makes `size` slower and not wrong. Distances are unsigned and
   * windows wide, so that a mark from 2³¹ positions ago is neither taken for one ahead nor left standing.
   */
  #announceHole(at: number): void {
    const words = this.#words
    for (;;) {
      const mark = load(words, this.#holes)
      if ((mark - 1 - at) >>> 0 < 2 * this.capacity) return
      if (compareAndSet(words, this.#holes, mark, (at + 1) | 0)) return
    }
  }
}
