import { typeError } from "../checks.ts"
import type { Runnable } from "../future/runnable.ts"
import { BlockingQueue } from "../queue/base/blocking-queue.ts"
import { isInstance, propertyOf } from "../user-values.ts"
import { OwnQueueCore } from "./own-queue-core.ts"

/**
 * A queue of the program's own, for the tasks of a pool of virtual threads. It decides how many tasks may wait, and in
 * which order they run. Every `BlockingQueue` has these methods. The pool does the waiting, so a queue needs no `take`
 * and no `put`.
 */
export interface TaskQueue {
  /** Takes a task in; false if there is no room for it. */
  offer(task: Runnable): boolean
  /** Gives the task that is to run next, and forgets it; undefined if there is none. */
  poll(): Runnable | undefined
  /** Forgets a task that will not run: it was cancelled, removed, or handed back by `shutdownNow`. */
  remove(task: Runnable): unknown
}

/**
 * Makes a work queue for a pool of virtual threads from an object of the program, for an order or a limit that no queue
 * of corepool has. The object decides only which task is next. If it throws, returns a task that was not offered, or
 * returns nothing although tasks wait, the oldest task is next. So no task is lost, and none runs twice. Errors are
 * reported as uncaught.
 *
 * @example
 * ```ts
 * import { adaptQueue, type Runnable, ThreadPoolExecutor, virtualThreads } from "corepool"
 *
 * class LastInFirstOut {
 *   readonly #tasks: Runnable[] = []
 *   offer(task: Runnable): boolean {
 *     return this.#tasks.push(task) > 0
 *   }
 *   poll(): Runnable | undefined {
 *     return this.#tasks.pop()
 *   }
 *   remove(task: Runnable): void {
 *     this.#tasks.splice(this.#tasks.indexOf(task), 1)
 *   }
 * }
 *
 * await using pool = new ThreadPoolExecutor({
 *   corePoolSize: 1,
 *   maximumPoolSize: 1,
 *   threadFactory: virtualThreads(),
 *   workQueue: adaptQueue(new LastInFirstOut()),
 * })
 * const done = [1, 2, 3].map((n) => pool.submit(async () => console.log(n)))
 * await Promise.all(done)
 * // => 1
 * // => 3
 * // => 2
 * ```
 *
 * @throws TypeError if it lacks one of the methods.
 */
export function adaptQueue(queue: TaskQueue): BlockingQueue<Runnable> {
  if (isInstance(queue, BlockingQueue)) return queue as unknown as BlockingQueue<Runnable>
  for (const name of ["offer", "poll", "remove"]) {
    if (typeof propertyOf(queue, name) !== "function") {
      throw typeError("queue", "an object with the methods offer, poll and remove", queue)
    }
  }
  return new OwnQueue(queue)
}

/** The queue of a pool whose tasks wait in a queue of the program. */
class OwnQueue extends BlockingQueue<Runnable> {
  constructor(queue: TaskQueue) {
    super(new OwnQueueCore(queue))
  }
}
