/**
 * Waiting, written once. An algorithm that may have to wait is a generator. It tries, and where it cannot go on it
 * yields the list on which it wants to be woken.
 *
 *     *taking(): Steps<E | undefined> {
 *       for (;;) {
 *         const element = this.poll()
 *         if (element !== undefined) return element
 *         if ((yield this.notEmpty) === TIMEOUT) return undefined
 *       }
 *     }
 *
 * A driver runs the generator. There are two drivers: one awaits, and the flow goes on when a promise settles; the
 * other blocks the whole thread. Both run the same steps. The fast path stays outside: call `poll()` first, and build
 * the generator only when there is something to wait for.
 *
 * How it works
 *
 * A `Wait` is one run of such a generator. While parked it is in exactly one WaitList and in its flow's set of waits.
 * It leaves both at the same time, in one of four ways, whichever comes first:
 *
 *     PARKED -> signalled   list.signal()            the generator goes on, with SIGNALLED
 *     PARKED -> due         the step's own limit     … with DUE
 *     PARKED -> timeout     the whole wait's limit   … with TIMEOUT
 *     PARKED -> broken off  interrupt, AbortSignal   … with an error thrown into it
 *
 * So a wait that was given up leaves nothing behind that could swallow the next signal.
 *
 * `signal()` runs the woken generator at once, inside the call of `signal()`. The longest waiter therefore takes an
 * element put into a queue before `put` returns, and no other flow can take it in between: first in, first out holds
 * strictly. The price is a rule: **signal last**. A method brings its own state in order before it signals, because the
 * woken generator will change that state.
 */
import { type Known, refuseUnknown, requireSignal, requireTimeout, typeError } from "../../checks.ts"
import { noteBlocked, noteUnblocked, type WaitedFor } from "../../observing.ts"
import { perThread } from "../../per-thread.ts"
import { now, Timer } from "../../time/timer.ts"
import { isInstance } from "../../user-values.ts"
import { listen, unlisten } from "./abort.ts"
import { currentFlow, type Flow, interrupted } from "./flow.ts"
import {
  type BlockedWake,
  DUE,
  INTERRUPTED,
  Parked,
  type ParkPlace,
  SIGNALLED,
  TIMEOUT,
  type Wake,
} from "./wait-list.ts"

/** How long to wait at most, in ms, or that and a signal that gives the wait up. */
export type WaitOptions =
  | number
  | {
      /** Milliseconds; default `Infinity`. */
      readonly timeout?: number
      /** The wait is given up when it aborts, and rejects with its reason. */
      readonly signal?: AbortSignal
    }

/** What a generator yields: the place to park in, perhaps with a limit for this one step. */
export type Park = ParkPlace | { readonly list: ParkPlace; readonly atMost: number }

export { DUE, SIGNALLED, TIMEOUT, WaitList, type Wake } from "./wait-list.ts"

export type Steps<T> = Generator<Park, T, Wake>

/** The outcome of a wait, delivered synchronously at the moment it is decided. */
export interface Settle<T> {
  resolve(value: T): void
  reject(reason: unknown): void
}

