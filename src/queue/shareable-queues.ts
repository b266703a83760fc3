/**
 * The kinds of queues as `corepool` and `corepool/queue` export them: the classes themselves, which bring along what
 * they need to be shared between threads. A bundler leaves out what is not used; `corepool/virtual` exports the same
 * classes without that.
 */
import { ArrayBlockingQueue as LocalArrayBlockingQueue } from "./array-blocking-queue.ts"
import { DelayQueue as LocalDelayQueue, type Delayed } from "./delay-queue.ts"
import { LinkedBlockingDeque as LocalLinkedBlockingDeque } from "./linked-blocking-deque.ts"
import { LinkedBlockingQueue as LocalLinkedBlockingQueue } from "./linked-blocking-queue.ts"
import { LinkedTransferQueue as LocalLinkedTransferQueue } from "./linked-transfer-queue.ts"
import { PriorityBlockingQueue as LocalPriorityBlockingQueue } from "./priority-blocking-queue.ts"
import { provideSharedBackends } from "./base/queue-backend.ts"
import { SharedQueue } from "./shared/shared-queue.ts"
import { SynchronousQueue as LocalSynchronousQueue } from "./synchronous-queue.ts"

/** From now on queues of this thread can be shared. */
export function shareQueues(): void {
  provideSharedBackends(() => SharedQueue)
}

/**
 * Returns the class, and calls {@link shareQueues} as a side effect. Its call is marked as pure, so a bundler drops it
 * together with the class that it initializes.
 */
function shareable<C>(type: C): C {
  shareQueues()
  return type
}

/**
 * First in, first out, with a capacity that must be named.
 *
 * `fair` is Java's and changes nothing: waiting threads are always served in the order in which they came.
 */
export const ArrayBlockingQueue: typeof LocalArrayBlockingQueue = /* @__PURE__ */ shareable(LocalArrayBlockingQueue)
export type ArrayBlockingQueue<E> = LocalArrayBlockingQueue<E>

/** Elements can be taken only when their delay has run out, the soonest first. No limit. */
export const DelayQueue: typeof LocalDelayQueue = /* @__PURE__ */ shareable(LocalDelayQueue)
export type DelayQueue<E extends Delayed> = LocalDelayQueue<E>

/** A queue with two ends; without a limit unless one is given. */
export const LinkedBlockingDeque: typeof LocalLinkedBlockingDeque = /* @__PURE__ */ shareable(LocalLinkedBlockingDeque)
export type LinkedBlockingDeque<E> = LocalLinkedBlockingDeque<E>

/**
 * A first-in, first-out queue, without a limit unless one is given. Fixed pools use it.
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
export const LinkedBlockingQueue: typeof LocalLinkedBlockingQueue = /* @__PURE__ */ shareable(LocalLinkedBlockingQueue)
export type LinkedBlockingQueue<E> = LocalLinkedBlockingQueue<E>

/** First in, first out, without a limit, and a producer can wait until its element has been received: `transfer`. */
export const LinkedTransferQueue: typeof LocalLinkedTransferQueue = /* @__PURE__ */ shareable(LocalLinkedTransferQueue)
export type LinkedTransferQueue<E> = LocalLinkedTransferQueue<E>

/**
 * The least element first, by a comparator or by natural order: numbers, bigints, strings, dates, or objects with
 * `compareTo`. Equals leave in the order in which they came (Java promises no order for them). No limit.
 */
export const PriorityBlockingQueue: typeof LocalPriorityBlockingQueue =
  /* @__PURE__ */ shareable(LocalPriorityBlockingQueue)
export type PriorityBlockingQueue<E> = LocalPriorityBlockingQueue<E>

/** A queue without room: each insertion waits for a removal and the other way round. The queue of a cached pool. */
export const SynchronousQueue: typeof LocalSynchronousQueue = /* @__PURE__ */ shareable(LocalSynchronousQueue)
export type SynchronousQueue<E> = LocalSynchronousQueue<E>
