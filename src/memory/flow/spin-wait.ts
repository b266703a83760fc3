import { availableParallelism } from "#host/runtime/machine"
import { now } from "../../time/timer.ts"

/** How many polls between two looks at the clock. */
const LOOKS = 16
/** How many polls at most, should the clock stand still. */
const MOST_LOOKS = 2 ** 16
const MOST_LEFT_OUT = 32

/** With one processor, no other thread can make progress during a spin. */
const isOfUse = availableParallelism() > 1

/**
 * Polls for news for a moment before the thread goes to sleep. Being woken takes far longer than seeing the news by
 * polling, if the thread that brings the news runs on another processor meanwhile. If it does not, because the machine
 * is busy, polling only keeps it from running. That cannot be known in advance, so SpinWait learns it: after a spin in
 * vain it skips the next ones, and the more of them the more often that happens.
 */
export class SpinWait {
  readonly #ms: number
  #penalty = 0
  #leaveOut = 0

  /** A spin takes at most `ms`, which should be longer than it takes to wake a thread. */
  constructor(ms: number) {
    this.#ms = ms
  }

  /** Whether a spin may succeed. Ask once before each spin. */
  get isWorthwhile(): boolean {
    if (!isOfUse) return false
    if (this.#leaveOut === 0) return true
    this.#leaveOut--
    return false
  }

  /** Polls until there is news; false if there is none in time. */
  until(isNews: () => boolean): boolean {
    const end = now() + this.#ms
    for (let looks = 1; !isNews(); looks++) {
      if (looks < MOST_LOOKS && (looks % LOOKS !== 0 || now() <= end)) continue
      this.#penalty = Math.min(this.#penalty * 2 + 1, MOST_LEFT_OUT)
      this.#leaveOut = this.#penalty
      return false
    }
    this.#penalty = 0
    return true
  }
}
