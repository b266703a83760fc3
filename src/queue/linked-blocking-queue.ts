import { MAX_VALUE } from "../checks.ts"
import { BoundedQueue } from "./bounded-queue.ts"

/** First in, first out; without a limit unless one is given. The queue of a fixed pool. */
export class LinkedBlockingQueue<E> extends BoundedQueue<E> {
  /** @throws RangeError unless the capacity is an integer ≥ 1. */
  constructor(capacity: number = MAX_VALUE) {
    super(capacity)
  }
}
