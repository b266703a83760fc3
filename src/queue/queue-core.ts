import { isPromiseLike, typeError } from "../checks.ts"
import { IllegalStateError, NoSuchElementError, TimeoutError } from "../errors.ts"
import { currentFlow, type Flow } from "../memory/flow.ts"
import { abortOf, drive, timeoutOf, type Settle, type Steps, type WaitOptions } from "../memory/waiting.ts"
import { iterateAsync, type Cursor } from "./iteration.ts"

/** @internal The end of a queue an operation works at. Only a deque has a choice. */
export type End = "first" | "last"

/**
 * The lower half of BlockingQueue: what a kind of queue supplies, and how operations wait and queues close on top of
 * that.
 *
 * What Java overrides separately stays separate: nothing here calls a public `offer` or `poll`. So a subclass that
 * refuses in `offer` (a well-known way to steer a pool) does not lose its `put`.
 */
export abstract class QueueCore<E> {
  #closed = false
  #holdsTasks = false

  /** How many elements are inside. */
  abstract get size(): number

  get isEmpty(): boolean {
    return this.size === 0
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /**
   * Lets nothing more in: `offer` gives false, `add` and `put` fail with IllegalStateError, also those that wait.
   * What is inside can still be taken. After that `poll` gives undefined, and `take` fails with IllegalStateError,
   * also those that wait. IllegalStateError for the queue of a pool: its threads would have nothing to wait for.
   * [TP66]
   */
  close(): void {
    if (this.#holdsTasks) throw new IllegalStateError("The queue belongs to a pool: shut down the pool instead")
    if (this.#closed) return
    this.#closed = true
    this.closing()
  }

  /** Takes one element after the other, as they come, until the queue is closed and empty. */
  [Symbol.asyncIterator](): AsyncIterableIterator<E> {
    return iterateAsync((settle) => this.#get("first", settle, undefined, false))
  }

  /**
   * From now on the elements are a pool's tasks: futures are welcome. The pool never awaits an element.
   *
   * @internal
   */
  holdTasks(): void {
    if (this.#closed) throw new IllegalStateError("The queue is closed: a pool could not take tasks from it")
    this.#holdsTasks = true
  }

  /**
   * `poll(timeout)`, or `take()` if that is Infinity, for a flow that is told by callback: no promise, so a future
   * arrives as it is. Undefined means timed out.
   *
   * @internal
   */
  receive(settle: Settle<E | undefined>, flow: Flow, timeout: number): void {
    const timed = timeout !== Infinity
    try {
      this.enter(flow, "take", timed)
    } catch (error) {
      settle.reject(error)
      return
    }
    this.obtain("first", timed ? settle : new Demand(this, settle), flow, timeout)
  }

  /** @internal */
  protected putAt(end: End, e: E, wait: WaitOptions | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const given = (done: boolean): void => {
        if (done) resolve()
        else reject(this.#closed ? this.refusal() : new TimeoutError("No room came free in time"))
      }
      this.#give(end, e, { resolve: given, reject }, wait, false)
    })
  }

  /** @internal */
  protected offerAt(end: End, e: E, wait: WaitOptions): Promise<boolean> {
    return new Promise((resolve, reject) => this.#give(end, e, { resolve, reject }, wait, true))
  }

  /** @internal */
  protected takeAt(end: End, wait: WaitOptions | undefined): Promise<E> {
    return new Promise((resolve, reject) => this.#get(end, new Demand(this, { resolve, reject }), wait, false))
  }

  /** @internal */
  protected pollAt(end: End, wait: WaitOptions): Promise<E | undefined> {
    return new Promise((resolve, reject) => this.#get(end, { resolve, reject }, wait, true))
  }

  /** What this throws, its promise rejects with: wrong arguments first, then the abort, then the interrupt. */
  #give(end: End, e: E, settle: Settle<boolean>, wait: WaitOptions | undefined, timed: boolean): void {
    this.check(e)
    const timeout = timeoutOf(wait)
    const abort = abortOf(wait)
    abort?.throwIfAborted()
    const flow = currentFlow()
    this.enter(flow, "put", timed)
    if (this.insert(e, end)) {
      settle.resolve(true)
      return
    }
    const steps = this.#closed ? undefined : this.inserting(e, end)
    if (steps === undefined) settle.resolve(false)
    else drive(steps, settle, flow, timeout, abort)
  }

  #get(end: End, settle: Settle<E | undefined>, wait: WaitOptions | undefined, timed: boolean): void {
    const timeout = timeoutOf(wait)
    const abort = abortOf(wait)
    abort?.throwIfAborted()
    const flow = currentFlow()
    this.enter(flow, "take", timed)
    this.obtain(end, settle, flow, timeout, abort)
  }

  /** @internal Takes now or waits. */
  protected obtain(end: End, settle: Settle<E | undefined>, flow: Flow, timeout: number, abort?: AbortSignal): void {
    let e: E | undefined
    try {
      e = this.extract(end)
    } catch (error) {
      settle.reject(error) // a comparator that throws
      return
    }
    if (e !== undefined) settle.resolve(e)
    else drive(this.taking(end, timeout), settle, flow, timeout, abort)
  }

  /** @internal Why a taker got nothing. */
  whyNothing(): Error {
    return this.#closed && this.isEmpty ? this.refusal() : new TimeoutError("No element came in time")
  }

  /** @internal Why an insertion is refused, or a take on a closed queue. */
  protected refusal(): IllegalStateError {
    return new IllegalStateError(`${this.noun} ${this.#closed ? "closed" : "full"}`)
  }

  /** @internal */
  protected demand(e: E | undefined): E {
    if (e === undefined) throw new NoSuchElementError(`${this.noun} empty`)
    return e
  }

  /** @internal What messages call the queue. */
  protected get noun(): string {
    return "Queue"
  }

  /** @internal Refuses what cannot be an element. */
  protected check(e: E): void {
    if (e == null) throw typeError("e", "an element, neither null nor undefined", e)
    if (!this.#holdsTasks && isPromiseLike(e)) {
      throw typeError("e", "no promise or future (taking it would unwrap it: wrap it in an object)", e)
    }
  }

  /**
   * @internal How an operation that may wait begins. Most throw if the flow is interrupted, even if they need not
   * wait.
   */
  protected enter(flow: Flow, _what: "put" | "take", _timed: boolean): void {
    flow.throwIfInterrupted()
  }

  /** @internal Inserts now, and wakes who waits for that; false if there is no room or the queue is closed. */
  protected abstract insert(e: E, end: End): boolean

  /**
   * How to wait for room and insert; false if time ran out or the queue was closed. A queue without a limit never
   * waits.
   *
   * @internal
   */
  protected inserting(_e: E, _end: End): Steps<boolean> | undefined {
    return undefined
  }

  /** @internal What could be taken now. */
  protected abstract ready(end: End): E | undefined

  /** @internal Removes what {@link ready} shows, without calling {@link vacated}. */
  protected abstract behead(end: End): void

  /** @internal Takes now, and wakes who waits for that. */
  protected extract(end: End): E | undefined {
    const e = this.ready(end)
    if (e !== undefined) {
      this.behead(end)
      this.vacated(1)
    }
    return e
  }

  /** @internal How to wait for an element and take it; undefined if time ran out, or the queue is closed and empty. */
  protected abstract taking(end: End, timeout: number): Steps<E | undefined>

  /** @internal So many elements went: wakes who waits for that. Always the last thing a method does. */
  protected vacated(_count: number): void {}

  /** @internal The queue has just been closed: wakes who need no longer wait. */
  protected abstract closing(): void

  /** @internal A way through all elements. */
  protected abstract cursor(): Cursor<E>

  /** @internal Removes the first that passes the test. */
  protected removeOne(test: (e: E) => boolean, cursor: Cursor<E> = this.cursor()): boolean {
    for (let e = cursor.next(); e !== undefined; e = cursor.next()) {
      if (test(e) && cursor.remove()) {
        this.vacated(1)
        return true
      }
    }
    return false
  }

  /** @internal Removes all that pass the test, and tells how many, without calling {@link vacated}. */
  protected abstract removeWhere(test: (e: E) => boolean): number

  /** @internal Removes everything, without calling {@link vacated}. */
  protected abstract wipe(): void
}

/** Settles a taker, who must get something or learn why not. A class: a closure each would double what a wait costs. */
class Demand<E> implements Settle<E | undefined> {
  readonly #queue: QueueCore<E>
  readonly #settle: Settle<E>

  constructor(queue: QueueCore<E>, settle: Settle<E>) {
    this.#queue = queue
    this.#settle = settle
  }

  resolve(e: E | undefined): void {
    if (e === undefined) this.#settle.reject(this.#queue.whyNothing())
    else this.#settle.resolve(e)
  }

  reject(reason: unknown): void {
    this.#settle.reject(reason)
  }
}
