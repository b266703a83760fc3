import { compareAndSet, load, read, store, write } from "#atomics"
import { requireInteger } from "../../checks.ts"
import { bitsFor, MAX_CAPACITY_BITS, requireBits } from "../capacity.ts"
import { wholeLines } from "../layout.ts"
import { Ring } from "./ring.ts"

/*
 * How it works
 *
 * Slots are numbered from 1. A handle is one word, { generation, slot }; a slot's STAMP runs through
 *
 *     { generation, 0 }  --take-->  { generation, slot }, the current handle  --free-->  { generation + 1, 0 }
 *
 * Free slots wait in a ring; the slot that was freed first is taken first. FRESH counts the slots that were ever handed
 * out; those above it are free without being in the ring. They are taken only if the ring is empty. So no more memory
 * is touched than was ever in use at one time, and the ring need not be filled with a million numbers at the start.
 *
 * A road not taken: a stack of free slots, linked through their stamps, with a tag in its head (R. K. Treiber, 1986).
 * It saves one access in four. But suppose that a thread in `take` is held up between reading a link and its
 * compareAndSet, while the others free exactly a multiple of 2^(tag bits) slots. Then the head points to a slot that
 * may be in use, and from then on two threads write to one record. With 65,535 slots the tag has 16 bits: 20
 * milliseconds of a busy pool, which is no longer than a thread without a core waits for its turn. The same accident in
 * a ring costs the order.
 *
 * How long a handle is out of date: 2^(32 − bits of the capacity) uses of that one slot. With 1000 slots that is four
 * million, and as the slots take turns, more than that of others.
 *
 * A death. In `take`, the slot is neither free nor in use between leaving the ring and the change of STAMP; in `free`,
 * between the change of STAMP and entering the ring. If the thread dies there, that slot is lost, and nothing else: no
 * other thread waits for what the dead thread had yet to do. To find the slot again would take a word in which each
 * thread says what it is about to do, and an undisturbed look through the ring: not worth it for a gap of two
 * instructions in code in which threads are not killed on purpose.
 */

/** First the word that all threads write, on a cache line of its own; then the ring; then the records. */
export const SLOTS = { FRESH: 0, RING: 16 } as const

/** The words before the body of a record. */
export const SLOT = { STAMP: 0, OWNER: 1, BODY: 2 } as const

/**
 * Records of one size in shared memory, handed out and given back by any thread. Lock-free.
 *
 *     const slots = new Slots(words, 0, 1000, 14)      // again in every thread, over the same words
 *     const handle = slots.take(me)                    // 0 if all are in use
 *     const body = slots.bodyOf(handle)                // words[body] … words[body + 13] are ours
 *     slots.free(handle)                               // true; false if it was freed before
 *
 * A handle names a slot and how many times it had been freed before. After `free` the handle is out of date, and its
 * holder can find that out: `isCurrent`. A body is as its last user left it, 0 the first time. Words that are all 0 are
 * a memory of free slots.
 *
 * A slot may have an owner: a positive number that names a thread for ever. When threads have died, {@link
 * Slots.reclaim} frees what they owned. A thread that dies inside `take` or `free` costs at most the slot it was taking
 * or freeing.
 */
export class Slots {
  readonly capacity: number
  /** From one record to the next. */
  readonly stride: number
  readonly #words: Int32Array
  readonly #fresh: number
  readonly #ring: Ring
  /** Where slot 0 would be. */
  readonly #records: number
  /** The bits of a handle that are the number of the slot; the others are its generation. */
  readonly mask: number

  /**
   * Occupies `Slots.wordsFor(capacity, bodyWords)` words from `index` on. If `index` is at the start of a cache line
   * and `bodyWords` is 14, or 30, and so on, no two records share a line.
   */
  constructor(words: Int32Array, index: number, capacity: number, bodyWords: number) {
    this.capacity = requireBits("capacity", capacity, MAX_CAPACITY_BITS)
    this.stride = SLOT.BODY + requireInteger("bodyWords", bodyWords, 0)
    const places = placesFor(capacity)
    this.#words = words
    this.#fresh = index + SLOTS.FRESH
    this.#ring = new Ring(words, index + SLOTS.RING, places, places - 1)
    this.#records = index + recordsFor(places) - this.stride
    this.mask = places - 1
  }

  static wordsFor(capacity: number, bodyWords: number): number {
    requireBits("capacity", capacity, MAX_CAPACITY_BITS)
    const record = SLOT.BODY + requireInteger("bodyWords", bodyWords, 0)
    return recordsFor(placesFor(capacity)) + capacity * record
  }

