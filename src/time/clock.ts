import { typeError } from "../checks.ts"
import { now, Timer } from "./timer.ts"
import { runtime } from "#host/runtime/clock"

/**
 * Where a scheduled executor takes its time from: the system's clock, or in a test a clock that stands still until the
 * test moves it (`ManualClock` of `corepool/testing`).
 *
 * Only the schedule follows such a clock: when tasks become due, and what `delay`, `nextRunAt` and the calendar say.
 * The limit of a wait, as of `get(timeout)`, and the idle time of a thread go by the system's clock in any case.
 */
export interface Clock {
  /** Milliseconds since some fixed moment. Never goes back, and knows nothing of the time of day. */
  time(): number

  /** The time of day, in milliseconds since 1970. It may be set, forward and back. */
  wallTime(): number

  /**
   * Calls `fire` once, when `time()` has reached `time`, and never inside the call. With `background` the timer does
   * not keep the program alive.
   *
   * A moment and not a delay: a delay added to the time may be off by the last bit of a number, and a clock that stands
   * still would stand just before or after.
   */
  timer(time: number, background: boolean, fire: () => void): ClockTimer
}

/** A timer that was set with {@link Clock.timer}. */
export interface ClockTimer {
  /** No effect once it has fired. */
  cancel(): void
}

export const systemClock: Clock = {
  time: () => now(),
  wallTime: () => runtime.wallTime(),
  timer: (time, background, fire) => new Timer(time - now(), background, fire),
}

export function requireClock(name: string, value: unknown): Clock {
  const clock = value as Partial<Clock> | null | undefined
  const isClock = [clock?.time, clock?.wallTime, clock?.timer].every((method) => typeof method === "function")
  if (isClock) return clock as Clock
  throw typeError(name, "a Clock, such as a ManualClock", value)
}
