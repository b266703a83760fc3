import { MAX_VALUE, typeError } from "../checks.ts"
import { IllegalStateError } from "../errors.ts"
import type { Runnable } from "../future/runnable.ts"
import { uncaught } from "../memory/flow/flow.ts"
import { QueueCore } from "../queue/base/queue-core.ts"
import { type Cursor, cursorOver } from "../queue/local/iteration.ts"
import type { TaskQueue } from "./own-queue.ts"

/**
 * The queue of a pool whose tasks wait in a queue of the program.
 *
 * How it works
 *
 * The code of the program may throw, lose a task, or give one twice. So the pool keeps a list of its own of the tasks
 * that wait, and the queue of the program only says which of them is the next. If it says nothing of use, the oldest
 * task is the next. No task is lost, and none runs twice.
 */
export class OwnQueueCore extends QueueCore<Runnable> {
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
