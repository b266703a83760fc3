import { UnsupportedOperationError } from "../../errors.ts"
import {
  alone,
  MAX_VALUE,
  rangeError,
  requireFunction,
  requireIterable,
  requireNumber,
  show,
  typeError,
} from "../../checks.ts"
import { identityOf } from "../../identity.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../../inspection.ts"
import { SHAREABLE } from "../../memory/shared/shareables.ts"
import type { Handle, Shared } from "../../memory/shared/shared-memory.ts"
import type { WaitOptions } from "../../memory/flow/waiting.ts"
import { iterate, type QueueIterator } from "../local/iteration.ts"
import { CORE } from "./internals.ts"
import { type Ordering, sharedBackends } from "./queue-backend.ts"
import type { QueueCore } from "./queue-core.ts"
import {
  offerAt,
  offerSyncAt,
  pollAt,
  pollSyncAt,
  putAt,
  putSyncAt,
  takeAll,
  takeAt,
  takeSyncAt,
} from "./queue-waits.ts"

/**
 * A queue that can be waited on: for an element when it is empty, for room when it is full.
 *
 * |         | throws      | returns at once | waits    | waits at most ms | blocks the thread               |
 * |---------|-------------|-----------------|----------|------------------|---------------------------------|
 * | insert  | `add(e)`    | `offer(e)`      | `put(e)` | `offer(e, ms)`   | `putSync(e)`, `offerSync(e, ms)` |
 * | remove  | `remove()`  | `poll()`        | `take()` | `poll(ms)`       | `takeSync()`, `pollSync(ms)`     |
 * | examine | `element()` | `peek()`        |          |                  |                                 |
 *
 * Methods that wait return promises and never throw: every failure is a rejection. Each takes milliseconds or
 * `{ timeout, signal }`; zero and less mean one attempt. When time runs out `offer` and `poll` give `false` and
 * `undefined`, `put` and `take` reject with TimeoutError. An interrupt of the waiting thread rejects with
 * InterruptedError, an abort with the signal's reason. A wait given up leaves nothing behind.
 *
 * The thread that waits longest is served first (only an unfair SynchronousQueue serves the latest).
 *
 * Elements: neither `null` nor `undefined`, and no promises or futures, which an awaited `take` would unwrap; wrap
 * them in an object. Two elements are equal (for `contains`, `remove(e)` and the like) if the `equals` method of
 * one of them says so, else if they are the same value.
 *
 * Beyond Java a queue can be closed: it accepts nothing any more, its elements can still be taken, and then
 * `for await (const e of queue)` ends.
 *
 * A queue belongs to one thread until it is posted to another, which makes it a shared one: its elements are copies
 * from then on, equal if they have the same structure, and a wait for it keeps the process alive. Until it is posted, a
 * thread that blocks stops the code it waits for, so a `…Sync` method that would never end is an IllegalStateError.
 *
 * **Memory effects.** What a thread wrote to shared memory before it inserted an element is visible to the thread that
 * takes or sees that element.
 *
 * @typeParam E what the queue holds; `out`, because a queue of tasks also is a queue of what tasks are
 */
export abstract class BlockingQueue<out E> implements Iterable<E>, AsyncIterable<E> {
  /**
   * What a clone of this queue consists of. Post the queue itself to a thread, and give what arrives there to `from` of
   * its class. Reading this, which posting does, makes the queue a shared one: its elements are copied into shared
   * memory, and elements are copies from then on. NotSerializableError if one cannot be copied; then nothing has
   * changed.
   */
  declare readonly handle: Handle
  readonly #core: QueueCore<E>

  /** @internal Without a core in a class of the program, which then overrides what it offers. */
  constructor(core: QueueCore<E> | undefined) {
    this.#core = core as QueueCore<E>
    if (core !== undefined) core.face = this
    Object.defineProperty(this, "handle", sharing)
  }

  /** @internal What the queue works by. */
  get [CORE](): QueueCore<E> {
    return this.#core
  }

  /** How many elements are inside. */
  get size(): number {
    return this.#core.size
  }

  /** True if nothing is inside. */
  get isEmpty(): boolean {
    return this.size === 0
  }

  /** How many elements could be inserted now without waiting; 2³¹−1 if there is no limit, 0 once closed. */
  get remainingCapacity(): number {
    return this.#core.remainingCapacity
  }

  /** True after `close()`. */
  get isClosed(): boolean {
    return this.#core.isClosed
  }