  /**
   * Takes a free slot for this owner, or without one (0). The handle is any number but 0; 0 means that all slots are in
   * use.
   */
  take(owner: number = 0): number {
    const words = this.#words
    for (;;) {
      const slot = this.#ring.poll()
      if (slot !== 0) return this.#begin(slot, owner)
      // If another thread takes the last fresh slot at this moment, it, too, has found the ring empty: for a moment all
      // slots were in use.
      const fresh = load(words, this.#fresh)
      if (fresh >= this.capacity) return 0
      if (compareAndSet(words, this.#fresh, fresh, fresh + 1)) return this.#begin(fresh + 1, owner)
    }
  }

  /**
   * Gives the slot back. False, and no effect, if the handle is out of date: of two threads that free it one succeeds.
   */
  free(handle: number): boolean {
    const slot = handle & this.mask
    if (!this.#exists(slot)) return false
    if (!compareAndSet(this.#words, this.#recordOf(slot) + SLOT.STAMP, handle, this.#next(handle))) return false
    this.#release(slot)
    return true
  }

  /**
   * As if its owner had freed the slot, which is in use, and taken it again at once; returns the new handle. For a
   * thread that keeps slots for later, since this takes one access and not eight. Only if no other thread can free it
   * meanwhile: then no other thread writes the stamp, and a plain read will do.
   */
  renew(slot: number): number {
    const stamp = this.#recordOf(slot) + SLOT.STAMP
    const next = this.#next(read(this.#words, stamp)) | slot
    store(this.#words, stamp, next)
    return next
  }

  /** Whether the slot is still in use under this handle. */
  isCurrent(handle: number): boolean {
    const slot = handle & this.mask
    return this.#exists(slot) && load(this.#words, this.#recordOf(slot) + SLOT.STAMP) === handle
  }

  /**
   * The number of the slot, from 1 to the capacity. It fits where a handle does not; the thread that has the slot can
   * get the handle back by {@link handleOf}.
   */
  slotOf(handle: number): number {
    return handle & this.mask
  }

  /** The handle of a slot that is in use. */
  handleOf(slot: number): number {
    return load(this.#words, this.#recordOf(slot) + SLOT.STAMP)
  }

  /** The owner of a slot that is in use. */
  ownerOf(slot: number): number {
    return load(this.#words, this.#recordOf(slot) + SLOT.OWNER)
  }

  /**
   * The index of the first word of the body; also for the number of a slot instead of a handle, and for 0 to count
   * from.
   */
  bodyOf(handle: number): number {
    return this.#recordOf(handle & this.mask) + SLOT.BODY
  }

  /**
   * Frees the slots in use whose owners are dead, and returns how many. Other threads may take, free and reclaim
   * meanwhile: each slot is freed once.
   */
  reclaim(isDead: (owner: number, slot: number) => boolean): number {
    const words = this.#words
    const fresh = load(words, this.#fresh)
    let reclaimed = 0
    for (let slot = 1; slot <= fresh; slot++) {
      const record = this.#recordOf(slot)
      const stamp = load(words, record + SLOT.STAMP)
      if ((stamp & this.mask) !== slot) continue
      const owner = load(words, record + SLOT.OWNER)
      // If another thread took the slot since the first look, its stamp is another one and it is not freed.
      if (owner !== 0 && isDead(owner, slot) && this.free(stamp)) reclaimed++
    }
    return reclaimed
  }

  /** The stamp of a slot that was freed under this handle. */
  #next(handle: number): number {
    return ((handle & ~this.mask) + this.mask + 1) | 0
  }

  /** The slot belongs to this thread alone until its stamp says that it is in use. */
  #begin(slot: number, owner: number): number {
    const record = this.#recordOf(slot)
    const handle = read(this.#words, record + SLOT.STAMP) | slot
    write(this.#words, record + SLOT.OWNER, owner)
    store(this.#words, record + SLOT.STAMP, handle)
    return handle
  }

  /**
   * Puts the slot into the ring, which has room for all slots and one more. Should late producers have left more holes
   * than that, the first slot goes behind the last until HEAD has passed a hole.
   */
  #release(slot: number): void {
    while (!this.#ring.offer(slot)) {
      const first = this.#ring.poll()
      if (first !== 0) this.#release(first)
    }
  }

  #exists(slot: number): boolean {
    return slot !== 0 && slot <= this.capacity
  }

  #recordOf(slot: number): number {
    return this.#records + slot * this.stride
  }
}

/** The power of two above the capacity: as many places as the ring has, and as many numbers, 0 included. */
function placesFor(capacity: number): number {
  return 2 ** bitsFor(capacity)
}

/** Where the first record lies. */
function recordsFor(places: number): number {
  return SLOTS.RING + wholeLines(Ring.wordsFor(places))
}
