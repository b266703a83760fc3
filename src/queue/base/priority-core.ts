import { MAX_VALUE, typeError } from "../../checks.ts"
import { NotSerializableError } from "../../errors.ts"
import type { Comparator } from "../local/heap.ts"
import { isComparable, type KeyOf, naturalOrder, requireNaturalOrder } from "../local/order.ts"
import { HeapCore } from "./heap-core.ts"
import { type QueueBackend, sharedBackends } from "./queue-backend.ts"

/** How a PriorityBlockingQueue works. */
export class PriorityCore<E> extends HeapCore<E> {
  readonly #type: string
  readonly #comparator: Comparator<E> | undefined
  readonly #keyOf: KeyOf<E> | undefined

  /** `type` is the name of the queue's class in handles. The comparator compares the keys, if there are keys. */
  constructor(type: string, comparator: Comparator<E> | undefined, keyOf: KeyOf<E> | undefined) {
    super(comparator ?? naturalOrder)
    this.#type = type
    this.#comparator = comparator
    this.#keyOf = keyOf
  }

  override get ordersByPriority(): boolean {
    return true
  }

  override get ordersByKey(): boolean {
    return this.#keyOf !== undefined
  }

  override keyOf(e: E): number | undefined {
    return this.#keyOf?.(e)
  }

  override check(e: E): void {
    super.check(e)
    this.keyOf(e) // also that of the first element
    if (this.#comparator !== undefined) return
    // Also the first element, with which nothing is compared: Java refuses it too.
    requireNaturalOrder(e)
    if (this.shared !== undefined && isComparable(e)) {
      throw typeError("e", "a number, bigint, string or Date (a copy has no compareTo; give the queue a comparator)", e)
    }
  }

  protected override insert(e: E): boolean {
    if (this.isClosed) return false
    this.heap.push(e)
    this.takers.signal()
    return true
  }

  override ready(): E | undefined {
    return this.heap.first
  }

  protected override toShared(): QueueBackend<E> {
    if (this.#comparator === undefined && isComparable(this.heap.first)) {
      throw new NotSerializableError("Copies of the elements have no compareTo: give the queue a comparator")
    }
    const ordering = (this.#comparator ?? naturalOrder) as Comparator<unknown>
    const settings = { capacity: MAX_VALUE, ordering }
    return sharedBackends().create<E>(this.#type, settings).filledWith(this.elementsAsTheyCame())
  }
}
