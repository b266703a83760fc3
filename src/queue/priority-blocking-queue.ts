import { requireFunction, requireInteger } from "../checks.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import { BlockingQueue, opened } from "./base/blocking-queue.ts"
import { PriorityCore } from "./base/priority-core.ts"
import type { Comparator } from "./local/heap.ts"
import { byKey, type KeyOrder, keyOfOrder, naturalOrder } from "./local/order.ts"

const TYPE = "PriorityBlockingQueue"

/**
 * The least element first: by a comparator, by a key, or by the natural order of numbers, bigints, strings, dates and
 * objects with `compareTo`. Equals leave in the order in which they came (Java promises no order for them). No limit.
 *
 * Iteration and `toArray` show the elements in no order, the head first; `drainTo` moves them in order.
 *
 * Without a comparator an element that has no natural order, or none in common with those inside, is a TypeError and
 * is not inserted, as is one on which the comparator throws.
 */
export class PriorityBlockingQueue<E> extends BlockingQueue<E> {
  readonly #comparator: Comparator<E> | undefined

  /**
   * By a comparator, or by a key, as in `new PriorityBlockingQueue({ key: (job) => job.deadline })`; by default in the
   * natural order of the elements. As the queue of a pool of platform threads it takes a key, but no comparator.
   */
  constructor(order?: Comparator<E> | KeyOrder<E>)
  /** As Java's constructor. The capacity is checked and otherwise has no effect: the queue grows as it must. */
  constructor(initialCapacity: number, order?: Comparator<E> | KeyOrder<E>)
  constructor(first?: number | Comparator<E> | KeyOrder<E>, second?: Comparator<E> | KeyOrder<E>) {
    if (typeof first === "number") requireInteger("initialCapacity", first, 1)
    const order = typeof first === "number" ? second : first
    const keyOf = keyOfOrder(order)
    const comparator =
      keyOf !== undefined
        ? byKey(keyOf)
        : order === undefined
          ? undefined
          : requireFunction("comparator", order as Comparator<E>)
    super(new PriorityCore(TYPE, comparator, keyOf))
    this.#comparator = comparator
  }

  /** The comparator it was given, or one that compares the keys; undefined if the order is the natural one. */
  get comparator(): Comparator<E> | undefined {
    return this.#comparator
  }

  /**
   * The same queue that another thread has posted. Functions cannot be posted: if the queue has a comparator or a key,
   * that has to be given here too, and all threads have to agree.
   */
  static from<E>(shared: Shared, order?: Comparator<E> | KeyOrder<E>): PriorityBlockingQueue<E> {
    const queue = new PriorityBlockingQueue<E>(1, order)
    return opened(queue, TYPE, shared, (queue.comparator ?? naturalOrder) as Comparator<unknown>)
  }
}
