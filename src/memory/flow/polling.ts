/**
 * How a thread gets into a critical section that other threads leave within microseconds: it blocks, or, where it may
 * not block (a browser's window), it polls.
 *
 * A thread that dies inside is noticed by the event loop of the thread that has started it. That may be the very thread
 * that polls. So polling ends with an error, after a time that no section takes.
 */
import { canBlock } from "#host/runtime/capabilities"
import { UnsupportedOperationError } from "../../errors.ts"
import { now } from "../../time/timer.ts"
import { currentFlow } from "./flow.ts"
import { blocking, SIGNALLED, type Steps } from "./waiting.ts"

/** In ms. A worker that is terminated may go on for two seconds. */
const PATIENCE = 4000

/** Runs the steps, of which none waits for long, for the current flow. */
export const passing: <T>(steps: Steps<T>) => T = canBlock ? (steps) => blocking(steps) : polling

/** For threads that may not block. */
export function polling<T>(steps: Steps<T>, patience: number = PATIENCE): T {
  const flow = currentFlow()
  const end = now() + patience
  let step = steps.next(SIGNALLED)
  while (step.done !== true) {
    const place = "list" in step.value ? step.value.list : step.value
    if (place.block(flow, 0) === SIGNALLED) step = steps.next(SIGNALLED)
    else if (now() > end) step = steps.throw(tooLong())
  }
  return step.value
}

function tooLong(): UnsupportedOperationError {
  return new UnsupportedOperationError(
    "Another thread has stopped, or was stopped, while it changed this object, and this thread may not block until that is mended. Try again later, or use the form that is awaited",
  )
}
