import { isPromiseLike, typeError } from "../../checks.ts"
import { IllegalStateError, NoSuchElementError, TimeoutError } from "../../errors.ts"
import { currentFlow, type Flow } from "../../memory/flow/flow.ts"
import type { Handle } from "../../memory/shared/shared-memory.ts"
import { blocking, drive, type Settle, type Steps, TIMEOUT, WaitList } from "../../memory/flow/waiting.ts"
import { equalTo, equalToAny } from "../local/equality.ts"
import type { Cursor } from "../local/iteration.ts"
import type { QueueBackend } from "./queue-backend.ts"

/** The end of a queue an operation works at. Only a deque has a choice. */
export type End = "first" | "last"

/**
 * What a BlockingQueue works by: the elements, the flows that wait for them, how the queue closes, and how it comes to
 * be shared. A kind of queue is a class with the public methods and a subclass of this.
 *
 * Nothing here calls a public method of the queue. So a subclass of the program that refuses in `offer` (a well-known
 * way to steer a pool) does not lose its `put`, and may have members of any name.
 */
/*
 * Two backends. A queue begins with its elements in the heap of its thread; how it keeps them there makes its kind.
 * When its handle is read the first time, it takes on its shared backend, for ever: all elements move there, and from
 * then on every operation goes there. The methods that decide between the two are here; those that a kind supplies are
 * about its local elements alone.
 */
export abstract class QueueCore<E> {
  /** The flows that wait for an element. */
  readonly takers: WaitList = new WaitList()
  /** The queue that works by this. */
  face: object | undefined
  #closed = false
  #holdsTasks = false
  #shared: QueueBackend<E> | undefined

  abstract get size(): number

  abstract get remainingCapacity(): number

  /** The head, left in its place. */
  abstract peek(): E | undefined

  get isEmpty(): boolean {
    return this.size === 0
  }

  get isClosed(): boolean {
    return this.#shared === undefined ? this.#closed : this.#shared.isClosed
  }

