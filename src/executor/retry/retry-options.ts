import {
  type Known,
  rangeError,
  requireBoolean,
  requireDuration,
  requireFunction,
  requireInteger,
  requireNumber,
  requireOptions,
  requirePositiveDuration,
} from "../../checks.ts"
import { type Clock, requireClock, systemClock } from "../../time/clock.ts"
import type { RetryOptions } from "../executor.ts"

/** The options of retries, checked, with their defaults. */
export interface RetrySettings extends RetryOptions {
  readonly attempts: number
  readonly delay: number
  readonly factor: number
  readonly maxDelay: number
  readonly clock: Clock
}

export const RETRY_OPTIONS: Known<RetryOptions> = {
  attempts: true,
  delay: true,
  factor: true,
  maxDelay: true,
  jitter: true,
  when: true,
  attemptTimeout: true,
  clock: true,
}

/** A delay that grows without bound must still be a time at which a timer can fire. */
const LONGEST_DELAY = Number.MAX_SAFE_INTEGER

export function requireRetry(options: RetryOptions): RetrySettings {
  const given = requireOptions("retry", options, RETRY_OPTIONS)
  const { attempts = 3, delay = 100, factor = 2, maxDelay = LONGEST_DELAY } = given
  const { clock = systemClock, jitter, when, attemptTimeout } = given
  requireInteger("attempts", attempts, 1)
  if (requireDuration("delay", delay) === Infinity) throw rangeError("delay", "a finite number of milliseconds", delay)
  requireNumber("factor", factor, "a finite number ≥ 1", (it) => it >= 1 && it < Infinity)
  requireDuration("maxDelay", maxDelay)
  if (jitter !== undefined) requireBoolean("jitter", jitter)
  if (when !== undefined) requireFunction("when", when)
  if (attemptTimeout !== undefined) requirePositiveDuration("attemptTimeout", attemptTimeout)
  requireClock("clock", clock)
  return { ...given, attempts, delay, factor, maxDelay: Math.min(maxDelay, LONGEST_DELAY), clock }
}

/** Milliseconds between the failure with this number, counted from 1, and the next attempt; `random` is from 0 to 1. */
export function delayAfter(failures: number, settings: RetrySettings, random: () => number): number {
  const { delay, factor, maxDelay, jitter } = settings
  // 0 times a factor beyond all numbers is no number.
  const whole = delay === 0 ? 0 : Math.min(delay * factor ** (failures - 1), maxDelay)
  return jitter === true ? whole * (1 - random() / 2) : whole
}
