/**
 * Records of one size in shared memory, handed out and given back by any thread. Lock-free.
 *
 *     const slots = new Slots(words, 0, 1000, 14)      // again in every thread, over the same words
 *     const handle = slots.take(me)                    // 0 if all are in use
 *     const body = slots.bodyOf(handle)                // words[body] … words[body + 13] are ours
 *     slots.free(handle)                               // true; false for whoever frees it once too often
 *
 * A handle names a slot and how many times it had been freed before. After `free` it is out of date, and whoever still holds
 * it can know: `isCurrent`. A body is as its last user left it, 0 the first time. Words that are all 0 are
 * a memory of free slots.
 *
 * A slot may have an owner: a positive number that names a thread for ever. When threads have died, {@link Slots.reclaim}
 * frees what they owned. A thread that dies inside `take` or `free` costs at most the slot it was taking or freeing.
 */
import { compareAndSet, load, store, write } from "#atomics"
import { requireInteger } from "../checks.ts"
import { bitsFor, requireSmallNumber } from "./capacity.ts"

/*
 * How it works
 *
 * Slots are numbered from 1. The low bits of a word hold such a number, or 0 for none; what the high bits hold depends on
 * the word:
 *
 *     a handle                      { generation, slot }
 *     STAMP of a slot in use        { generation, slot }: the current handle
 *     STAMP of a free slot          { generation, next }: the next one in the list of free slots
 *     HEAD                          { tag, first }: the first one in that list
 *
 * The list is a stack (after R. K. Treiber, 1986): the slot that is still in the cache goes first. FRESH counts
 * the slots that were ever handed out; those above it are free without being in the list, so nobody has to
 * link a million of them at the start.
 *
 * The tag. A thread in `take` reads the first slot, then the slot next to it, then makes that one the first. If meanwhile
 * the first was taken, others too, and it was freed again, what stands next to it is another one, and the one read may be in
 * use. Each `free` counts the tag up, therefore the head is another one and the compareAndSet fails. The tag wraps: with 1000
 * slots it has 22 bits, and a thread would have to be held up between these very instructions while the others free
 * exactly a multiple of four million slots, and the same one comes to lie on top. The same bits count
 * generations: who asks `isCurrent` long after is deceived if that one slot was freed exactly 4,194,304 times.
 * (A tag that `take` counted up as well would wrap twice as fast and detect nothing more: a slot can only come
 * back through `free`.)
 *
 * A death. In `take`, between the change of HEAD and that of STAMP, the slot is neither in the list nor in use; in `free`,
 * between that of STAMP and that of HEAD, likewise. That slot is lost, and nothing else: no other thread waits for what the
 * dead one had yet to do. To find it again would take a word in which each thread says what it is about to do, and a look
 * through the list that nobody may disturb: not worth it for a gap of two instructions in code that nobody is killed in on
 * purpose.
 */

/** Two cache lines, then the records. */
export const SLOTS = { HEAD: 0, FRESH: 16, RECORDS: 32 } as const

/** What stands before the body of a record. */
export const SLOT = { STAMP: 0, OWNER: 1, BODY: 2 } as const

export class Slots {
  readonly capacity: number
  /** From one record to the next. */
  readonly stride: number
  readonly #words: Int32Array
  readonly #head: number
  readonly #fresh: number
  /** Where slot 0 would be. */
  readonly #records: number
  readonly #mask: number
  /** One more generation, or one more of the tag. */
  readonly #unit: number

  /**
   * Occupies `Slots.wordsFor(capacity, bodyWords)` words from `index` on. If `index` is at the start of a cache line and
   * `bodyWords` is 14, or 30, and so on, no two records share a line.
   */
  constructor(words: Int32Array, index: number, capacity: number, bodyWords: number) {
    this.capacity = requireSmallNumber("capacity", capacity)
    this.stride = SLOT.BODY + requireInteger("bodyWords", bodyWords, 0)
    this.#words = words
    this.#head = index + SLOTS.HEAD
    this.#fresh = index + SLOTS.FRESH
    this.#records = index + SLOTS.RECORDS - this.stride
    this.#unit = 2 ** bitsFor(capacity)
    this.#mask = this.#unit - 1
  }

