import { MAX_VALUE, requireIterable } from "../checks.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import type { WaitOptions } from "../memory/flow/waiting.ts"
import { BlockingQueue, iteratorOf, opened } from "./base/blocking-queue.ts"
import { DequeCore } from "./base/deque-core.ts"
import { offerAt, offerSyncAt, pollAt, pollSyncAt, putAt, putSyncAt, takeAt, takeSyncAt } from "./base/queue-waits.ts"
import type { QueueIterator } from "./local/iteration.ts"

const TYPE = "LinkedBlockingDeque"

/**
 * A queue with two ends; without a limit unless one is given. The methods of every queue insert at the tail and take
 * from the head; `…First` and `…Last` name the end.
 *
 * All takers wait in one line, whichever end they want; so do all putters.
 *
 * As in Java, all forms of `put` and `take` notice an interrupt only if they have to wait; the timed `offer` and
 * `poll` always do.
 */
export class LinkedBlockingDeque<E> extends BlockingQueue<E> {
  readonly #core: DequeCore<E>

  /** @throws RangeError unless the capacity is an integer ≥ 1. */
  constructor(capacity: number = MAX_VALUE) {
    const core = new DequeCore<E>(TYPE, capacity)
    super(core)
    this.#core = core
  }

  /** The same deque that another thread has posted. */
  static from<E>(shared: Shared): LinkedBlockingDeque<E> {
    return opened(new LinkedBlockingDeque<E>(), TYPE, shared)
  }

  /** Inserts at the head. IllegalStateError if there is no room. */
  addFirst(e: E): void {
    if (!this.offerFirst(e)) throw this.#core.refusal()
  }

  /** Inserts at the tail. IllegalStateError if there is no room. */
  addLast(e: E): void {
    if (!this.offerLast(e)) throw this.#core.refusal()
  }

