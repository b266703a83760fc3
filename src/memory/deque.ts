/**
 * A double-ended queue for stealing work, in shared memory: one thread, its owner, pushes and pops at the bottom, the
 * newest first; any other thread steals at the top, the oldest first. The owner pays for one or two atomic accesses
 * and never waits for anybody.
 *
 *     const deque = new Deque(words, 0, 256)     // again in every thread, over the same words
 *     deque.push(7)                              // owner: true
 *     deque.pop()                                // owner: 7, then EMPTY
 *     deque.steal()                              // anybody: a value, EMPTY, or RETRY
 *
 * It holds numbers from 1 to 2³¹−1. Words that are all 0 are an empty deque. Each value that was pushed comes out once,
 * by pop or by steal; whatever was written before `push` is seen by whoever gets the value.
 *
 * If the owner dies, what it had pushed can still be stolen; only the value it was about to push or pop is gone with
 * it. The next owner, if there is to be one, begins with {@link Deque.adopt}.
 */
import { compareAndSet, load, read, store, write } from "#atomics"
import { rangeError } from "../checks.ts"
import { requirePowerOfTwo } from "./capacity.ts"

/*
 * How it works (after D. Chase and Y. Lev, Dynamic Circular Work-Stealing Deque, 2005; with a fixed array)
 *
 * The values stand at the positions TOP ≤ p < BOTTOM, each in cell p mod capacity. Positions wrap at 2³² and are
 * compared by their difference. Only the owner writes BOTTOM and the cells; TOP is only ever counted up, by
 * compareAndSet, and who counts it up owns the value that stood there.
 *
 * Owner and thief can both want the last value. The owner lowers BOTTOM before it reads TOP, the thief reads TOP before
 * BOTTOM, and all four accesses are sequentially consistent. So a thief that still saw the old BOTTOM read TOP before
 * the owner did, and if the owner finds more than one value left, no thief can reach the one it takes. With one left
 * the owner, too, must count TOP up, and one of the two succeeds.
 *
 * The cells are accessed plainly. A thief may read one that the owner is writing anew, but only if TOP has moved on
 * since, and then its compareAndSet fails and what it read is thrown away. If that succeeds, the owner's next write to
 * the cell comes after it had seen TOP move, thus after the read.
 *
 * SEEN is where TOP was when the owner last looked. TOP never goes back, so as long as there is room above SEEN there
 * is room, and a push need not look. It is in the block and not in the object for the next owner's sake.
 *
 * A death. A thief changes nothing but TOP, in one step. An owner that dies in `push` has written a cell beyond BOTTOM,
 * where nobody looks, or is done. An owner that dies in `pop` has BOTTOM lowered by one: the value it was taking is out
 * of reach, the others are where they were. If there was none left, BOTTOM then is below TOP. To thieves that is empty
 * like any other; a new owner has to put it right before it pushes, hence `adopt`.
 */

/** What thieves write, what the owner writes, and the cells each have cache lines of their own. */
export const DEQUE = { TOP: 0, BOTTOM: 16, SEEN: 17, CELLS: 32 } as const

/** There was nothing to take at some moment of the call. */
export const EMPTY = 0
/** Somebody else took the value this thief was after. There may be more. */
export const RETRY = -1

export class Deque {
  readonly capacity: number
  readonly #words: Int32Array
  readonly #top: number
  readonly #bottom: number
  readonly #seen: number
  readonly #cells: number
  readonly #mask: number

  /**
   * Occupies `Deque.wordsFor(capacity)` words from `index` on, best at the start of a cache line.
   *
   * @param capacity a power of two from 2 to 2²⁴
   */
  constructor(words: Int32Array, index: number, capacity: number) {
    this.capacity = requirePowerOfTwo("capacity", capacity)
    this.#words = words
    this.#top = index + DEQUE.TOP
    this.#bottom = index + DEQUE.BOTTOM
    this.#seen = index + DEQUE.SEEN
    this.#cells = index + DEQUE.CELLS
    this.#mask = capacity - 1
  }

  static wordsFor(capacity: number): number {
    return DEQUE.CELLS + requirePowerOfTwo("capacity", capacity)
  }

  /** For the owner. False if the deque is full: to make room, or a larger one, is the caller's matter. */
  push(value: number): boolean {
    if (value <= 0 || (value | 0) !== value) throw rangeError("value", "an integer from 1 to 2147483647", value)
    const words = this.#words
    const bottom = read(words, this.#bottom)
    if (((bottom - read(words, this.#seen)) | 0) >= this.capacity) {
      const top = load(words, this.#top)
      write(words, this.#seen, top)
      if (((bottom - top) | 0) >= this.capacity) return false
    }
    write(words, this.#cells + (bottom & this.#mask), value)
    store(words, this.#bottom, (bottom + 1) | 0)
    return true
  }

  /** For the owner: takes the value pushed last, or gives {@link EMPTY}. */
  pop(): number {
    const words = this.#words
    const bottom = (read(words, this.#bottom) - 1) | 0
    store(words, this.#bottom, bottom)
    const top = load(words, this.#top)
    const above = (bottom - top) | 0
    if (above > 0) return read(words, this.#cells + (bottom & this.#mask))
    // None is left, or the last one, which a thief may have its eye on. Either way it ends with BOTTOM where TOP is.
    const last = above === 0 ? read(words, this.#cells + (bottom & this.#mask)) : EMPTY
    const isOurs = above === 0 && compareAndSet(words, this.#top, top, (top + 1) | 0)
    store(words, this.#bottom, (bottom + 1) | 0)
    return isOurs ? last : EMPTY
  }

  /** For anybody: takes the value that was pushed first. Or {@link EMPTY}, or {@link RETRY}; neither is a value. */
  steal(): number {
    const words = this.#words
    const top = load(words, this.#top)
    const bottom = load(words, this.#bottom)
    if (((bottom - top) | 0) <= 0) return EMPTY
    const value = read(words, this.#cells + (top & this.#mask))
    return compareAndSet(words, this.#top, top, (top + 1) | 0) ? value : RETRY
  }

  /** Makes the caller the owner of a deque whose owner is dead. Thieves may go on meanwhile. */
  adopt(): void {
    const words = this.#words
    // If BOTTOM is below TOP nobody can take anything, so TOP does not move.
    const top = load(words, this.#top)
    if (((load(words, this.#bottom) - top) | 0) < 0) store(words, this.#bottom, top)
  }

  /** How many values there are. Exact while nobody changes it, otherwise near it. */
  get size(): number {
    const top = load(this.#words, this.#top)
    return Math.max((load(this.#words, this.#bottom) - top) | 0, 0)
  }
}