  static wordsFor(capacity: number, bodyWords: number): number {
    return (
      SLOTS.RECORDS + requireSmallNumber("capacity", capacity) * (SLOT.BODY + requireInteger("bodyWords", bodyWords, 0))
    )
  }

  /** Takes a free slot for this owner, or for nobody in particular. The handle is any number but 0; 0 means all are in use. */
  take(owner: number = 0): number {
    const words = this.#words
    for (;;) {
      const head = load(words, this.#head)
      const slot = head & this.#mask
      if (slot !== 0) {
        const stamp = load(words, this.#recordOf(slot) + SLOT.STAMP)
        if (compareAndSet(words, this.#head, head, (head & ~this.#mask) | (stamp & this.#mask))) {
          return this.#begin(slot, stamp & ~this.#mask, owner)
        }
        continue
      }
      // If the last fresh one goes in this moment, its taker, too, has seen the list empty: for a moment all were in use.
      const fresh = load(words, this.#fresh)
      if (fresh >= this.capacity) return 0
      if (compareAndSet(words, this.#fresh, fresh, fresh + 1)) return this.#begin(fresh + 1, 0, owner)
    }
  }

  /** Gives the slot back. False, and no effect, if the handle is out of date: of two who free it one succeeds. */
  free(handle: number): boolean {
    const slot = handle & this.#mask
    if (!this.#exists(slot)) return false
    const words = this.#words
    const stamp = this.#recordOf(slot) + SLOT.STAMP
    const freed = ((handle & ~this.#mask) + this.#unit) | 0
    let head = load(words, this.#head)
    if (!compareAndSet(words, stamp, handle, freed | (head & this.#mask))) return false
    while (!compareAndSet(words, this.#head, head, ((head & ~this.#mask) + this.#unit) | 0 | slot)) {
      head = load(words, this.#head)
      store(words, stamp, freed | (head & this.#mask))
    }
    return true
  }

  /** Whether the slot is still in use by whoever took it under this handle. */
  isCurrent(handle: number): boolean {
    const slot = handle & this.#mask
    return this.#exists(slot) && load(this.#words, this.#recordOf(slot) + SLOT.STAMP) === handle
  }

  /** The number of the slot, from 1 to the capacity. It fits where a handle does not; who owns the slot can get the handle back. */
  slotOf(handle: number): number {
    return handle & this.#mask
  }

  /** The handle of a slot that is in use. */
  handleOf(slot: number): number {
    return load(this.#words, this.#recordOf(slot) + SLOT.STAMP)
  }

  /** The index of the first word of the body; also for the number of a slot instead of a handle, and for 0 to count from. */
  bodyOf(handle: number): number {
    return this.#recordOf(handle & this.#mask) + SLOT.BODY
  }

  ownerOf(handle: number): number {
    return load(this.#words, this.#recordOf(handle & this.#mask) + SLOT.OWNER)
  }

  /** Hands the slot, which is the caller's, to another owner, or to nobody (0), whose death would not free it. */
  giveTo(handle: number, owner: number): void {
    store(this.#words, this.#recordOf(handle & this.#mask) + SLOT.OWNER, owner)
  }

  /**
   * Frees the slots in use whose owners are dead, and tells how many. Others may take and free meanwhile, and reclaim too:
   * each slot is freed once.
   */
  reclaim(isDead: (owner: number) => boolean): number {
    const words = this.#words
    const fresh = load(words, this.#fresh)
    let reclaimed = 0
    for (let slot = 1; slot <= fresh; slot++) {
      const record = this.#recordOf(slot)
      const stamp = load(words, record + SLOT.STAMP)
      if ((stamp & this.#mask) !== slot) continue
      const owner = load(words, record + SLOT.OWNER)
      // If the slot has changed hands since the first look, its stamp is another one and it is not freed.
      if (owner !== 0 && isDead(owner) && this.free(stamp)) reclaimed++
    }
    return reclaimed
  }

  /** The slot is ours alone until its stamp says that it is in use. */
  #begin(slot: number, generation: number, owner: number): number {
    const record = this.#recordOf(slot)
    const handle = generation | slot
    write(this.#words, record + SLOT.OWNER, owner)
    store(this.#words, record + SLOT.STAMP, handle)
    return handle
  }

  #exists(slot: number): boolean {
    return slot !== 0 && slot <= this.capacity
  }

  #recordOf(slot: number): number {
    return this.#records + slot * this.stride
  }
}
