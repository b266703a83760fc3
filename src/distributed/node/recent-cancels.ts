import { now } from "../../time/timer.ts"

const MOST = 1000
/** In ms. Longer than a job takes from the engine to its node. */
const KEPT = 60_000

/**
 * Ids of cancelled jobs that this node has lately got a message of, and that it does not have. A message can overtake
 * its job: the engine has given the job to this node, but the node has not got it yet. Limited in number and time,
 * whatever other processes send.
 */
export class RecentCancels {
  /** When each message came, oldest first. */
  readonly #times = new Map<string, number>()
  readonly #clock: () => number

  constructor(clock: () => number = now) {
    this.#clock = clock
  }

  add(id: string): void {
    this.#times.delete(id) // the newest stands last
    this.#times.set(id, this.#clock())
    this.#forgetOld()
  }

  /** Whether there was such a message; forgets it. */
  take(id: string): boolean {
    this.#forgetOld()
    return this.#times.delete(id)
  }

  get size(): number {
    return this.#times.size
  }

  #forgetOld(): void {
    const oldest = this.#clock() - KEPT
    for (const [id, time] of this.#times) {
      if (time > oldest && this.#times.size <= MOST) return
      this.#times.delete(id)
    }
  }
}