/** One run of a generator: see the top of this file. */
class Wait<T> extends Parked {
  readonly #steps: Steps<T>
  readonly #settle: Settle<T>
  /** When the whole wait ends, on the clock of `now()`. */
  readonly #deadline: number
  readonly #abort: AbortSignal | undefined
  readonly #onAbort = (reason: unknown): void => {
    if (this.place?.limited === true) this.#breakOff(reason)
  }
  #timer: Timer | undefined
  /** For what the flow waits, if events are to tell it. */
  readonly #what: WaitedFor | undefined
  #isNoted = false
  readonly #subject: unknown

  constructor(
    steps: Steps<T>,
    settle: Settle<T>,
    flow: Flow,
    timeout: number,
    abort: AbortSignal | undefined,
    what: WaitedFor | undefined,
    subject: unknown,
  ) {
    super(flow)
    this.#what = what
    this.#subject = subject
    this.#steps = steps
    this.#settle = settle
    this.#deadline = timeout === Infinity ? Infinity : now() + timeout
    this.#abort = abort
  }

  override get subject(): unknown {
    return this.#subject
  }

  start(): void {
    this.#next(SIGNALLED)
  }

  /** Continues steps that another driver has run so far: parks them at this place. */
  resume(park: Park): void {
    this.#park(park)
  }

  wake(why: Wake): void {
    this.#leave()
    this.#next(why)
  }

  interrupt(): void {
    this.flow.consumeInterrupt()
    this.#breakOff(interrupted(" while waiting"))
  }

  #breakOff(reason: unknown): void {
    if (this.place === undefined) return // already woken, by another wait that the same interrupt has broken off
    this.#leave()
    this.#throw(reason)
  }

  /** False if the steps go on at once. */
  #enters(place: ParkPlace): boolean {
    try {
      if (this.enter(place)) return true
    } catch (error) {
      // There is no room to wait. The error belongs to this wait, and not to the flow that has just woken it.
      this.#throw(error)
      return false
    }
    this.#next(SIGNALLED)
    return false
  }

  #next(why: Wake): void {
    this.#advance(() => this.#steps.next(why))
  }

  #throw(reason: unknown): void {
    this.#advance(() => this.#steps.throw(reason))
  }

  #advance(step: () => IteratorResult<Park, T>): void {
    let result: IteratorResult<Park, T>
    try {
      result = step()
    } catch (error) {
      if (this.#isNoted) this.#noteEnd()
      this.#settle.reject(error)
      return
    }
    if (result.done !== true) this.#park(result.value)
    else {
      if (this.#isNoted) this.#noteEnd()
      this.#settle.resolve(result.value)
    }
  }

  #noteEnd(): void {
    this.#isNoted = false
    noteUnblocked(this.flow.owner, this.#what as WaitedFor)
  }

  #park(park: Park): void {
    const [place, limit] = "list" in park ? [park.list, park.atMost] : [park, Infinity]
    if (place.limited && this.#abort?.aborted === true) {
      // The steps themselves have aborted the signal since they were last parked: no listener will tell this wait.
      this.#throw((this.#abort as { reason: unknown }).reason)
      return
    }
    if (place.interruptible && this.flow.consumeInterrupt()) {
      this.#throw(interrupted(" before it could wait"))
      return
    }
    const left = this.#deadline === Infinity || !place.limited ? Infinity : this.#deadline - now()
    if (left <= 0) {
      this.#next(TIMEOUT)
      return
    }
    if (!this.#enters(place)) return
    if (this.#what !== undefined && !this.#isNoted) this.#isNoted = noteBlocked(this.flow.owner, this.#what)
    if (this.#abort !== undefined) listen(this.#abort, this.#onAbort)
    const why = limit < left ? DUE : TIMEOUT
    const ms = Math.min(limit, left)
    // The time limit of an idle flow must not keep the process alive; a step that is due later must.
    const background = why === TIMEOUT && this.flow.idle
    if (ms !== Infinity) this.#timer = new Timer(ms, background, () => this.wake(why))
  }

  #leave(): void {
    this.leave()
    if (this.#abort !== undefined) unlisten(this.#abort, this.#onAbort)
    this.#timer?.cancel()
    this.#timer = undefined
  }
}

/**
 * Runs the steps for `flow`; the outcome is delivered to `settle`, perhaps before this returns. With `what`, events
 * tell of the wait. `subject` is what the flow waits for, for thread dumps.
 */
export function drive<T>(
  steps: Steps<T>,
  settle: Settle<T>,
  flow: Flow,
  timeout: number,
  abort?: AbortSignal,
  what?: WaitedFor,
  subject?: unknown,
): void {
  new Wait(steps, settle, flow, timeout, abort, what, subject).start()
}

/**
 * As {@link drive}, but the thread blocks for a moment first, because a blocked thread is woken faster. For a thread
 * that is likely to be woken soon. The steps do not notice the change.
 */
export function driveLingering<T>(
  steps: Steps<T>,
  settle: Settle<T>,
  flow: Flow,
  timeout: number,
  linger: number,
): void {
  const start = now()
  const patience = Math.min(linger, timeout)
  let step: IteratorResult<Park, T>
  try {
    step = steps.next(SIGNALLED)
    while (step.done !== true) {
      const [place, limit] = "list" in step.value ? [step.value.list, step.value.atMost] : [step.value, Infinity]
      const left = start + patience - now()
      if (left <= 0 || limit < left || (place.interruptible && flow.isInterrupted)) break
      const wake = place.block(flow, left)
      if (wake !== SIGNALLED) break // the awaiting driver handles it
      step = steps.next(wake)
    }
  } catch (error) {
    settle.reject(error)
    return
  }
  if (step.done === true) settle.resolve(step.value)
  else {
    const left = timeout === Infinity ? Infinity : start + timeout - now()
    new Wait(steps, settle, flow, left, undefined, undefined, undefined).resume(step.value)
  }
}

/** Runs the steps for the current flow; the awaiting driver. With `what`, events tell of the wait. */
export function awaiting<T>(steps: Steps<T>, wait?: WaitOptions, what?: WaitedFor, subject?: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = abortOf(wait)
    abort?.throwIfAborted()
    drive(steps, { resolve, reject }, currentFlow(), timeoutOf(wait), abort, what, subject)
  })
}

