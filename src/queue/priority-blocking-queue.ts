import { MAX_VALUE, requireFunction, requireInteger, typeError } from "../checks.ts"
import { NotSerializableError } from "../errors.ts"
import type { Flow } from "../memory/flow/flow.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import { TIMEOUT, WaitList, type Steps } from "../memory/flow/waiting.ts"
import type { End } from "./base/queue-core.ts"
import { type QueueBackend, sharedBackends } from "./base/queue-backend.ts"
import { HeapQueue } from "./base/heap-queue.ts"
import type { Comparator } from "./local/heap.ts"
import { isComparable, naturalOrder, requireNaturalOrder } from "./local/order.ts"

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
export class PriorityBlockingQueue<E> extends HeapQueue<E> {
  readonly #comparator: Comparator<E> | undefined
  readonly #notEmpty = new WaitList()

  /** By this order; default the natural order of the elements. */
  constructor(comparator?: Comparator<E>)
  /** As Java's constructor. The capacity is checked and otherwise has no effect: the queue grows as it must. */
  constructor(initialCapacity: number, comparator?: Comparator<E>)
  constructor(first?: number | Comparator<E>, second?: Comparator<E>) {
    if (typeof first === "number") requireInteger("initialCapacity", first, 1)
    const comparator = typeof first === "number" ? second : first
    super(comparator === undefined ? naturalOrder : requireFunction("comparator", comparator))
    this.#comparator = comparator
  }

  /** @internal */
  override get ordersByPriority(): boolean {
    return true
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
    const queue = new PriorityBlockingQueue<E>(1, comparator)
    queue.adopt(sharedBackends().open<E>(TYPE, shared, queue.#ordering))
    return queue
  }

  /** @internal */
  protected override check(e: E): void {
    super.check(e)
    if (this.#comparator !== undefined) return
    // Also the first element, with which nothing is compared: Java refuses it too.
    requireNaturalOrder(e)
    if (this.shared !== undefined && isComparable(e)) {
      throw typeError("e", "a number, bigint, string or Date (a copy has no compareTo; give the queue a comparator)", e)
    }
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
  protected override *taking(end: End, _timeout: number, flow: Flow): Steps<E | undefined> {
    while (!this.isClosed) {
      if ((yield this.#notEmpty) === TIMEOUT) return undefined
      if (this.shared !== undefined) return yield* this.shared.taking(end, flow)
      const e = this.extract(end)
      if (e !== undefined) return e
    }
    return undefined
  }

  /** @internal Takers wait only if the queue is empty: now that it is closed, they all go. */
  protected override closing(): void {
    this.#notEmpty.signalAll()
  }

  /** @internal */
  protected override toShared(): QueueBackend<E> {
    if (this.#comparator === undefined && isComparable(this.heap.first)) {
      throw new NotSerializableError("Copies of the elements have no compareTo: give the queue a comparator")
    }
    const settings = { capacity: MAX_VALUE, ordering: this.#ordering }
    return sharedBackends().create<E>(TYPE, settings).filledWith(this.elementsAsTheyCame())
  }

  /** @internal */
  protected override moved(): void {
    this.wipe()
    this.#notEmpty.signalAll()
  }

  get #ordering(): Comparator<unknown> {
    return (this.#comparator ?? naturalOrder) as Comparator<unknown>
  }
}
