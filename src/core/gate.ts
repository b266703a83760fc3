import type { Flow } from "../memory/flow/flow.ts"
import { type Steps, TIMEOUT, WaitList } from "../memory/flow/waiting.ts"
import { type Control, isPaused } from "./control-word.ts"

/** Where the workers of a paused pool wait: those without a task, and those that have one in hand. */
export interface Gate {
  /** Waits until the pool is not paused; false if the time is up first. */
  passing(flow: Flow): Steps<boolean>
  /** The pool is no longer paused: all that wait look again. */
  open(): void
}

/** The gate of a pool whose threads are flows of one event loop. */
export class LocalGate implements Gate {
  readonly #control: Control
  readonly #waiting = new WaitList()

  constructor(control: Control) {
    this.#control = control
  }

  *passing(): Steps<boolean> {
    while (isPaused(this.#control.snapshot)) if ((yield this.#waiting) === TIMEOUT) return false
    return true
  }

  open(): void {
    this.#waiting.signalAll()
  }
}
