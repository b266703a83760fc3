import { requireBoolean, requireFunction, requireOptions } from "../checks.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import { BoundedQueue } from "./base/bounded-queue.ts"

/**
 * First in, first out, with a capacity that must be named.
 *
 * `fair` is Java's and changes nothing: waiting threads are always served in the order in which they came.
 */
export class ArrayBlockingQueue<E> extends BoundedQueue<E> {
  /** @throws RangeError unless the capacity is an integer ≥ 1. */
  constructor(capacity: number, options: { readonly fair?: boolean } = {}) {
    super(capacity)
    const { fair = false } = requireOptions("options", options, { fair: true })
    requireBoolean("fair", fair)
  }

  /** The same queue that another thread has posted. */
  static from<E>(shared: Shared): ArrayBlockingQueue<E> {
    return new ArrayBlockingQueue<E>(1).open(shared)
  }

  /**
   * As in every queue, but it wakes no putter that waits for room; nor do `removeAll` and `retainAll`. In the JDK (17
   * to 25) this kind alone behaves so. The next removal of another sort wakes one. A shared queue wakes them at once.
   */
  override removeIf(test: (e: E) => boolean): boolean {
    if (this.shared !== undefined) return super.removeIf(test)
    return this.removeWhere(requireFunction("test", test)) > 0
  }

  /** @internal */
  protected override get typeName(): string {
    return "ArrayBlockingQueue"
  }
}
