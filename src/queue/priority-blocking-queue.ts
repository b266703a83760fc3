import { requireFunction, requireInteger } from "../checks.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import { BlockingQueue, opened } from "./base/blocking-queue.ts"
import { PriorityCore } from "./base/priority-core.ts"
import type { Comparator } from "./local/heap.ts"
import { naturalOrder } from "./local/order.ts"

const TYPE = "PriorityBlockingQueue"

/**
 * The least element first, by a comparator or by natural order: numbers, bigints, strings, dates, or objects with
 * `compareTo`. Equals leave in the order in which they came (Java promises no order for them). No limit.
 *
 * Iteration and `toArray` show the elements in no order, the head first; `drainTo` moves them in order.
 *
 * Without a comparator an element that has no natural order, or none in common with those inside, is a TypeError and
 * is not inserted, as is one on which the comparator throws.
 */
export class PriorityBlockingQueue<E> extends BlockingQueue<E> {
  readonly #comparator: Comparator<E> | undefined

  /** By this order; default the natural order of the elements. */
  constructor(comparator?: Comparator<E>)
  /** As Java's constructor. The capacity is checked and otherwise has no effect: the queue grows as it must. */
  constructor(initialCapacity: number, comparator?: Comparator<E>)
  constructor(first?: number | Comparator<E>, second?: Comparator<E>) {
    if (typeof first === "number") requireInteger("initialCapacity", first, 1)
    const comparator = typeof first === "number" ? second : first
    super(new PriorityCore(TYPE, comparator === undefined ? undefined : requireFunction("comparator", comparator)))
    this.#comparator = comparator
  }

  /** The comparator it was given; undefined if the order is the natural one. */
  get comparator(): Comparator<E> | undefined {
    return this.#comparator
  }

  /**
   * The same queue that another thread has posted. A comparator is a function and cannot be posted: if the queue has
   * one, it has to be given here too, and all threads have to agree.
   */
  static from<E>(shared: Shared, comparator?: Comparator<E>): PriorityBlockingQueue<E> {
    return opened(
      new PriorityBlockingQueue<E>(1, comparator),
      TYPE,
      shared,
      (comparator ?? naturalOrder) as Comparator<unknown>,
    )
  }
}
