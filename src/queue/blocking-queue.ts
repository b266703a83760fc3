import { isPromiseLike, rangeError, requireFunction, show, typeError } from "../checks.ts"
import { IllegalStateError, NoSuchElementError, TimeoutError } from "../errors.ts"
import { currentFlow, type Flow } from "../memory/flow.ts"
import { abortOf, drive, timeoutOf, type Settle, type Steps, type WaitOptions } from "../memory/waiting.ts"
import { equalTo, equalToAny } from "./equality.ts"
import { iterate, iterateAsync, type Cursor, type QueueIterator } from "./iteration.ts"

/** @internal The end of a queue an operation works at. Only a deque has a choice. */
export type End = "first" | "last"

/**
 * A queue that can be waited on: for an element when it is empty, for room when it is full.
 *
 * |         | throws      | returns at once | waits      | waits at most ms |
 * |---------|-------------|-----------------|------------|------------------|
 * | insert  | `add(e)`    | `offer(e)`      | `put(e)`   | `offer(e, ms)`   |
 * | remove  | `remove()`  | `poll()`        | `take()`   | `poll(ms)`       |
 * | examine | `element()` | `peek()`        |            |                  |
 *
 * Methods that wait return promises and never throw: whatever goes wrong is a rejection. Each takes milliseconds or
 * `{ timeout, signal }`; zero and less mean one attempt. When time runs out `offer` and `poll` give `false` and
 * `undefined`, `put` and `take` reject with TimeoutError. An interrupt of the waiting thread rejects with
 * InterruptedError, an abort with the signal's reason. A wait given up leaves nothing behind.
 *
 * Who waits longest is served first, always (only an unfair SynchronousQueue serves the latest).
 *
 * Elements: neither `null` nor `undefined`, and no promises or futures, which an awaited `take` would unwrap; wrap
 * them in an object. Two elements are equal (for `contains`, `remove(e)` and the like) if the `equals` method of
 * one of them says so, else if they are the same value.
 *
 * Beyond Java a queue can be closed: nothing comes in any more, what is inside can still be taken, and then
 * `for await (const e of queue)` ends.
 *
 * Everything here belongs to one thread; the queue's waiters are its flows.
 *
 * @typeParam E what the queue holds
 */
/*
 * How it works. A kind of queue supplies a few primitives, grouped at the end of the class: try to insert, look at and
 * remove what could be taken now, the steps of a wait, a cursor. All public methods are written once, on top of them.
 * What Java overrides separately stays separate: `add` calls `offer`, but `put` and `take` call neither `offer`
 * nor `poll`, so a subclass that refuses in `offer` (a well-known way to steer a pool) does not lose its `put`.
 */
export abstract class BlockingQueue<E> implements Iterable<E>, AsyncIterable<E> {
  #closed = false
  #holdsTasks = false

  /** How many elements are inside. */
  abstract get size(): number

  /** How many elements could be inserted now without waiting; 2³¹−1 if there is no limit, 0 once closed. */
  abstract get remainingCapacity(): number

