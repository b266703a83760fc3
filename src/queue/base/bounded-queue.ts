import { requireInteger } from "../../checks.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import type { Shared } from "../../memory/shared/shared-memory.ts"
import { TIMEOUT, WaitList, type Steps, type WaitOptions } from "../../memory/flow/waiting.ts"
import { BlockingQueue } from "./blocking-queue.ts"
import { ChunkedList } from "../local/chunked-list.ts"
import type { Cursor } from "../local/iteration.ts"
import type { End } from "./queue-core.ts"
import { type QueueBackend, sharedBackends } from "./queue-backend.ts"

/**
 * The common part of ArrayBlockingQueue, LinkedBlockingQueue and LinkedBlockingDeque: a list, a capacity, and two lines
 * of waiting flows, takers and putters. Only one of the lines is occupied at a time.
 *
 * In Java the three differ in memory and locking. Here one storage serves all: nothing beats it for any of them.
 *
 * `offer` and `poll` are written out instead of inherited, because a pool calls them for each task. They check whether
 * the queue is shared only when there is no room or no element: once it is shared, the local list has neither.
 */
export abstract class BoundedQueue<E> extends BlockingQueue<E> {
  readonly #items = new ChunkedList<E>()
  readonly #notEmpty = new WaitList()
  readonly #notFull = new WaitList()
  /** The capacity, or 0 once closed or shared: one comparison answers both questions. */
  #limit: number

  /** @internal */
  protected constructor(capacity: number) {
    super()
    this.#limit = requireInteger("capacity", capacity, 1)
  }

  override get size(): number {
    return this.shared === undefined ? this.#items.size : this.shared.size
  }

  override get remainingCapacity(): number {
    if (this.shared === undefined) return Math.max(this.#limit - this.#items.size, 0)
    return this.shared.isClosed ? 0 : Math.max(this.shared.capacity - this.shared.size, 0)
  }

  override offer(e: E): boolean
  override offer(e: E, wait: WaitOptions): Promise<boolean>
  override offer(e: E, wait?: WaitOptions): boolean | Promise<boolean> {
    if (wait !== undefined) return this.offerAt("last", e, wait)
    this.check(e)
    if (this.#items.size >= this.#limit) return this.shared !== undefined && this.shared.insert(e, "last")
    this.#items.push(e)
    this.#notEmpty.signal()
    return true
  }

  override poll(): E | undefined
  override poll(wait: WaitOptions): Promise<E | undefined>
  override poll(wait?: WaitOptions): E | undefined | Promise<E | undefined> {
    if (wait !== undefined) return this.pollAt("first", wait)
    const e = this.#items.shift()
    if (e === undefined) return this.shared?.extract("first")
    this.vacated(1)
    return e
  }

  override peek(): E | undefined {
    return this.peekAt("first")
  }

  /** @internal */
  protected peekAt(end: End): E | undefined {
    return this.shared === undefined ? this.ready(end) : this.shared.peek(end)
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
  protected override *inserting(e: E, end: End, flow: Flow): Steps<boolean> {
    while (!this.isClosed) {
      if ((yield this.#notFull) === TIMEOUT) return false
      if (this.shared !== undefined) return yield* this.shared.inserting(e, end, flow)
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
  protected override *taking(end: End, _timeout: number, flow: Flow): Steps<E | undefined> {
    while (!this.isClosed) {
      if ((yield this.#notEmpty) === TIMEOUT) return undefined
      if (this.shared !== undefined) return yield* this.shared.taking(end, flow)
      const e = this.extract(end)
      if (e !== undefined) return e
    }
    return undefined
  }

  /** @internal Wakes as many putters as elements have left. */
  protected override vacated(count: number): void {
    for (let left = count; left > 0 && this.#notFull.signal(); left--);
  }

  /** @internal Takers wait only if the queue is empty: now that it is closed, they all go. */
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

  /** @internal The name of the class in handles. */
  protected abstract get typeName(): string

  /** @internal Takes on the backend that another thread has posted. */
  protected open(shared: Shared): this {
    this.#limit = 0
    this.adopt(sharedBackends().open<E>(this.typeName, shared))
    return this
  }

  /** @internal */
  protected override toShared(): QueueBackend<E> {
    // A closed queue has no capacity any more, and needs none.
    const capacity = Math.max(this.#limit, this.#items.size, 1)
    return sharedBackends().create<E>(this.typeName, { capacity }).filledWith(this.cursor())
  }

  /** @internal */
  protected override moved(): void {
    this.#items.clear()
    this.#limit = 0
    this.#notEmpty.signalAll()
    this.#notFull.signalAll()
  }
}
