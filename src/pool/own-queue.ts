import { MAX_VALUE, typeError } from "../checks.ts"
import { IllegalStateError } from "../errors.ts"
import type { Runnable } from "../future/runnable.ts"
import { uncaught } from "../memory/flow/flow.ts"
import { BlockingQueue } from "../queue/base/blocking-queue.ts"
import { QueueCore } from "../queue/base/queue-core.ts"
import { type Cursor, cursorOver } from "../queue/local/iteration.ts"
import { isInstance, propertyOf } from "../user-values.ts"

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

/**
 * The queue of a pool whose tasks wait in a queue of the program.
 *
 * How it works
 *
 * The code of the program may throw, lose a task, or give one twice. So the pool keeps a list of its own of the tasks
 * that wait, and the queue of the program only says which of them is the next. If it says nothing of use, the oldest
 * task is the next. No task is lost, and none runs twice.
 */
class OwnQueue extends BlockingQueue<Runnable> {
  constructor(queue: TaskQueue) {
    super(new OwnQueueCore(queue))
  }
}

class OwnQueueCore extends QueueCore<Runnable> {
  readonly #queue: TaskQueue
  /** In the order in which they came. */
  readonly #tasks = new Set<Runnable>()
  /** The task that the queue has given, and that no thread has taken yet. */
  #next: Runnable | undefined

  constructor(queue: TaskQueue) {
    super()
    this.#queue = queue
  }

  override get size(): number {
    return this.#tasks.size
  }

  /** Not known: the queue may refuse any task. */
  override get remainingCapacity(): number {
    return MAX_VALUE
  }

  override peek(): Runnable | undefined {
    return this.ready()
  }

  override check(e: Runnable): void {
    super.check(e)
    if (this.#tasks.has(e)) throw typeError("e", "a task that is not in the queue", e)
  }

  /** An error of `offer` is that of the caller: the task is not taken. */
  protected override insert(e: Runnable): boolean {
    const isTaken: unknown = this.#queue.offer(e)
    if (isTaken !== true) return false
    this.#tasks.add(e)
    this.takers.signal()
    return true
  }

  override ready(): Runnable | undefined {
    if (this.#next === undefined && this.#tasks.size > 0) this.#next = this.#asked() ?? this.#oldest()
    return this.#next
  }

  override behead(): void {
    const next = this.#next
    this.#next = undefined
    if (next !== undefined) this.#tasks.delete(next)
  }

  /** What the queue gives, if that is a task that waits here. */
  #asked(): Runnable | undefined {
    try {
      const given: unknown = this.#queue.poll()
      if (given === undefined || this.#tasks.has(given as Runnable)) return given as Runnable | undefined
      throw typeError("poll()", "a task that was offered and has not been taken", given)
    } catch (error) {
      uncaught(error)
      return undefined
    }
  }

  #oldest(): Runnable | undefined {
    const [first] = this.#tasks
    if (first !== undefined) this.#forget(first)
    return first
  }

  #forget(task: Runnable): void {
    try {
      this.#queue.remove(task)
    } catch (error) {
      uncaught(error)
    }
  }

  #drop(task: Runnable): boolean {
    if (!this.#tasks.delete(task)) return false
    if (this.#next === task) this.#next = undefined
    else this.#forget(task)
    return true
  }

  protected override cursor(): Cursor<Runnable> {
    return cursorOver([...this.#tasks], (task) => this.#drop(task))
  }

  override removeWhere(test: (task: Runnable) => boolean): number {
    const removed = [...this.#tasks].filter((task) => test(task))
    for (const task of removed) this.#drop(task)
    return removed.length
  }

  override wipe(): void {
    this.removeWhere(() => true)
  }

  /** Never called: the queue of a pool cannot be shared. */
  protected override toShared(): never {
    throw new IllegalStateError("The queue belongs to a pool")
  }
}
