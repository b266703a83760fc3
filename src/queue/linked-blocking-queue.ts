import { MAX_VALUE } from "../checks.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import { BlockingQueue, opened } from "./base/blocking-queue.ts"
import { ListCore } from "./base/list-core.ts"

const TYPE = "LinkedBlockingQueue"

/**
 * A first-in, first-out queue, without a limit unless one is given. Fixed pools use it.
 *
 * **Memory effects.** See {@link BlockingQueue}.
 *
 * @example
 * ```ts
 * import { Executors, LinkedBlockingQueue } from "corepool"
 *
 * const squares = new LinkedBlockingQueue<number>()
 * await using pool = Executors.newFixedThreadPool(1)
 * pool.execute((queue: LinkedBlockingQueue<number>) => [1, 2, 3].forEach((n) => queue.putSync(n * n)), squares)
 * console.log(await squares.take(), await squares.take(), await squares.take()) // => 1 4 9
 * ```
 */
export class LinkedBlockingQueue<E> extends BlockingQueue<E> {
  /** @throws RangeError unless the capacity is an integer ≥ 1. */
  constructor(capacity: number = MAX_VALUE) {
    super(new ListCore(TYPE, capacity))
  }

  /** The same queue that another thread has posted. */
  static from<E>(shared: Shared): LinkedBlockingQueue<E> {
    return opened(new LinkedBlockingQueue<E>(), TYPE, shared)
  }
}