/** Runs the steps for the current flow; the blocking driver. With `what`, events tell of the wait. */
export function blocking<T>(steps: Steps<T>, timeout: number = Infinity, what?: WaitedFor): T {
  const flow = currentFlow()
  const deadline = timeout === Infinity ? Infinity : now() + timeout
  let step = steps.next(SIGNALLED)
  if (step.done === true) return step.value
  const isNoted = what !== undefined && noteBlocked(flow.owner, what)
  try {
    while (step.done !== true) step = resume(steps, step.value, flow, deadline)
    return step.value
  } finally {
    if (isNoted) noteUnblocked(flow.owner, what)
  }
}

function resume<T>(steps: Steps<T>, park: Park, flow: Flow, deadline: number): IteratorResult<Park, T> {
  const [place, limit] = "list" in park ? [park.list, park.atMost] : [park, Infinity]
  const left = deadline === Infinity || !place.limited ? Infinity : deadline - now()
  if (place.interruptible && flow.consumeInterrupt()) {
    return steps.throw(interrupted(" before it could wait"))
  }
  if (left <= 0) return steps.next(TIMEOUT)
  let wake: BlockedWake
  try {
    wake = block(place, flow, Math.min(left, limit))
  } catch (error) {
    return steps.throw(error) // this thread must not block; the steps restore their state
  }
  if (wake === INTERRUPTED) {
    flow.consumeInterrupt()
    return steps.throw(interrupted(" while waiting"))
  }
  if (wake === TIMEOUT && limit < left) return steps.next(DUE)
  return steps.next(wake)
}

/**
 * The pool that is to know if this thread is blocked for long, because it can compensate by another thread. It is not
 * called for idle threads, which wait by other drivers, nor for sleeps, which end by themselves.
 */
export interface Compensator {
  /** How long a thread may be blocked before `begin` is called, in ms; `Infinity` if it never is. */
  readonly patience: number
  begin(): void
  end(): void
}

/** One for all copies of corepool that the thread has loaded. */
export const compensator: { current: Compensator | undefined } = /* @__PURE__ */ perThread("compensator", () => ({
  current: undefined,
}))

function block(place: ParkPlace, flow: Flow, ms: number): BlockedWake {
  const { current } = compensator
  const patience = current === undefined || place.isLocal === true ? Infinity : current.patience
  if (current === undefined || patience >= ms) return place.block(flow, ms)
  const deadline = now() + ms
  const wake = place.block(flow, patience)
  if (wake !== TIMEOUT) return wake
  current.begin()
  try {
    return place.block(flow, Math.max(deadline - now(), 0))
  } finally {
    current.end()
  }
}

/** The time limit in wait options, `Infinity` if there is none. `known`: the options that there may be. */
export function timeoutOf(wait: WaitOptions | undefined, known: object = WAIT_OPTIONS): number {
  if (typeof wait === "number") return requireTimeout("timeout", wait)
  if (wait === undefined) return Infinity
  if (typeof wait !== "object" || wait === null || isInstance(wait, AbortSignal)) {
    throw typeError("timeout", "a number of milliseconds or { timeout, signal }", wait)
  }
  refuseUnknown("options", wait, known)
  const timeout = isInherited(wait, "timeout") ? undefined : wait.timeout
  return timeout === undefined ? Infinity : requireTimeout("timeout", timeout)
}

const WAIT_OPTIONS: Known<Exclude<WaitOptions, number>> = { timeout: true, signal: true }

/** Whether all objects have this key because it was put on `Object.prototype`: then it is none of the options. */
export function isInherited(wait: object, key: string): boolean {
  return key in Object.prototype && !Object.hasOwn(wait, key)
}

/** Whether the options have a time limit; an invalid one is refused later. */
export function isLimited(wait: WaitOptions): boolean {
  const limit =
    typeof wait !== "object" || wait === null ? wait : isInherited(wait, "timeout") ? undefined : wait.timeout
  return limit !== undefined && limit !== Infinity
}

/** The same, before a wait begins. Throws the signal's reason if it has aborted. */
export function timeoutUnlessAborted(wait: WaitOptions | undefined): number {
  const timeout = timeoutOf(wait)
  abortOf(wait)?.throwIfAborted()
  return timeout
}

/** The signal in wait options. */
export function abortOf(wait: WaitOptions | undefined): AbortSignal | undefined {
  if (typeof wait !== "object" || wait === null || wait.signal === undefined || isInherited(wait, "signal"))
    return undefined
  return requireSignal("signal", wait.signal)
}
