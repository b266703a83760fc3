import { availableParallelism } from "node:os"
import { now } from "../../time/timer.ts"

/** How often to look before looking at the clock. */
const LOOKS = 16
const MOST_LEFT_OUT = 256

/** Alone on the machine there is nobody who could do anything meanwhile. */
const isOfUse = availableParallelism() > 1

/**
 * Looking for news for a moment before going to sleep: to be woken takes far longer than to see it oneself, if whoever
 * brings the news runs on another processor meanwhile. If it does not, because the machine is busy, looking only keeps
 * it from running. That cannot be known, but found out: after a watch in vain the next ones are left out, and the more
 * the more often that happens.
 */
export class SpinWait {
  readonly #ms: number
  #penalty = 0
  #leaveOut = 0

  /** At most that long, which should be longer than it takes to wake a thread. */
  constructor(ms: number) {
    this.#ms = ms
  }

  /** Whether there is any hope. Ask once before each watch. */
  get isWorthwhile(): boolean {
    if (!isOfUse) return false
    if (this.#leaveOut === 0) return true
    this.#leaveOut--
    return false
  }

  /** Looks until there is news; false if there is none in time. */
  until(isNews: () => boolean): boolean {
    const end = now() + this.#ms
    for (let looks = 1; !isNews(); looks++) {
      if (looks % LOOKS !== 0 || now() <= end) continue
      this.#penalty = Math.min(this.#penalty * 2 + 1, MOST_LEFT_OUT)
      this.#leaveOut = this.#penalty
      return false
    }
    this.#penalty = 0
    return true
  }
}