  get isEmpty(): boolean {
    return this.size === 0
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Inserts now. IllegalStateError if there is no room. */
  add(e: E): boolean {
    if (!this.offer(e)) throw this.refusal()
    return true
  }

  /** Inserts now, if there is room. */
  offer(e: E): boolean
  /** Inserts as soon as there is room; false if there is none in time. */
  offer(e: E, wait: WaitOptions): Promise<boolean>
  offer(e: E, wait?: WaitOptions): boolean | Promise<boolean> {
    if (wait !== undefined) return this.offerAt("last", e, wait)
    this.check(e)
    return this.insert(e, "last")
  }

  /** Inserts as soon as there is room. */
  put(e: E, wait?: WaitOptions): Promise<void> {
    return this.putAt("last", e, wait)
  }

  /** Takes the head out. NoSuchElementError if there is nothing to take. */
  remove(): E
  /** Removes one element equal to `e`, if there is one. */
  remove(e: unknown): boolean
  remove(...sought: unknown[]): E | boolean {
    if (sought.length > 0) return this.removeOne(equalTo(sought[0]))
    return this.demand(this.poll())
  }

  /** Takes the head out; undefined if there is nothing to take. */
  poll(): E | undefined
  /** Takes the head out as soon as there is one; undefined if there is none in time. */
  poll(wait: WaitOptions): Promise<E | undefined>
  poll(wait?: WaitOptions): E | undefined | Promise<E | undefined> {
    return wait === undefined ? this.extract("first") : this.pollAt("first", wait)
  }

  /** Takes the head out as soon as there is one. */
  take(wait?: WaitOptions): Promise<E> {
    return this.takeAt("first", wait)
  }

  /** The head, left in its place. NoSuchElementError if there is none. */
  element(): E {
    return this.demand(this.peek())
  }

  /** The head, left in its place; undefined if there is none. */
  abstract peek(): E | undefined

  contains(e: unknown): boolean {
    return this.some(equalTo(e))
  }

  containsAll(elements: Iterable<unknown>): boolean {
    return [...requireIterable(elements)].every((e) => this.contains(e))
  }

  /** Adds one after the other; true if there were any. If one is refused, those before it stay. */
  addAll(elements: Iterable<E>): boolean {
    if (requireIterable<E>(elements) === this) throw rangeError("elements", "another collection than the queue", this)
    let changed = false
    for (const e of elements) changed = this.add(e)
    return changed
  }

  /** Removes every element that equals one of these; true if there were any. */
  removeAll(elements: Iterable<unknown>): boolean {
    return this.removeIf(equalToAny(requireIterable(elements)))
  }

  /** Removes every element that equals none of these; true if there were any. */
  retainAll(elements: Iterable<unknown>): boolean {
    const wanted = equalToAny(requireIterable(elements))
    return this.removeIf((e) => !wanted(e))
  }

  /** Removes every element that passes the test; true if there were any. A test that throws removes nothing. */
  removeIf(test: (e: E) => boolean): boolean {
    const removed = this.removeWhere(requireFunction("test", test))
    this.vacated(removed)
    return removed > 0
  }

  /**
   * Moves what could be taken now, but not more than `max` elements, to the end of an array or to another queue, and
   * tells how many. If the other queue refuses one, it and those after it stay.
   */
  drainTo(target: E[] | BlockingQueue<E>, max: number = Infinity): number {
    const isQueue = target instanceof BlockingQueue
    if (!isQueue && !Array.isArray(target)) throw typeError("target", "an array or a BlockingQueue", target)
    if (target === this) throw rangeError("target", "another collection than the queue", target)
    if (typeof max !== "number") throw typeError("max", "an integer or Infinity", max)
    if (!Number.isInteger(max) && max !== Infinity) throw rangeError("max", "an integer or Infinity", max)
    let moved = 0
    try {
      for (; moved < max; moved++) {
        const e = this.ready("first")
        if (e === undefined) break
        if (isQueue) target.add(e)
        else target.push(e)
        this.behead("first")
      }
    } finally {
      // Only now: a putter let in earlier would have its element drained too.
      this.vacated(moved)
    }
    return moved
  }

  /** Removes everything. */
  clear(): void {
    const { size } = this
    this.wipe()
    this.vacated(size)
  }

  /** The elements in the order of iteration. */
  toArray(): E[] {
    return [...this]
  }

  /**
   * From head to tail (ordered queues: in no order). Never disturbed by changes: it shows each element that stays
   * throughout once, others perhaps. Its `remove()` takes the element that `next()` returned last out of the queue.
   */
  [Symbol.iterator](): QueueIterator<E> {
    return this.iterator(this.cursor())
  }

  /** Takes one element after the other, as they come, until the queue is closed and empty. */
  [Symbol.asyncIterator](): AsyncIterableIterator<E> {
    return iterateAsync((settle) => this.#get("first", settle, undefined, false))
  }

  /**
   * Lets nothing more in: `offer` gives false, `add` and `put` fail with IllegalStateError, also those that wait. What is
   * inside can still be taken. After that `poll` gives undefined, and `take` fails with IllegalStateError, also those that wait.
   */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.closing()
  }

  /** The elements as Java shows a collection: `[a, b]`. */
  toString(): string {
    return `[${this.toArray()
      .map((e) => this.#show(e))
      .join(", ")}]`
  }

  #show(e: unknown): string {
    if (e === this) return "(this Collection)"
    // An object without a prototype has no toString.
    return typeof e === "object" && !(e instanceof Object) ? show(e) : String(e)
  }

