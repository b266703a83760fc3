import { requireFunction, requireInteger } from "../checks.ts"
import { TIMEOUT, WaitList, type Steps } from "../memory/waiting.ts"
import type { End } from "./queue-core.ts"
import { HeapQueue } from "./heap-queue.ts"
import type { Comparator } from "./heap.ts"
import { naturalOrder, requireNaturalOrder } from "./order.ts"

/**
 * The least element first, by a comparator or by natural order: numbers, bigints, strings, dates, or objects with
 * `compareTo`. Equals leave in the order in which they came (Java promises no order for them). No limit.
 *
 * Iteration and `toArray` show the elements in no order, the head first; `drainTo` moves them in order.
 *
 * Without a comparator an element that has no natural order, or none in common with those inside, is a TypeError and
 * is not inserted, as is one on which the comparator throws.
 */
export class PriorityBlockingQueue<E> extends HeapQueue<E> {
  readonly #natural: boolean
  readonly #notEmpty = new WaitList()

  constructor(comparator?: Comparator<E>)
  /** As Java's constructor. The capacity is checked and otherwise has no effect: the queue grows as it must. */
  constructor(initialCapacity: number, comparator?: Comparator<E>)
  constructor(first?: number | Comparator<E>, second?: Comparator<E>) {
    if (typeof first === "number") requireInteger("initialCapacity", first, 1)
    const comparator = typeof first === "number" ? second : first
    super(comparator === undefined ? naturalOrder : requireFunction("comparator", comparator))
    this.#natural = comparator === undefined
  }

  /** @internal */
  protected override check(e: E): void {
    super.check(e)
    // Also the first one, which has nothing to be compared with: Java refuses it too.
    if (this.#natural) requireNaturalOrder(e)
  }

  /** @internal */
  protected override insert(e: E): boolean {
    if (this.isClosed) return false
    this.heap.push(e)
    this.#notEmpty.signal()
    return true
  }

  /** @internal */
  protected override ready(): E | undefined {
    return this.heap.first
  }

  /** @internal */
  protected override *taking(end: End): Steps<E | undefined> {
    while (!this.isClosed) {
      if ((yield this.#notEmpty) === TIMEOUT) return undefined
      const e = this.extract(end)
      if (e !== undefined) return e
    }
    return undefined
  }

  /** @internal Takers wait only if there is nothing: closed and empty, they all go. */
  protected override closing(): void {
    this.#notEmpty.signalAll()
  }
}