  close(): void {
    if (this.#holdsTasks) throw new IllegalStateError("The queue belongs to a pool: shut down the pool instead")
    if (this.isClosed) return
    if (this.#shared !== undefined) this.#shared.close()
    else {
      this.#closed = true
      this.closing()
    }
  }

  // ------------------------------------------------------------------ for pools

  /** From now on the elements are a pool's tasks, and may be futures. The pool never awaits an element. */
  holdTasks(): void {
    if (this.isClosed) throw new IllegalStateError("The queue is closed: a pool could not take tasks from it")
    if (this.#shared !== undefined) throw new IllegalStateError("The queue is shared: tasks cannot be copied into it")
    this.#holdsTasks = true
  }

  /** The same, if the pool has a backend of its own for its tasks: an empty queue takes that on. */
  holdTasksIn(backend: QueueBackend<E>): void {
    this.holdTasks()
    if (!this.isEmpty)
      throw new IllegalStateError("The queue is not empty: its elements cannot be moved to other threads")
    this.adopt(backend)
  }

  /**
   * How to wait until an element can be taken, and leave it in its place; false if time ran out. `isPatient` if the
   * wait has no time limit because the flow cannot leave while there are elements: it is then broken off when there are
   * none.
   */
  *looking(_isPatient: boolean): Steps<boolean> {
    while (this.ready("first") === undefined) if ((yield this.takers) === TIMEOUT) return false
    return true
  }

  /** Whether elements are taken in the order of numbers that a function of the program gives them. */
  get ordersByKey(): boolean {
    return false
  }

  /** The key of the element; undefined if the queue does not order by keys. */
  keyOf(_e: E): number | undefined {
    return undefined
  }

  /** Whether a pool's tasks with priorities are taken in the order of their priorities. */
  get ordersByPriority(): boolean {
    return false
  }

  // ------------------------------------------------------------------ sharing

  /** The handle of the queue. Makes it a shared one, if it is not. */
  share(): Handle {
    if (this.#shared === undefined) {
      if (this.#holdsTasks) throw new IllegalStateError("The queue belongs to a pool: it cannot be shared by itself")
      const shared = this.toShared()
      this.adopt(shared)
      this.moved(shared)
      if (this.#closed) shared.close()
      if (this.face !== undefined) shared.noteFace?.(this.face)
    }
    return (this.#shared as QueueBackend<unknown>).handle
  }

  /** From now on this is the backend of the queue. */
  adopt(shared: QueueBackend<E>): void {
    this.#shared = shared
  }

  /** The shared backend, if the queue has one. */
  get shared(): QueueBackend<E> | undefined {
    return this.#shared
  }

  /** Makes a shared backend with all elements. If that cannot be, throws, and has changed nothing. */
  protected abstract toShared(): QueueBackend<E>

  /**
   * The shared backend has taken over: drops the local elements, and wakes all flows, in order, to wait there.
   */
  protected moved(_shared: QueueBackend<E>): void {
    this.wipe()
    this.takers.signalAll()
  }

  // ------------------------------------------------------------------ with either backend

  /** Inserts at the tail now, if there is room. */
  offer(e: E): boolean {
    this.check(e)
    return this.accept(e, "last")
  }

  /** Takes the head out now, if there is one. */
  poll(): E | undefined {
    return this.extract("first")
  }

  /** Inserts now, and wakes a waiting taker; false if there is no room or the queue is closed. */
  accept(e: E, end: End): boolean {
    return this.#shared === undefined ? this.insert(e, end) : this.#shared.insert(e, end)
  }

  /** Takes now, and wakes a waiting putter. */
  extract(end: End): E | undefined {
    if (this.#shared !== undefined) return this.#shared.extract(end)
    const e = this.ready(end)
    if (e !== undefined) {
      this.behead(end)
      this.vacated(1)
    }
    return e
  }

  /** How to wait for room and insert, as {@link inserting}. */
  waitToInsert(e: E, end: End, flow: Flow): Steps<boolean> | undefined {
    if (this.isClosed) return undefined
    return this.#shared === undefined ? this.inserting(e, end, flow) : this.#shared.inserting(e, end, flow)
  }

  /** How to wait for an element and take it, as {@link taking}. */
  waitToTake(end: End, timeout: number, flow: Flow): Steps<E | undefined> {
    return this.#shared === undefined ? this.taking(end, timeout, flow) : this.#shared.taking(end, flow)
  }

  /** Takes now or waits. */
  obtain(end: End, settle: Settle<E | undefined>, flow: Flow, timeout: number, abort?: AbortSignal): void {
    let e: E | undefined
    try {
      e = this.extract(end)
    } catch (error) {
      settle.reject(error) // of a comparator
      return
    }
    if (e !== undefined) settle.resolve(e)
    else drive(this.waitToTake(end, timeout, flow), settle, flow, timeout, abort, "BlockingQueue", this)
  }

  /** Takes now or blocks. */
  obtainSync(end: End, timeout: number): E | undefined {
    return this.extract(end) ?? blocking(this.waitToTake(end, timeout, currentFlow()), timeout, "BlockingQueue")
  }

  /**
   * `poll(timeout)`, or `take()` if that is Infinity, for a flow that gets its result by a callback: without a promise,
   * so that a future arrives as it is. Undefined means that the time is up.
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

  /** A way through all elements. */
  walk(backwards = false): Cursor<E> {
    return this.#shared === undefined ? this.cursor(backwards) : this.#shared.cursor(backwards)
  }

  /** Whether an element equal to this one is inside. */
  has(sought: unknown): boolean {
    const test = this.equal(sought)
    const cursor = this.walk()
    for (let e = cursor.next(); e !== undefined; e = cursor.next()) if (test(e)) return true
    return false
  }

  /** Removes the first element equal to this one. */
  removeEqual(sought: unknown): boolean {
    return this.removeOne(this.equal(sought))
  }

  /** Removes the first element that passes the test. */
  removeOne(test: (e: E) => boolean, cursor: Cursor<E> = this.walk()): boolean {
    for (let e = cursor.next(); e !== undefined; e = cursor.next()) {
      if (test(e) && cursor.remove()) {
        this.vacated(1)
        return true
      }
    }
    return false
  }

  /** A test for elements equal to this one. */
  equal(sought: unknown): (e: unknown) => boolean {
    return this.#shared === undefined ? equalTo(sought) : this.#shared.equalTo(sought)
  }

  /** A test for elements equal to one of these. */
  equalToOneOf(sought: Iterable<unknown>): (e: unknown) => boolean {
    return this.#shared === undefined ? equalToAny(sought) : this.#shared.equalToAny(sought)
  }

  /** Why an insertion is refused, or a take on a closed queue. */
  refusal(): IllegalStateError {
    return new IllegalStateError(`${this.noun} ${this.isClosed ? "closed" : "full"}`)
  }

  /** Why a taker got nothing. */
  whyNothing(): Error {
    return this.isClosed && this.isEmpty ? this.refusal() : new TimeoutError("No element came in time")
  }

  demand(e: E | undefined): E {
    if (e === undefined) throw new NoSuchElementError(`${this.noun} empty`)
    return e
  }

  // ------------------------------------------------------------------ what a kind of queue supplies

  /** What messages call the queue. */
  protected get noun(): string {
    return "Queue"
  }

  /** Throws for a value that cannot be an element. */
  check(e: E): void {
    if (e == null) throw typeError("e", "an element, neither null nor undefined", e)
    if (!this.#holdsTasks && isPromiseLike(e)) {
      throw typeError("e", "no promise or future (taking it would unwrap it: wrap it in an object)", e)
    }
  }

  /** Begins an operation that may wait. Most throw if the flow is interrupted, even if they need not wait. */
  enter(flow: Flow, _what: "put" | "take", _timed: boolean): void {
    flow.throwIfInterrupted()
  }

  /** Whether flows wait for nothing but an element, as {@link taking} has it here. See take-wait.ts. */
  get hasPlainTakers(): boolean {
    return this.taking === QueueCore.prototype.taking
  }

  /** Inserts now, and wakes a waiting taker; false if there is no room or the queue is closed. */
  protected abstract insert(e: E, end: End): boolean

  /**
   * How to wait for room and insert; false if time ran out or the queue was closed. A queue without a limit never
   * waits.
   */
  protected inserting(_e: E, _end: End, _flow: Flow): Steps<boolean> | undefined {
    return undefined
  }

  /** The element that could be taken now. */
  abstract ready(end: End): E | undefined

  /** Removes the element that {@link ready} returns, without calling {@link vacated}. */
  abstract behead(end: End): void

  /**
   * How to wait for an element and take it; undefined if time ran out, or the queue is closed and empty. If the flow is
   * woken because the queue has become a shared one, goes on in the shared backend.
   */
  protected *taking(end: End, _timeout: number, flow: Flow): Steps<E | undefined> {
    while (!this.isClosed) {
      if ((yield this.takers) === TIMEOUT) return undefined
      if (this.#shared !== undefined) return yield* this.#shared.taking(end, flow)
      const e = this.extract(end)
      if (e !== undefined) return e
    }
    return undefined
  }

  /** So many elements have left: wakes the flows that wait for that. Always the last thing a method does. */
  vacated(_count: number): void {}

  /**
   * The queue has just been closed: wakes the flows that wait in vain. Takers wait only if the queue is empty, so all
   * of them go.
   */
  protected closing(): void {
    this.takers.signalAll()
  }

  /** A way through all elements. */
  protected abstract cursor(backwards?: boolean): Cursor<E>

  /** Removes all elements that pass the test, and returns how many, without calling {@link vacated}. */
  abstract removeWhere(test: (e: E) => boolean): number

  /** Removes everything, without calling {@link vacated}. */
  abstract wipe(): void
}

/** Settles a take(), which gives an element or an error. A class: a closure each would double the cost of a wait. */
export class Demand<E> implements Settle<E | undefined> {
  readonly #core: QueueCore<E>
  readonly #settle: Settle<E>

  constructor(core: QueueCore<E>, settle: Settle<E>) {
    this.#core = core
    this.#settle = settle
  }

  resolve(e: E | undefined): void {
    if (e === undefined) this.#settle.reject(this.#core.whyNothing())
    else this.#settle.resolve(e)
  }

  reject(reason: unknown): void {
    this.#settle.reject(reason)
  }
}