  /**
   * From now on the elements are a pool's tasks: futures are welcome. The pool never awaits an element.
   *
   * @internal
   */
  holdTasks(): void {
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
    this.obtain("first", timed ? settle : this.#untilClosed(settle), flow, timeout)
  }

  /** Nothing came: the time is over, or, where that is unlimited, the queue is closed. */
  #untilClosed(settle: Settle<E>): Settle<E | undefined> {
    return {
      resolve: (e) => {
        if (e !== undefined) settle.resolve(e)
        else if (this.#closed && this.isEmpty) settle.reject(this.refusal())
        else settle.reject(new TimeoutError("No element came in time"))
      },
      reject: (reason) => settle.reject(reason),
    }
  }

  // ---------------------------------------------------------------- the same for both ends; used by the deque

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
    return new Promise((resolve, reject) => this.#get(end, this.#untilClosed({ resolve, reject }), wait, false))
  }

  /** @internal */
  protected pollAt(end: End, wait: WaitOptions): Promise<E | undefined> {
    return new Promise((resolve, reject) => this.#get(end, { resolve, reject }, wait, true))
  }

  /** What this throws, its promise rejects with: arguments first, then the abort, then the interrupt. */
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
    const e = this.extract(end)
    if (e !== undefined) settle.resolve(e)
    else drive(this.taking(end, timeout), settle, flow, timeout, abort)
  }

  /** @internal */
  protected demand(e: E | undefined): E {
    if (e === undefined) throw new NoSuchElementError(`${this.noun} empty`)
    return e
  }

  /** @internal Why an insertion is refused, or a take on a closed queue. */
  protected refusal(): IllegalStateError {
    return new IllegalStateError(`${this.noun} ${this.#closed ? "closed" : "full"}`)
  }

  /** @internal */
  protected get noun(): string {
    return "Queue"
  }

  /** @internal */
  protected iterator(cursor: Cursor<E>): QueueIterator<E> {
    return iterate(cursor, () => this.vacated(1))
  }

  /** @internal */
  protected some(test: (e: E) => boolean): boolean {
    const cursor = this.cursor()
    for (let e = cursor.next(); e !== undefined; e = cursor.next()) if (test(e)) return true
    return false
  }

  // ---------------------------------------------------------------- what a kind of queue supplies, or changes

  /** @internal Refuses what cannot be an element. */
  protected check(e: E): void {
    if (e == null) throw typeError("e", "an element, neither null nor undefined", e)
    if (!this.#holdsTasks && isPromiseLike(e)) {
      throw typeError("e", "no promise or future (taking it would unwrap it: wrap it in an object)", e)
    }
  }

  /** @internal How an operation that may wait begins. Most throw if the flow is interrupted, even if they need not wait. */
  protected enter(flow: Flow, _what: "put" | "take", _timed: boolean): void {
    flow.throwIfInterrupted()
  }

  /** @internal Inserts now, and wakes who waits for that; false if there is no room or the queue is closed. */
  protected abstract insert(e: E, end: End): boolean

  /**
   * How to wait for room and insert; false if time ran out or the queue was closed. A queue without a limit never waits.
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

  /** @internal */
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

/** @internal */
export function requireIterable<T>(elements: Iterable<T>): Iterable<T> {
  if (elements == null || typeof (elements as Partial<Iterable<T>>)[Symbol.iterator] !== "function") {
    throw typeError("elements", "iterable", elements)
  }
  return elements
}
