import { MAX_VALUE } from "../checks.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import { BoundedQueue } from "./base/bounded-queue.ts"

/** First in, first out; without a limit unless one is given. The queue of a fixed pool. */
export class LinkedBlockingQueue<E> extends BoundedQueue<E> {
  /** @throws RangeError unless the capacity is an integer ≥ 1. */
  constructor(capacity: number = MAX_VALUE) {
    super(capacity)
  }

  /** The same queue that another thread has posted. */
  static from<E>(shared: Shared): LinkedBlockingQueue<E> {
    return new LinkedBlockingQueue<E>().open(shared)
  }

  /** @internal */
  protected override get typeName(): string {
    return "LinkedBlockingQueue"
  }
}
