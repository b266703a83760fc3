import { runtime } from "#host/runtime/clock"
import { SpinWait } from "../../memory/flow/spin-wait.ts"
import { now } from "../../time/timer.ts"

/** Where the outcomes of tasks arrive. */
interface Arrivals {
  /** How many tasks of this thread are not over. */
  readonly pending: number
  readonly hasMail: () => boolean
  look(): void
}

const SETTLED: Promise<void> = Promise.resolve()

/** How long one poll takes at most, in ms. */
const SPIN_TIME = 0.05

/** With more pending tasks than this, the thread does not poll: it has something else to do, or waits for long. */
const MOST_PENDING = 8

/** For how long outcomes may be received without a turn of the event loop, in ms. */
const TURN = 1

/**
 * Receives the outcomes of short tasks soon after a flow has begun to await them.
 *
 * A thread with an event loop is notified of an outcome by its doorbell: the runtime has to be notified, and the loop
 * has to go round. That takes longer than most short tasks. So this polls for the outcome first, for 0.05 ms at most,
 * at the end of the job in which the flow began to await: the code of that job is not delayed.
 *
 * A program that awaits one short task after the other could go on so for ever, and its timers and sockets would
 * starve. So this stops polling 1 ms after the event loop has gone round last; the doorbell has rung by then, and the
 * loop goes on with it. Whether a poll is worthwhile is learned from the last ones: see SpinWait.
 */
export class ShortWaits {
  readonly #arrivals: Arrivals
  readonly #spinWait = new SpinWait(SPIN_TIME)
  #isPlanned = false
  /** When this thread first polled in this turn of the event loop. */
  #turnBegan: number | undefined
  readonly #endTurn = (): void => {
    this.#turnBegan = undefined
  }

  constructor(arrivals: Arrivals) {
    this.#arrivals = arrivals
  }

  /** A flow of this thread begins to await a task. */
  expect(): void {
    if (this.#isPlanned || this.#arrivals.pending > MOST_PENDING || !this.#spinWait.isWorthwhile) return
    this.#isPlanned = true
    void this.#atEndOfJob()
  }

  /** Uses `await` and not `queueMicrotask`, which takes longer. */
  async #atEndOfJob(): Promise<void> {
    await SETTLED
    this.#isPlanned = false
    if (this.#arrivals.pending === 0 || this.#isTurnOver() || !this.#spinWait.until(this.#arrivals.hasMail)) return
    this.#arrivals.look()
    if (this.#arrivals.pending > 0) this.expect()
  }

  #isTurnOver(): boolean {
    if (this.#turnBegan !== undefined) return now() - this.#turnBegan > TURN
    this.#turnBegan = now()
    runtime.afterTurn(this.#endTurn)
    return false
  }
}
