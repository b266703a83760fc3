/**
 * Waiting, written once. An algorithm that may have to wait is a generator: it tries, and where it
 * cannot go on it yields the list on which it wants to be woken.
 *
 *     *taking(): Steps<E | undefined> {
 *       for (;;) {
 *         const element = this.poll()
 *         if (element !== undefined) return element
 *         if ((yield this.notEmpty) === TIMEOUT) return undefined
 *       }
 *     }
 *
 * A driver runs it. The one here awaits: the flow goes on when a promise settles. A driver that blocks
 * the thread runs the same steps. The fast path stays outside: call `poll()` first, and build the
 * generator only when there is something to wait for.
 *
 * How it works
 *
 * A `Wait` is one run of such a generator. While parked it stands in exactly one WaitList and in its
 * flow's set of waits. It leaves both, always at the same time, in one of four ways, whichever is first:
 *
 *     PARKED -> signalled   list.signal()            the generator goes on, with SIGNALLED
 *     PARKED -> due         the step's own limit     … with DUE
 *     PARKED -> timeout     the whole wait's limit   … with TIMEOUT
 *     PARKED -> broken off  interrupt, AbortSignal   … with an error thrown into it
 *
 * So a wait given up leaves nothing behind: no ghost can swallow the next signal.
 *
 * `signal()` runs the woken generator at once, inside the call of whoever signals. An element put into
 * a queue is therefore taken by the longest waiter before `put` returns, and nobody can slip in
 * between: first in, first out holds strictly. The price is a rule: **signal last**. A method brings its own state
 * in order before it signals, because the woken one will change it.
 */
import { requireSignal, requireTimeout, typeError } from "../checks.ts"
import { now, Timer } from "../time/timer.ts"
import { listen, unlisten } from "./abort.ts"
import { currentFlow, type Flow, type Interruptible } from "./flow.ts"
import { InterruptedError } from "../errors.ts"

/** How long to wait at most, in ms, or that and a signal that gives the wait up. */
export type WaitOptions = number | { readonly timeout?: number; readonly signal?: AbortSignal }

/** Why a parked generator goes on. */
export type Wake = typeof SIGNALLED | typeof DUE | typeof TIMEOUT
export const SIGNALLED = "signalled"
export const DUE = "due"
export const TIMEOUT = "timeout"

/** What a generator yields: the list to stand in, perhaps with a limit for this one step. */
export type Park = WaitList | { readonly list: WaitList; readonly atMost: number }

export type Steps<T> = Generator<Park, T, Wake>

/** Where waits stand, longest waiting first. */
export class WaitList {
  #head: Wait<unknown> | undefined
  #tail: Wait<unknown> | undefined
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Wakes the longest waiter; false if nobody waits. */
  signal(): boolean {
    const first = this.#head
    if (first === undefined) return false
    first.wake(SIGNALLED)
    return true
  }

