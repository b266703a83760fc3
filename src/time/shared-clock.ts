/** The monotonic clock of all threads of a process. */
import { runtime } from "#host/runtime/clock"

/** A clock that all threads read alike, in ms. Each thread has a clock of its own, and knows when that began. */
export function sharedNow(): number {
  return runtime.origin + runtime.now()
}

/**
 * Converts a moment on the clock of {@link sharedNow} to the clock of timer.ts in this thread; {@link toShared}
 * converts back.
 */
export function fromShared(time: number): number {
  return time - runtime.origin
}

export function toShared(time: number): number {
  return time + runtime.origin
}
