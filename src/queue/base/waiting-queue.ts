import { requireTimeout } from "../../checks.ts"
import { TimeoutError } from "../../errors.ts"
import { currentFlow, type Flow } from "../../memory/flow/flow.ts"
import { abortOf, blocking, drive, timeoutOf, type Settle, type WaitOptions } from "../../memory/flow/waiting.ts"
import { iterateAsync } from "../local/iteration.ts"
import { QueueCore, type End } from "./queue-core.ts"

/**
 * How operations of a queue wait: by a promise, by a callback, or by blocking the thread. All of them first try without
 * waiting; if that fails, all run the same steps.
 */
export abstract class WaitingQueue<E> extends QueueCore<E> {
  /** Takes one element after the other, as they come, until the queue is closed and empty. */
  [Symbol.asyncIterator](): AsyncIterableIterator<E> {
    return iterateAsync((settle) => this.#get("first", settle, undefined, false))
  }

  // ------------------------------------------------------------------ promises

  /** @internal */
  protected putAt(end: End, e: E, wait: WaitOptions | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const given = (done: boolean): void => {
        if (done) resolve()
        else reject(this.isClosed ? this.refusal() : new TimeoutError("No room came free in time"))
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

  /** The promise rejects with what this throws: wrong arguments first, then the abort, then the interrupt. */
  #give(end: End, e: E, settle: Settle<boolean>, wait: WaitOptions | undefined, timed: boolean): void {
    this.check(e)
    const timeout = timeoutOf(wait)
    const abort = abortOf(wait)
    abort?.throwIfAborted()
    const flow = currentFlow()
    this.enter(flow, "put", timed)
    if (this.accept(e, end)) {
      settle.resolve(true)
      return
    }
    const steps = this.waitToInsert(e, end, flow)
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
      settle.reject(error) // of a comparator
      return
    }
    if (e !== undefined) settle.resolve(e)
    else drive(this.waitToTake(end, timeout, flow), settle, flow, timeout, abort)
  }

  // ------------------------------------------------------------------ callbacks

  /**
   * `poll(timeout)`, or `take()` if that is Infinity, for a flow that gets its result by a callback: without a promise,
   * so that a future arrives as it is. Undefined means that the time is up.
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

  // ------------------------------------------------------------------ blocking

  /** @internal */
  protected putSyncAt(end: End, e: E): void {
    if (!this.#giveSync(end, e, Infinity, false)) throw this.refusal()
  }

  /** @internal */
  protected offerSyncAt(end: End, e: E, ms: number): boolean {
    return this.#giveSync(end, e, requireTimeout("ms", ms), true)
  }

  /** @internal */
  protected takeSyncAt(end: End): E {
    this.enter(currentFlow(), "take", false)
    const e = this.obtainSync(end, Infinity)
    if (e === undefined) throw this.whyNothing()
    return e
  }

  /** @internal */
  protected pollSyncAt(end: End, ms: number): E | undefined {
    requireTimeout("ms", ms)
    this.enter(currentFlow(), "take", true)
    return this.obtainSync(end, ms)
  }

  /** @internal Takes now or blocks. */
  protected obtainSync(end: End, timeout: number): E | undefined {
    return this.extract(end) ?? blocking(this.waitToTake(end, timeout, currentFlow()), timeout)
  }

  #giveSync(end: End, e: E, timeout: number, timed: boolean): boolean {
    this.check(e)
    const flow = currentFlow()
    this.enter(flow, "put", timed)
    if (this.accept(e, end)) return true
    const steps = this.waitToInsert(e, end, flow)
    return steps !== undefined && blocking(steps, timeout)
  }

  /** @internal Why a taker got nothing. */
  whyNothing(): Error {
    return this.isClosed && this.isEmpty ? this.refusal() : new TimeoutError("No element came in time")
  }
}

/** Settles a take(), which gives an element or an error. A class: a closure each would double the cost of a wait. */
class Demand<E> implements Settle<E | undefined> {
  readonly #queue: WaitingQueue<E>
  readonly #settle: Settle<E>

  constructor(queue: WaitingQueue<E>, settle: Settle<E>) {
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
