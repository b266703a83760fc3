import { block } from "#atomics"
import { IllegalStateError } from "../../errors.ts"
import { type Flow, FlowWait, waitFailed } from "./flow.ts"

/** Why a parked flow goes on: it was signalled, the limit of this step is over, or that of the whole wait. */
export type Wake = typeof SIGNALLED | typeof DUE | typeof TIMEOUT
export const SIGNALLED = "signalled"
export const DUE = "due"
export const TIMEOUT = "timeout"

/** Why a blocked thread goes on. */
export type BlockedWake = typeof SIGNALLED | typeof TIMEOUT | typeof INTERRUPTED
export const INTERRUPTED = "interrupted"

/** What keeps a parked flow until it is woken. */
export interface Keeper {
  /** Whether an interrupt of the flow ends the wait. */
  readonly interruptible: boolean
  /**
   * Whether the time limit of the wait and its AbortSignal end it. A flow that must get its lock back waits regardless.
   */
  readonly limited?: boolean
  /** Adds the flow; false if it need not wait, because it has been signalled already. */
  append(parked: Parked): boolean
  unlink(parked: Parked): void
}

/** Where a flow can park. */
export interface ParkPlace extends Keeper {
  readonly limited: boolean
  /** Whether only flows of this thread could end the wait, so that compensation by another thread is of no use. */
  readonly isLocal?: boolean
  /** Blocks the thread instead, `ms` at most. */
  block(flow: Flow, ms: number): BlockedWake
}

export abstract class Parked extends FlowWait {
  readonly flow: Flow

  /** Where it is parked, if anywhere. */
  place: Keeper | undefined
  /** Links of the list it is in; owned by that list. */
  before: Parked | undefined
  after: Parked | undefined
  /** Grows with each entry: a later arrival has a greater one. */
  ticket = 0

  constructor(flow: Flow) {
    super()
    this.flow = flow
  }

  /** What the flow waits for: an object, or a word for what it does; undefined if that is of no interest. */
  get subject(): unknown {
    return undefined
  }

  /** Leaves its place and goes on. Called only while it is parked. */
  abstract wake(why: Wake): void

  /** False if there is nothing to wait for. */
  protected enter(place: Keeper): boolean {
    if (!place.append(this)) return false
    this.place = place
    if (place.interruptible) this.flow.enterWait(this)
    return true
  }

  protected leave(): void {
    const { place } = this
    if (place === undefined) return
    this.place = undefined
    place.unlink(this)
    if (place.interruptible) this.flow.leaveWait(this)
  }
}

/**
 * The flows of one thread that wait for one thing, longest waiting first; the local form of a wait queue.
 *
 * The elements are `Parked` objects. Each is in exactly one list and among its flow's waits, and leaves both at the
 * same time: see waiting.ts. The links are in the parked object itself, so entering and leaving allocate nothing,
 * however many flows wait.
 */
export class WaitList implements ParkPlace {
  #head: Parked | undefined
  #tail: Parked | undefined
  #length = 0
  #lastTicket = 0

  get length(): number {
    return this.#length
  }

  get interruptible(): boolean {
    return true
  }

  get limited(): boolean {
    return true
  }

  get isLocal(): boolean {
    return true
  }

  /** Wakes the longest waiter; false if the list is empty. */
  signal(): boolean {
    const first = this.#head
    if (first === undefined) return false
    first.wake(SIGNALLED)
    return true
  }

  /** Wakes all flows that wait now; a flow that comes back to wait again is not woken twice. */
  signalAll(): void {
    const last = this.#lastTicket
    while (this.#head !== undefined && this.#head.ticket <= last) {
      try {
        this.#head.wake(SIGNALLED)
      } catch (error) {
        waitFailed(error) // the other flows are woken too
      }
    }
  }

  append(parked: Parked): boolean {
    parked.ticket = ++this.#lastTicket
    parked.before = this.#tail
    if (this.#tail === undefined) this.#head = parked
    else this.#tail.after = parked
    this.#tail = parked
    this.#length++
    return true
  }

  unlink(parked: Parked): void {
    if (parked.before === undefined) this.#head = parked.after
    else parked.before.after = parked.after
    if (parked.after === undefined) this.#tail = parked.before
    else parked.after.before = parked.before
    parked.before = parked.after = undefined
    this.#length--
  }

  /**
   * The flows that could signal run on this thread, and do not run while it blocks: only the time limit can end the
   * wait.
   */
  block(flow: Flow, ms: number): BlockedWake {
    if (flow.isInterrupted) return INTERRUPTED
    if (ms === Infinity) {
      throw new IllegalStateError(
        "This wait could never end: only flows of this thread could end it, and it would stop them. Await it instead, or share the object with another thread",
      )
    }
    block(ms)
    return TIMEOUT
  }
}
