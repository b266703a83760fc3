import { requireBoolean, requireOptions } from "../checks.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import { BlockingQueue, opened } from "./base/blocking-queue.ts"
import { SynchronousCore } from "./base/synchronous-core.ts"

const TYPE = "SynchronousQueue"

/**
 * A queue without room: each insertion waits for a removal and the other way round. `offer(e)` succeeds only if a taker
 * already waits, `poll()` only if a putter waits. The queue of a cached pool.
 *
 * It is always empty: it has no size, no head, nothing to iterate over, contain or remove.
 *
 * A fair queue serves waiting flows in the order in which they came; otherwise, as in Java, the latest first, so that
 * with little to do the same few threads do it and the others can time out. An interrupt is noticed only by a flow that
 * has to wait.
 */
export class SynchronousQueue<E> extends BlockingQueue<E> {
  /** `fair`: threads are served in the order in which they came; default false. */
  constructor(options: { readonly fair?: boolean } = {}) {
    const { fair = false } = requireOptions("options", options, { fair: true })
    super(new SynchronousCore(TYPE, requireBoolean("fair", fair)))
  }

  /** The same queue that another thread has posted. */
  static from<E>(shared: Shared): SynchronousQueue<E> {
    return opened(new SynchronousQueue<E>(), TYPE, shared)
  }
}
