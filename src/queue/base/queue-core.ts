import { alone, isPromiseLike, typeError } from "../../checks.ts"
import { IllegalStateError, NoSuchElementError, UnsupportedOperationError } from "../../errors.ts"
import { identityOf } from "../../identity.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../../inspection.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import { SHAREABLE } from "../../memory/shared/shareables.ts"
import type { Handle } from "../../memory/shared/shared-memory.ts"
import type { Steps } from "../../memory/flow/waiting.ts"
import type { Cursor } from "../local/iteration.ts"
import type { QueueBackend } from "./queue-backend.ts"

/** The end of a queue an operation works at. Only a deque has a choice. */
export type End = "first" | "last"

/**
 * The lower half of BlockingQueue: what a kind of queue supplies, how queues close, and how they come to be shared.
 *
 * Methods that Java overrides separately stay separate: nothing here calls a public `offer` or `poll`. So a subclass
 * that refuses in `offer` (a well-known way to steer a pool) does not lose its `put`.
 */
/*
 * Two backends. A queue begins with its elements in the heap of its thread; how it keeps them there makes its kind.
 * When its handle is read the first time, it takes on its shared backend, for ever: all elements move there, and from
 * then on every operation goes there. The methods that decide between the two are here; those that a kind supplies are
 * about its local elements alone.
 */
export abstract class QueueCore<E> {
  /**
   * What a clone of this queue consists of. Post the queue itself to a thread, and give what arrives there to `from` of
   * its class. Reading this, which posting does, makes the queue a shared one: its elements are copied into shared
   * memory, and elements are copies from then on. NotSerializableError if one cannot be copied; then nothing has
   * changed.
   */
  declare readonly handle: Handle
  #closed = false
  #holdsTasks = false
  #shared: QueueBackend<E> | undefined

  constructor() {
    Object.defineProperty(this, "handle", sharing)
  }

  /** How many elements are inside. */
  abstract get size(): number

  /** True if nothing is inside. */
  get isEmpty(): boolean {
    return this.size === 0
  }

  /** True after `close()`. */
  get isClosed(): boolean {
    return this.#shared === undefined ? this.#closed : this.#shared.isClosed
  }

