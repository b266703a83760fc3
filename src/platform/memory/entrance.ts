import { compareAndSet, load, read, store, write } from "#atomics"
import { bitsFor } from "../../memory/capacity.ts"
import { LINE } from "../../memory/layout.ts"

/** The words: the two ends on lines of their own, because different threads write them; then the places. */
const TAIL = 0
const HEAD = LINE
const PLACES = 2 * LINE

/** The most slots that are in the entrance at a time: so often a thread that only adds and withdraws needs the lock. */
const MOST = 128

/**
 * The way on which slots of one thread, the owner of the pool, get into a heap without its lock. Slots stand there in
 * line. The next thread that has the lock, whichever it is, lets them in, before it does anything else with the heap.
 * Until then the owner can withdraw a slot: so a time limit that is set and cancelled a moment later never gets into
 * the heap.
 *
 * How it works: a ring of places. The owner writes TAIL, a thread with the lock writes HEAD. A place holds
 *
 *     slot     a slot that waits
 *     −slot    a slot that is let in. A thread that dies here leaves it, and the next one finds out whether it is in
 *     0        nothing: the owner has withdrawn the slot
 *
 * Owner and thread with the lock change a place by compare-and-set, so one of them has the slot.
 */
export class Entrance {
  readonly #words: Int32Array
  readonly #start: number
  readonly #places: number
  /** The number of its place, by slot: valid only while the place holds the slot. */
  readonly #placeOf: number[] = []
  /** HEAD, as the owner has seen it last. */
  #head = 0
  /** Whether this thread is the owner. */
  isOpen = false

  /** Occupies `Entrance.wordsFor(capacity)` words from `start` on, which is the start of a cache line. */
  constructor(words: Int32Array, start: number, capacity: number) {
    this.#words = words
    this.#start = start
    this.#places = placesFor(capacity)
  }

  static wordsFor(capacity: number): number {
    return PLACES + placesFor(capacity)
  }

  /** Whether nothing has come since a thread last looked; if not, what has come may be withdrawn. */
  get isEmpty(): boolean {
    return load(this.#words, this.#start + TAIL) === load(this.#words, this.#start + HEAD)
  }

  // ------------------------------------------------------------------ for the owner

  /** False if there is no room. */
  push(slot: number): boolean {
    const words = this.#words
    const tail = read(words, this.#start + TAIL)
    if (((tail - this.#head) | 0) >= this.#places) {
      this.#head = load(words, this.#start + HEAD)
      if (((tail - this.#head) | 0) >= this.#places) return false
    }
    write(words, this.#at(tail), slot)
    this.#placeOf[slot] = tail
    store(words, this.#start + TAIL, (tail + 1) | 0)
    return true
  }

  /** Takes back a slot that this thread has pushed; false if it has been let in. */
  withdraw(slot: number): boolean {
    const place = this.#placeOf[slot]
    return place !== undefined && compareAndSet(this.#words, this.#at(place), slot, 0)
  }

  // ------------------------------------------------------------------ for a thread with the lock

  /** Calls `letIn` for each slot in line; it may be in already. False if there was none. */
  empty(letIn: (slot: number) => void): boolean {
    const words = this.#words
    const tail = load(words, this.#start + TAIL)
    const head = read(words, this.#start + HEAD)
    if (head === tail) return false
    for (let place = head; place !== tail; place = (place + 1) | 0) {
      const at = this.#at(place)
      const slot = read(words, at)
      if (slot < 0) letIn(-slot)
      else if (slot > 0 && compareAndSet(words, at, slot, -slot)) letIn(slot)
    }
    store(words, this.#start + HEAD, tail)
    return true
  }

  #at(place: number): number {
    return this.#start + PLACES + (place & (this.#places - 1))
  }
}

function placesFor(capacity: number): number {
  return Math.min(MOST, 2 ** bitsFor(capacity))
}
