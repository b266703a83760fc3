import { requireBoolean, requireFunction, requireOptions } from "../checks.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import { BlockingQueue, opened } from "./base/blocking-queue.ts"
import { ListCore } from "./base/list-core.ts"
import { CORE } from "./base/internals.ts"

const TYPE = "ArrayBlockingQueue"

/**
 * First in, first out, with a capacity that must be named.
 *
 * `fair` is Java's and changes nothing: waiting threads are always served in the order in which they came.
 */
export class ArrayBlockingQueue<E> extends BlockingQueue<E> {
  /** @throws RangeError unless the capacity is an integer ≥ 1. */
  constructor(capacity: number, options: { readonly fair?: boolean } = {}) {
    super(new ListCore(TYPE, capacity))
    const { fair = false } = requireOptions("options", options, { fair: true })
    requireBoolean("fair", fair)
  }

  /** The same queue that another thread has posted. */
  static from<E>(shared: Shared): ArrayBlockingQueue<E> {
    return opened(new ArrayBlockingQueue<E>(1), TYPE, shared)
  }

  /**
   * As in every queue, but it wakes no putter that waits for room; nor do `removeAll` and `retainAll`. In the JDK (17
   * to 25) this kind alone behaves so. The next removal of another sort wakes one. A shared queue wakes them at once.
   */
  override removeIf(test: (e: E) => boolean): boolean {
    const core = this[CORE]
    if (core.shared !== undefined) return super.removeIf(test)
    return core.removeWhere(requireFunction("test", test)) > 0
  }
}