  /**
   * Lets nothing more in: `offer` gives false, `add` and `put` fail with IllegalStateError, also those that wait. What
   * is inside can still be taken. After that `poll` gives undefined, and `take` fails with IllegalStateError, also
   * those that wait. IllegalStateError for the queue of a pool: its threads would have nothing to wait for. [TP66]
   */
  close(): void {
    if (this.#holdsTasks) throw new IllegalStateError("The queue belongs to a pool: shut down the pool instead")
    if (this.isClosed) return
    if (this.#shared !== undefined) this.#shared.close()
    else {
      this.#closed = true
      this.closing()
    }
  }

  /** @internal From now on the elements are a pool's tasks, and may be futures. The pool never awaits an element. */
  holdTasks(): void {
    if (this.isClosed) throw new IllegalStateError("The queue is closed: a pool could not take tasks from it")
    if (this.#shared !== undefined) throw new IllegalStateError("The queue is shared: tasks cannot be copied into it")
    this.#holdsTasks = true
  }

  /** @internal The same, if the pool has a backend of its own for its tasks: an empty queue takes that on. */
  holdTasksIn(backend: QueueBackend<E>): void {
    this.holdTasks()
    if (!this.isEmpty)
      throw new IllegalStateError("The queue is not empty: its elements cannot be moved to other threads")
    this.adopt(backend)
  }

  /** @internal Whether a pool's tasks with priorities are taken in the order of their priorities. */
  get ordersByPriority(): boolean {
    return false
  }

  // ------------------------------------------------------------------ sharing

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    return { isForgiving: undefined, clock: undefined }
  }

  /** @internal */
  get [SHAREABLE](): true {
    return true
  }

  /** @internal */
  static handleOf(queue: QueueCore<unknown>): Handle {
    if (queue.#shared === undefined) {
      if (queue.#holdsTasks) throw new IllegalStateError("The queue belongs to a pool: it cannot be shared by itself")
      const shared = queue.toShared()
      queue.adopt(shared)
      queue.moved(shared)
      if (queue.#closed) shared.close()
    }
    return (queue.#shared as QueueBackend<unknown>).handle
  }

  /** @internal From now on this is the backend of the queue. */
  protected adopt(shared: QueueBackend<E>): void {
    this.#shared = shared
  }

  /** @internal The shared backend, if the queue has one. */
  protected get shared(): QueueBackend<E> | undefined {
    return this.#shared
  }

  /** @internal Makes a shared backend with all elements. If that cannot be, throws, and has changed nothing. */
  protected toShared(): QueueBackend<E> {
    throw new UnsupportedOperationError(`${identityOf(this)} cannot be shared between threads`)
  }

  /**
   * @internal The shared backend has taken over: drops the local elements, and wakes all flows, in order, to wait
   * there.
   */
  protected moved(_shared: QueueBackend<E>): void {}

  // ------------------------------------------------------------------ with either backend

  /** @internal Inserts now, and wakes a waiting taker; false if there is no room or the queue is closed. */
  protected accept(e: E, end: End): boolean {
    return this.#shared === undefined ? this.insert(e, end) : this.#shared.insert(e, end)
  }

  /** @internal Takes now, and wakes a waiting putter. */
  protected extract(end: End): E | undefined {
    if (this.#shared !== undefined) return this.#shared.extract(end)
    const e = this.ready(end)
    if (e !== undefined) {
      this.behead(end)
      this.vacated(1)
    }
    return e
  }

  /** @internal How to wait for room and insert, as {@link inserting}. */
  protected waitToInsert(e: E, end: End, flow: Flow): Steps<boolean> | undefined {
    if (this.isClosed) return undefined
    return this.#shared === undefined ? this.inserting(e, end, flow) : this.#shared.inserting(e, end, flow)
  }

  /** @internal How to wait for an element and take it, as {@link taking}. */
  protected waitToTake(end: End, timeout: number, flow: Flow): Steps<E | undefined> {
    return this.#shared === undefined ? this.taking(end, timeout, flow) : this.#shared.taking(end, flow)
  }

  /** @internal A way through all elements. */
  protected walk(backwards = false): Cursor<E> {
    return this.#shared === undefined ? this.cursor(backwards) : this.#shared.cursor(backwards)
  }

  /** @internal Removes the first element that passes the test. */
  protected removeOne(test: (e: E) => boolean, cursor: Cursor<E> = this.walk()): boolean {
    for (let e = cursor.next(); e !== undefined; e = cursor.next()) {
      if (test(e) && cursor.remove()) {
        this.vacated(1)
        return true
      }
    }
    return false
  }

  /** @internal Why an insertion is refused, or a take on a closed queue. */
  protected refusal(): IllegalStateError {
    return new IllegalStateError(`${this.noun} ${this.isClosed ? "closed" : "full"}`)
  }

  /** @internal */
  protected demand(e: E | undefined): E {
    if (e === undefined) throw new NoSuchElementError(`${this.noun} empty`)
    return e
  }

  // ------------------------------------------------------------------ what a kind of queue supplies

  /** @internal What messages call the queue. */
  protected get noun(): string {
    return "Queue"
  }

  /** @internal Throws for a value that cannot be an element. */
  protected check(e: E): void {
    if (e == null) throw typeError("e", "an element, neither null nor undefined", e)
    if (!this.#holdsTasks && isPromiseLike(e)) {
      throw typeError("e", "no promise or future (taking it would unwrap it: wrap it in an object)", e)
    }
  }

  /** @internal Begins an operation that may wait. Most throw if the flow is interrupted, even if they need not wait. */
  protected enter(flow: Flow, _what: "put" | "take", _timed: boolean): void {
    flow.throwIfInterrupted()
  }

  /** @internal Inserts now, and wakes a waiting taker; false if there is no room or the queue is closed. */
  protected abstract insert(e: E, end: End): boolean

  /**
   * How to wait for room and insert; false if time ran out or the queue was closed. A queue without a limit never
   * waits.
   *
   * @internal
   */
  protected inserting(_e: E, _end: End, _flow: Flow): Steps<boolean> | undefined {
    return undefined
  }

  /** @internal The element that could be taken now. */
  protected abstract ready(end: End): E | undefined

  /** @internal Removes the element that {@link ready} returns, without calling {@link vacated}. */
  protected abstract behead(end: End): void

  /**
   * @internal How to wait for an element and take it; undefined if time ran out, or the queue is closed and empty. If
   * the flow is woken because the queue has become a shared one, goes on in the shared backend.
   */
  protected abstract taking(end: End, timeout: number, flow: Flow): Steps<E | undefined>

  /** @internal So many elements have left: wakes the flows that wait for that. Always the last thing a method does. */
  protected vacated(_count: number): void {}

  /** @internal The queue has just been closed: wakes the flows that wait in vain. */
  protected abstract closing(): void

  /** @internal A way through all elements. */
  protected abstract cursor(backwards?: boolean): Cursor<E>

  /** @internal Removes all elements that pass the test, and returns how many, without calling {@link vacated}. */
  protected abstract removeWhere(test: (e: E) => boolean): number

  /** @internal Removes everything, without calling {@link vacated}. */
  protected abstract wipe(): void
}

/** A clone copies an object's own properties, not those of its class. The getter runs when the queue is cloned. */
const sharing: PropertyDescriptor & ThisType<QueueCore<unknown>> = /* @__PURE__ */ alone({
  enumerable: true,
  get() {
    return QueueCore.handleOf(this)
  },
})
