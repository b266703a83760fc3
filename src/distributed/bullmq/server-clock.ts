import { runtime, type Timeout } from "#host/runtime/clock"

const ROUNDS = 5
const PERIOD = 60_000

/**
 * The server's clock as this process knows it: its offset from a clock of this process that cannot be set. The wall
 * clock of this machine does not matter.
 *
 * The server is asked a few times, and the answer that took the shortest time is used: its error is at most half that
 * time. It is asked again every minute, because clocks drift and machines sleep.
 */
export class ServerClock {
  readonly #ask: () => Promise<number>
  #ahead = 0
  #timer: Timeout | undefined
  #isStopped = false

  /** `ask` returns the server's time, in milliseconds since 1970. */
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

  /** Measures again from time to time. Failures are ignored: the connection reports its own errors. */
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
 * The arguments of a command of BullMQ, with the server's time in place of this machine's: BullMQ uses the machine's
 * clock in due times, and on PostgreSQL in locks. Rounded to whole milliseconds, as BullMQ's is.
 */
export function withServerTime(values: readonly unknown[], now: number): unknown[] {
  const wallTime = runtime.wallTime()
  const isWallTime = (value: unknown): boolean => typeof value === "number" && Math.abs(value - wallTime) < 60_000
  if (!values.some(isWallTime)) throw new TypeError("This release of BullMQ passes no time where corepool expects it")
  return values.map((value) => (isWallTime(value) ? Math.round(now) : value))
}