  /**
   * Lets nothing more in: `offer` gives false, `add` and `put` fail with IllegalStateError, also those that wait. What
   * is inside can still be taken. After that `poll` gives undefined, and `take` fails with IllegalStateError, also
   * those that wait. IllegalStateError for the queue of a pool: its threads would have nothing to wait for. [TP66]
   */
  close(): void {
    this.#core.close()
  }

  /**
   * Inserts now.
   *
   * @throws IllegalStateError if there is no room, or the queue is closed.
   */
  add(e: E): boolean {
    if (!this.offer(e)) throw this.#core.refusal()
    return true
  }

  /** Inserts now, if there is room. */
  offer(e: E): boolean
  /** Inserts as soon as there is room; false if there is none in time. */
  offer(e: E, wait: WaitOptions): Promise<boolean>
  offer(e: E, wait?: WaitOptions): boolean | Promise<boolean> {
    return wait === undefined ? this.#core.offer(e) : offerAt(this.#core, "last", e, wait)
  }

  /** Inserts as soon as there is room; blocks the thread. False if there is none in time. */
  offerSync(e: E, ms: number): boolean {
    return offerSyncAt(this.#core, "last", e, ms)
  }

  /**
   * Inserts as soon as there is room.
   *
   * @throws TimeoutError, InterruptedError, or `IllegalStateError` if the queue is closed.
   */
  put(e: E, wait?: WaitOptions): Promise<void> {
    return putAt(this.#core, "last", e, wait)
  }

  /** Inserts as soon as there is room; blocks the thread. */
  putSync(e: E): void {
    putSyncAt(this.#core, "last", e)
  }

  /** Takes the head out. NoSuchElementError if there is nothing to take. */
  remove(): E
  /** Removes one element equal to `e`, if there is one. */
  remove(e: unknown): boolean
  remove(...sought: unknown[]): E | boolean {
    // By count, so that remove(undefined) looks for undefined, which is never inside.
    return sought.length > 0 ? this.#core.removeEqual(sought[0]) : this.#core.demand(this.poll())
  }

  /** Takes the head out; undefined if there is nothing to take. */
  poll(): E | undefined
  /** Takes the head out as soon as there is one; undefined if there is none in time. */
  poll(wait: WaitOptions): Promise<E | undefined>
  poll(wait?: WaitOptions): E | undefined | Promise<E | undefined> {
    return wait === undefined ? this.#core.poll() : pollAt(this.#core, "first", wait)
  }

  /** Takes the head out as soon as there is one; blocks the thread. Undefined if there is none in time. */
  pollSync(ms: number): E | undefined {
    return pollSyncAt(this.#core, "first", ms)
  }

  /**
   * Takes the head out as soon as there is one.
   *
   * @throws TimeoutError, InterruptedError, or `IllegalStateError` if the queue is closed and empty.
   */
  take(wait?: WaitOptions): Promise<E> {
    return takeAt(this.#core, "first", wait)
  }

  /** Takes the head out as soon as there is one; blocks the thread. */
  takeSync(): E {
    return takeSyncAt(this.#core, "first")
  }

  /** The head, left in its place. NoSuchElementError if there is none. */
  element(): E {
    return this.#core.demand(this.peek())
  }

  /** The head, left in its place; undefined if there is none. */
  peek(): E | undefined {
    return this.#core.peek()
  }

  /** Whether an element equal to `e` is inside. */
  contains(e: unknown): boolean {
    return this.#core.has(e)
  }

  /** Whether for each of these an equal element is inside. */
  containsAll(elements: Iterable<unknown>): boolean {
    return [...requireIterable("elements", elements)].every((e) => this.contains(e))
  }

  /** Adds one after the other; true if there were any. If one is refused, those before it stay. */
  addAll(elements: Iterable<E>): boolean {
    if (requireIterable<E>("elements", elements) === this)
      throw rangeError("elements", "another collection than the queue", this)
    let changed = false
    for (const e of elements) changed = this.add(e)
    return changed
  }

  /** Removes every element that equals one of these; true if there were any. */
  removeAll(elements: Iterable<unknown>): boolean {
    return this.removeIf(this.#core.equalToOneOf(requireIterable("elements", elements)))
  }

  /** Removes every element that equals none of these; true if there were any. */
  retainAll(elements: Iterable<unknown>): boolean {
    const wanted = this.#core.equalToOneOf(requireIterable("elements", elements))
    return this.removeIf((e) => !wanted(e))
  }

  /** Removes every element that passes the test; true if there were any. A test that throws removes nothing. */
  removeIf(test: (e: E) => boolean): boolean {
    requireFunction("test", test)
    const core = this.#core
    if (core.shared !== undefined) return core.shared.removeWhere(test) > 0
    const removed = core.removeWhere(test)
    core.vacated(removed)
    return removed > 0
  }

  /**
   * Moves what could be taken now, but not more than `max` elements, to the end of an array or to another queue, and
   * returns how many. If the other queue refuses one, it and those after it stay.
   */
  drainTo(target: E[] | BlockingQueue<E>, max: number = Infinity): number {
    const isQueue = target instanceof BlockingQueue
    if (!isQueue && !Array.isArray(target)) throw typeError("target", "an array or a BlockingQueue", target)
    if (target === this) throw rangeError("target", "another collection than the queue", target)
    requireNumber("max", max, "an integer or Infinity", (n) => Number.isInteger(n) || n === Infinity)
    const accept = (e: E): unknown => (isQueue ? target.add(e) : target.push(e))
    const core = this.#core
    if (core.shared !== undefined) return core.shared.drain(accept, max)
    let moved = 0
    try {
      for (; moved < max; moved++) {
        const e = core.ready("first")
        if (e === undefined) break
        accept(e)
        core.behead("first")
      }
    } finally {
      // Only now: the element of a putter that came in earlier would be drained too.
      core.vacated(moved)
    }
    return moved
  }

  /** Removes everything. */
  clear(): void {
    const core = this.#core
    if (core.shared !== undefined) {
      core.shared.clear()
      return
    }
    const { size } = core
    core.wipe()
    core.vacated(size)
  }

  /** Calls the function for each element, in the order of iteration and as undisturbed by changes, until it throws. */
  forEach(action: (e: E) => void): void {
    requireFunction("action", action)
    for (const e of this) action(e)
  }

  /** The elements in the order of iteration. */
  toArray(): E[] {
    const { shared } = this.#core
    return shared === undefined ? [...this] : shared.toArray()
  }

  /**
   * From head to tail (ordered queues: in no order). Never disturbed by changes: it shows each element that stays
   * throughout once, others perhaps. Its `remove()` takes the element that `next()` returned last out of the queue.
   */
  [Symbol.iterator](): QueueIterator<E> {
    return iteratorOf(this.#core)
  }

  /** Takes one element after the other, as they come, until the queue is closed and empty. */
  [Symbol.asyncIterator](): AsyncIterableIterator<E> {
    return takeAll(this.#core)
  }

  /** @internal */
  get [SHAREABLE](): true {
    return true
  }

  /** @internal */
  static handleOf(queue: BlockingQueue<unknown>): Handle {
    // A class of the program that extends this one directly has nothing that could be shared.
    const core = queue.#core as QueueCore<unknown> | undefined
    if (core === undefined) throw new UnsupportedOperationError(`${identityOf(queue)} cannot be shared between threads`)
    return core.share()
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    const { size, remainingCapacity, isClosed } = this
    const isBounded = remainingCapacity < MAX_VALUE - size
    return {
      clock: undefined,
      size,
      remainingCapacity: isBounded ? remainingCapacity : undefined,
      isClosed: isClosed || undefined,
    }
  }

  /** The elements, as in Java: `[a, b]`. */
  toString(): string {
    return `[${this.toArray()
      .map((e) => (Object.is(e, this) ? "(this Collection)" : describe(e)))
      .join(", ")}]`
  }
}

/** Gives the queue its shared backend: that of a queue of this class that another thread has posted. */
export function opened<Q extends BlockingQueue<unknown>>(
  queue: Q,
  type: string,
  shared: Shared,
  ordering?: Ordering,
): Q {
  queue[CORE].adopt(sharedBackends().open(type, shared, ordering))
  return queue
}

/** An iterator whose `remove()` wakes the flows that wait for room. */
export function iteratorOf<E>(core: QueueCore<E>, backwards = false): QueueIterator<E> {
  return iterate(core.walk(backwards), () => core.vacated(1))
}

/** A clone copies an object's own properties, not those of its class. The getter runs when the queue is cloned. */
const sharing: PropertyDescriptor & ThisType<BlockingQueue<unknown>> = /* @__PURE__ */ alone({
  enumerable: true,
  get() {
    return BlockingQueue.handleOf(this)
  },
})

/** As a template literal would, but also for symbols and for objects without a `toString`. */
function describe(e: unknown): string {
  if (typeof e !== "object" || e === null) return String(e)
  const { toString } = e as { toString?: unknown }
  return typeof toString === "function" ? String((e as { toString(): unknown }).toString()) : show(e)
}
