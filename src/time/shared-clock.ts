/** The monotonic clock of all threads of a process. */
import { runtime } from "#host/runtime/clock"

/** Milliseconds on a clock that all threads of the process read alike; where there is none, on the wall clock. */
export function sharedNow(): number {
  return runtime.sharedNow()
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
