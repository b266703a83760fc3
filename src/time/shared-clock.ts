/** The monotonic clock of all threads of a process. */
import { runtime } from "./runtime.ts"

/** How often the clocks are read to find out how they differ. It takes some 20 µs. */
const READINGS = 20

/** A clock that all threads read alike, in ms. Each has a clock of its own that began with it, and knows when that was. */
export function sharedNow(): number {
  return ORIGIN + runtime.now()
}

/** A moment on the clock of {@link sharedNow}, on that of timer.ts in this thread; and the other way round. */
export function fromShared(time: number): number {
  return time - ORIGIN
}

export function toShared(time: number): number {
  return time + ORIGIN
}

/**
 * When the clock of this thread began, on a clock that all have. The monotonic clock of the process is one, in Node; elsewhere
 * each thread has only been told what the wall clock showed then, and the wall clock may have been set meanwhile.
 */
const ORIGIN: number = isNode() ? monotonicOrigin() : runtime.timeOrigin

export function isNode(): boolean {
  const { versions } = process
  return versions["bun"] === undefined && versions["deno"] === undefined
}

/**
 * Two clocks cannot be read at once. So the one is read before and after the other: that falls somewhere between, and the closer
 * the two are the less is left to guess. The first readings are slow, with code that has yet to be loaded and compiled.
 */
function monotonicOrigin(): number {
  let origin = 0
  for (let i = 0, least = Infinity; i < READINGS; i++) {
    const before = runtime.now()
    const time = runtime.processTime()
    const after = runtime.now()
    if (after - before >= least) continue
    least = after - before
    origin = time - (before + after) / 2
  }
  return origin
}