  /** Wakes everybody who waits now; those who come back to wait again are not woken twice. */
  signalAll(): void {
    for (let left = this.#length; left > 0 && this.signal(); left--);
  }

  /** @internal */
  append(wait: Wait<unknown>): void {
    wait.list = this
    wait.before = this.#tail
    if (this.#tail === undefined) this.#head = wait
    else this.#tail.after = wait
    this.#tail = wait
    this.#length++
  }

  /** @internal */
  unlink(wait: Wait<unknown>): void {
    if (wait.before === undefined) this.#head = wait.after
    else wait.before.after = wait.after
    if (wait.after === undefined) this.#tail = wait.before
    else wait.after.before = wait.before
    wait.before = wait.after = wait.list = undefined
    this.#length--
  }
}

/** The outcome of a wait, delivered synchronously at the moment it is decided. */
export interface Settle<T> {
  resolve(value: T): void
  reject(reason: unknown): void
}

/** One run of a generator: see the top of this file. */
class Wait<T> implements Interruptible {
  /** Links of the list it stands in; owned by that list. */
  list: WaitList | undefined
  before: Wait<unknown> | undefined
  after: Wait<unknown> | undefined

  readonly #steps: Steps<T>
  readonly #settle: Settle<T>
  readonly #flow: Flow
  /** When the whole wait ends, on the clock of `now()`. */
  readonly #deadline: number
  readonly #abort: AbortSignal | undefined
  readonly #onAbort = (reason: unknown): void => this.#breakOff(reason)
  #timer: Timer | undefined

  constructor(steps: Steps<T>, settle: Settle<T>, flow: Flow, timeout: number, abort: AbortSignal | undefined) {
    this.#steps = steps
    this.#settle = settle
    this.#flow = flow
    this.#deadline = timeout === Infinity ? Infinity : now() + timeout
    this.#abort = abort
  }

  start(): void {
    this.#advance(() => this.#steps.next(SIGNALLED))
  }

  /** Only ever called while parked: a list holds nobody else, a timer is cancelled on leaving. */
  wake(why: Wake): void {
    this.#leave()
    this.#advance(() => this.#steps.next(why))
  }

  interrupt(): void {
    this.#flow.consumeInterrupt()
    this.#breakOff(new InterruptedError("The thread was interrupted while waiting"))
  }

  #breakOff(reason: unknown): void {
    if (this.list === undefined) return // already woken, by another wait that the same interrupt broke off
    this.#leave()
    this.#advance(() => this.#steps.throw(reason))
  }

  #advance(step: () => IteratorResult<Park, T>): void {
    let result: IteratorResult<Park, T>
    try {
      result = step()
    } catch (error) {
      this.#settle.reject(error)
      return
    }
    if (result.done === true) this.#settle.resolve(result.value)
    else this.#park(result.value)
  }

  #park(park: Park): void {
    const [list, limit] = park instanceof WaitList ? [park, Infinity] : [park.list, park.atMost]
    if (this.#flow.consumeInterrupt()) {
      this.#advance(() => this.#steps.throw(new InterruptedError("The thread was interrupted before it could wait")))
      return
    }
    const left = this.#deadline === Infinity ? Infinity : this.#deadline - now()
    if (left <= 0) {
      this.#advance(() => this.#steps.next(TIMEOUT))
      return
    }
    list.append(this)
    this.#flow.enterWait(this)
    if (this.#abort !== undefined) listen(this.#abort, this.#onAbort)
    const why = limit < left ? DUE : TIMEOUT
    const ms = Math.min(limit, left)
    // An idle flow's patience must not keep the process alive; something that is due later must.
    const background = why === TIMEOUT && this.#flow.idle
    if (ms !== Infinity) this.#timer = new Timer(ms, background, () => this.wake(why))
  }

  #leave(): void {
    this.list?.unlink(this)
    this.#flow.leaveWait(this)
    if (this.#abort !== undefined) unlisten(this.#abort, this.#onAbort)
    this.#timer?.cancel()
    this.#timer = undefined
  }
}

/** Runs the steps for `flow`; the outcome is delivered to `settle`, perhaps before this returns. */
export function drive<T>(steps: Steps<T>, settle: Settle<T>, flow: Flow, timeout: number, abort?: AbortSignal): void {
  new Wait(steps, settle, flow, timeout, abort).start()
}

/** Runs the steps for the current flow; the awaiting driver. */
export function awaiting<T>(steps: Steps<T>, wait?: WaitOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = abortOf(wait)
    abort?.throwIfAborted()
    drive(steps, { resolve, reject }, currentFlow(), timeoutOf(wait), abort)
  })
}

/** The time limit in wait options, `Infinity` if there is none. */
export function timeoutOf(wait: WaitOptions | undefined): number {
  if (typeof wait === "number") return requireTimeout("timeout", wait)
  if (wait === undefined) return Infinity
  if (typeof wait !== "object" || wait === null) {
    throw typeError("timeout", "a number of milliseconds or { timeout, signal }", wait)
  }
  return wait.timeout === undefined ? Infinity : requireTimeout("timeout", wait.timeout)
}

/** The signal in wait options. */
export function abortOf(wait: WaitOptions | undefined): AbortSignal | undefined {
  if (typeof wait !== "object" || wait === null || wait.signal === undefined) return undefined
  return requireSignal("signal", wait.signal)
}
