import type { Shared } from "../memory/shared/shared-memory.ts"
import { BlockingQueue, opened } from "./base/blocking-queue.ts"
import { DelayCore, type Delayed } from "./base/delay-core.ts"

export type { Delayed }

const TYPE = "DelayQueue"

/**
 * Elements can be taken only when their delay has run out, the soonest first. No limit.
 *
 * `take`, `poll`, `remove()` and `drainTo` see expired elements only; `size`, `peek`, `element`, `contains`,
 * `remove(e)`, `clear` and iteration see all.
 *
 * A shared queue reads the delay once, when the element is inserted, and orders by it alone: its elements are copies,
 * without getters or `compareTo`.
 */
export class DelayQueue<E extends Delayed> extends BlockingQueue<E> {
  constructor()
  /** @internal */
  constructor(core?: DelayCore<E>)
  constructor(core: DelayCore<E> = new DelayCore(TYPE)) {
    super(core)
  }

  /** The same queue that another thread has posted. */
  static from<E extends Delayed>(shared: Shared): DelayQueue<E> {
    return opened(new DelayQueue<E>(), TYPE, shared, "due")
  }
}
