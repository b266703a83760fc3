/** The monotonic clock of all threads of a process. */
import { runtime } from "./runtime.ts"

export { isNode } from "./runtime.ts"

/** A clock that all threads read alike, in ms. Each has a clock of its own, and knows when that began. */
export function sharedNow(): number {
  return runtime.origin + runtime.now()
}

/** A moment on the clock of {@link sharedNow}, on that of timer.ts in this thread; and the other way round. */
export function fromShared(time: number): number {
  return time - runtime.origin
}

export function toShared(time: number): number {
  return time + runtime.origin
}
