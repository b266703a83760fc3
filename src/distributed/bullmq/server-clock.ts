import { runtime } from "../../time/runtime.ts"

const ROUNDS = 5
const PERIOD = 60_000

/**
 * The server's clock as this process knows it: how far it is ahead of a clock of this process that cannot be set. What
 * the machine believes the time to be does not matter.
 *
 * The server is asked a few times, and the answer that took the shortest time is the best: it is wrong by at most half
 * that time. It is asked again every minute, because clocks drift and machines sleep.
 */
export class ServerClock {
  readonly #ask: () => Promise<number>
  #ahead = 0
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  /** `ask` gives the server's time, in milliseconds since 1970. */
  constructor(ask: () => Promise<number>) {
    this.#ask = ask
  }

  now(): number {
    return runtime.now() + this.#ahead
  }

  /** Rejects if the server does not answer. */
  async measure(): Promise<void> {
    let shortest = Infinity
    let ahead = 0
    for (let round = 0; round < ROUNDS; round++) {
      const asked = runtime.now()
      const answer = await this.#ask()
      const answered = runtime.now()
      if (answered - asked >= shortest) continue
      shortest = answered - asked
      ahead = answer - (asked + answered) / 2
    }
    this.#ahead = ahead
  }

  /** Measures again from time to time. What goes wrong meanwhile is no news: the connection tells of itself. */
  keepUp(): void {
    if (this.#isStopped) return
    this.#timer = runtime.startTimeout(() => {
      this.measure().then(
        () => this.keepUp(),
        () => this.keepUp(),
      )
    }, PERIOD)
    this.#timer.unref()
  }

  stop(): void {
    this.#isStopped = true
    runtime.stopTimeout(this.#timer)
  }
}

/**
 * The arguments of a command of BullMQ, with the server's time in the place of this machine's: BullMQ goes by the
 * machine's clock in due times, and on PostgreSQL in locks. Rounded to whole milliseconds, as BullMQ's is.
 */
export function withServerTime(values: readonly unknown[], now: number): unknown[] {
  const wallTime = runtime.wallTime()
  const isWallTime = (value: unknown): boolean => typeof value === "number" && Math.abs(value - wallTime) < 60_000
  if (!values.some(isWallTime)) throw new TypeError("This release of BullMQ passes no time where corepool expects it")
  return values.map((value) => (isWallTime(value) ? Math.round(now) : value))
}
