import { requireInteger } from "../checks.ts"
import { TIMEOUT, WaitList, type Steps, type WaitOptions } from "../memory/waiting.ts"
import { BlockingQueue } from "./blocking-queue.ts"
import { ChunkedList } from "./chunked-list.ts"
import type { Cursor } from "./iteration.ts"
import type { End } from "./queue-core.ts"

/**
 * What ArrayBlockingQueue, LinkedBlockingQueue and LinkedBlockingDeque share: a list, a capacity and two lines, of
 * those who wait for an element and of those who wait for room. Both lines are never occupied at once.
 *
 * In Java the three differ in memory and locking. Here one storage serves all: nothing beats it for any of them.
 *
 * `offer` and `poll` are written out instead of inherited: a pool calls them for each task.
 */
export abstract class BoundedQueue<E> extends BlockingQueue<E> {
  readonly #items = new ChunkedList<E>()
  readonly #notEmpty = new WaitList()
  readonly #notFull = new WaitList()
  /** The capacity, or 0 once closed: one comparison answers both questions. */
  #limit: number

  protected constructor(capacity: number) {
    super()
    this.#limit = requireInteger("capacity", capacity, 1)
  }

  override get size(): number {
    return this.#items.size
  }

  override get remainingCapacity(): number {
    return Math.max(this.#limit - this.#items.size, 0)
  }

  override offer(e: E): boolean
  override offer(e: E, wait: WaitOptions): Promise<boolean>
  override offer(e: E, wait?: WaitOptions): boolean | Promise<boolean> {
    if (wait !== undefined) return this.offerAt("last", e, wait)
    this.check(e)
    if (this.#items.size >= this.#limit) return false
    this.#items.push(e)
    this.#notEmpty.signal()
    return true
  }

  override poll(): E | undefined
  override poll(wait: WaitOptions): Promise<E | undefined>
  override poll(wait?: WaitOptions): E | undefined | Promise<E | undefined> {
    if (wait !== undefined) return this.pollAt("first", wait)
    const e = this.#items.shift()
    if (e !== undefined) this.vacated(1)
    return e
  }

  override peek(): E | undefined {
    return this.#items.first
  }

  /** @internal */
  protected override insert(e: E, end: End): boolean {
    if (this.#items.size >= this.#limit) return false
    if (end === "last") this.#items.push(e)
    else this.#items.unshift(e)
    this.#notEmpty.signal()
    return true
  }

  /** @internal */
  protected override *inserting(e: E, end: End): Steps<boolean> {
    while (!this.isClosed) {
      if ((yield this.#notFull) === TIMEOUT) return false
      if (this.insert(e, end)) return true
    }
    return false
  }

  /** @internal */
  protected override ready(end: End): E | undefined {
    return end === "first" ? this.#items.first : this.#items.last
  }

  /** @internal */
  protected override behead(end: End): void {
    if (end === "first") this.#items.shift()
    else this.#items.pop()
  }

  /** @internal */
  protected override *taking(end: End): Steps<E | undefined> {
    while (!this.isClosed) {
      if ((yield this.#notEmpty) === TIMEOUT) return undefined
      const e = this.extract(end)
      if (e !== undefined) return e
    }
    return undefined
  }

  /** @internal As many putters come in as elements went. */
  protected override vacated(count: number): void {
    for (let left = count; left > 0 && this.#notFull.signal(); left--);
  }

  /** @internal Takers wait only if there is nothing: closed and empty, they all go. */
  protected override closing(): void {
    this.#limit = 0
    this.#notEmpty.signalAll()
    this.#notFull.signalAll()
  }

  /** @internal */
  protected override cursor(backwards = false): Cursor<E> {
    return this.#items.walk(backwards)
  }

  /** @internal */
  protected override removeWhere(test: (e: E) => boolean): number {
    return this.#items.removeWhere(test).length
  }

  /** @internal */
  protected override wipe(): void {
    this.#items.clear()
  }
}
