/**
 * Where flows stand while they wait, longest waiting first; the local form of a wait queue.
 *
 * What stands in a list is a `Parked`. It stands in exactly one list and among its flow's waits, and leaves both at
 * the same time: see waiting.ts. The links are in the parked object itself, so entering and leaving cost no
 * allocation however many wait.
 */
import { type Flow, FlowWait } from "./flow.ts"

/** Why a parked flow goes on: it was signalled, the limit of this step is over, or that of the whole wait. */
export type Wake = typeof SIGNALLED | typeof DUE | typeof TIMEOUT
export const SIGNALLED = "signalled"
export const DUE = "due"
export const TIMEOUT = "timeout"

export abstract class Parked extends FlowWait {
  readonly flow: Flow

  /** Links of the list it stands in; owned by that list. */
  list: WaitList | undefined
  before: Parked | undefined
  after: Parked | undefined
  /** Grows with each entry: who came later has the greater one. */
  ticket = 0

  constructor(flow: Flow) {
    super()
    this.flow = flow
  }

  /** Goes on. Called only while it stands in a list, which it leaves. */
  abstract wake(why: Wake): void

  protected enter(list: WaitList): void {
    list.append(this)
    this.flow.enterWait(this)
  }

  protected leave(): void {
    this.list?.unlink(this)
    this.flow.leaveWait(this)
  }
}

export class WaitList {
  #head: Parked | undefined
  #tail: Parked | undefined
  #length = 0
  #lastTicket = 0

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
    const last = this.#lastTicket
    while (this.#head !== undefined && this.#head.ticket <= last) this.#head.wake(SIGNALLED)
  }

  append(parked: Parked): void {
    parked.list = this
    parked.ticket = ++this.#lastTicket
    parked.before = this.#tail
    if (this.#tail === undefined) this.#head = parked
    else this.#tail.after = parked
    this.#tail = parked
    this.#length++
  }

  unlink(parked: Parked): void {
    if (parked.before === undefined) this.#head = parked.after
    else parked.before.after = parked.after
    if (parked.after === undefined) this.#tail = parked.before
    else parked.after.before = parked.before
    parked.before = parked.after = parked.list = undefined
    this.#length--
  }
}