  /** Inserts at the head, if there is room; with a wait, as soon as there is. */
  offerFirst(e: E): boolean
  /** Inserts at the head as soon as there is room; false if there is none in time. */
  offerFirst(e: E, wait: WaitOptions): Promise<boolean>
  offerFirst(e: E, wait?: WaitOptions): boolean | Promise<boolean> {
    if (wait !== undefined) return offerAt(this.#core, "first", e, wait)
    this.#core.check(e)
    return this.#core.accept(e, "first")
  }

  /** Inserts at the tail, if there is room; with a wait, as soon as there is. */
  offerLast(e: E): boolean
  /** Inserts at the tail as soon as there is room; false if there is none in time. */
  offerLast(e: E, wait: WaitOptions): Promise<boolean>
  offerLast(e: E, wait?: WaitOptions): boolean | Promise<boolean> {
    if (wait !== undefined) return offerAt(this.#core, "last", e, wait)
    this.#core.check(e)
    return this.#core.accept(e, "last")
  }

  /** Inserts at the head as soon as there is room; blocks the thread. False if there is none in time. */
  offerFirstSync(e: E, ms: number): boolean {
    return offerSyncAt(this.#core, "first", e, ms)
  }

  /** Inserts at the tail as soon as there is room; blocks the thread. False if there is none in time. */
  offerLastSync(e: E, ms: number): boolean {
    return offerSyncAt(this.#core, "last", e, ms)
  }

  /** Inserts at the head as soon as there is room. */
  putFirst(e: E, wait?: WaitOptions): Promise<void> {
    return putAt(this.#core, "first", e, wait)
  }

  /** Inserts at the tail as soon as there is room. */
  putLast(e: E, wait?: WaitOptions): Promise<void> {
    return putAt(this.#core, "last", e, wait)
  }

  /** Inserts at the head as soon as there is room; blocks the thread. */
  putFirstSync(e: E): void {
    putSyncAt(this.#core, "first", e)
  }

  /** Inserts at the tail as soon as there is room; blocks the thread. */
  putLastSync(e: E): void {
    putSyncAt(this.#core, "last", e)
  }

  /** Takes the first element as soon as there is one. */
  takeFirst(wait?: WaitOptions): Promise<E> {
    return takeAt(this.#core, "first", wait)
  }

  /** Takes the last element as soon as there is one. */
  takeLast(wait?: WaitOptions): Promise<E> {
    return takeAt(this.#core, "last", wait)
  }

  /** Takes the first element as soon as there is one; blocks the thread. */
  takeFirstSync(): E {
    return takeSyncAt(this.#core, "first")
  }

  /** Takes the last element as soon as there is one; blocks the thread. */
  takeLastSync(): E {
    return takeSyncAt(this.#core, "last")
  }

  /** Takes the first element, if there is one; with a wait, as soon as there is. */
  pollFirst(): E | undefined
  /** Takes the first element as soon as there is one; undefined if there is none in time. */
  pollFirst(wait: WaitOptions): Promise<E | undefined>
  pollFirst(wait?: WaitOptions): E | undefined | Promise<E | undefined> {
    return wait === undefined ? this.#core.extract("first") : pollAt(this.#core, "first", wait)
  }

  /** Takes the last element, if there is one; with a wait, as soon as there is. */
  pollLast(): E | undefined
  /** Takes the last element as soon as there is one; undefined if there is none in time. */
  pollLast(wait: WaitOptions): Promise<E | undefined>
  pollLast(wait?: WaitOptions): E | undefined | Promise<E | undefined> {
    return wait === undefined ? this.#core.extract("last") : pollAt(this.#core, "last", wait)
  }

  /** Takes the first element as soon as there is one; blocks the thread. Undefined if there is none in time. */
  pollFirstSync(ms: number): E | undefined {
    return pollSyncAt(this.#core, "first", ms)
  }

  /** Takes the last element as soon as there is one; blocks the thread. Undefined if there is none in time. */
  pollLastSync(ms: number): E | undefined {
    return pollSyncAt(this.#core, "last", ms)
  }

  /** The first element, which stays inside; undefined if there is none. */
  peekFirst(): E | undefined {
    return this.#core.peekAt("first")
  }

  /** The last element, which stays inside; undefined if there is none. */
  peekLast(): E | undefined {
    return this.#core.peekAt("last")
  }

  /** The first element, left in its place. NoSuchElementError if there is none. */
  getFirst(): E {
    return this.#core.demand(this.peekFirst())
  }

  /** The last element, left in its place. NoSuchElementError if there is none. */
  getLast(): E {
    return this.#core.demand(this.peekLast())
  }

  /** Takes the first element. NoSuchElementError if there is none. */
  removeFirst(): E {
    return this.#core.demand(this.pollFirst())
  }

  /** Takes the last element. NoSuchElementError if there is none. */
  removeLast(): E {
    return this.#core.demand(this.pollLast())
  }

  /** Removes the element equal to `e` that is nearest to the head, if there is one. */
  removeFirstOccurrence(e: unknown): boolean {
    return this.#core.removeEqual(e)
  }

  /** Removes the element equal to `e` that is nearest to the tail, if there is one. */
  removeLastOccurrence(e: unknown): boolean {
    return this.#core.removeOne(this.#core.equal(e), this.#core.walk(true))
  }

  /** A deque is a stack: `push` is `addFirst`. */
  push(e: E): void {
    this.addFirst(e)
  }

  /** A deque is a stack: `pop` is `removeFirst`. */
  pop(): E {
    return this.removeFirst()
  }

  /** From tail to head; otherwise as the iterator of any queue. */
  descendingIterator(): QueueIterator<E> {
    return iteratorOf(this.#core, true)
  }

  /** Adds one after the other, but checks all of them first: if one cannot be an element, none is added. */
  override addAll(elements: Iterable<E>): boolean {
    if (requireIterable("elements", elements) === this) return super.addAll(elements)
    const all = [...elements]
    for (const e of all) this.#core.check(e)
    return super.addAll(all)
  }
}
