/** Static methods of Thread: what the current thread does to itself. */
import { requireDuration, requireOptions } from "../checks.ts"
import { currentFlow } from "../memory/flow/flow.ts"
import { awaiting, type Steps, WaitList } from "../memory/flow/waiting.ts"
import { blockFor } from "../memory/thread/block-for.ts"
import { noteBlocked, noteUnblocked } from "../observing.ts"
import { now } from "../time/timer.ts"

/** See `Thread.interrupted`. */
export function interrupted(): boolean {
  return currentFlow().consumeInterrupt()
}

/** See `Thread.sleep`. */
export function sleep(ms: number, options: { readonly signal?: AbortSignal }): Promise<void> {
  return awaiting(sleeping(ms, options), options, "sleep", "sleep")
}

function* sleeping(ms: number, options: { readonly signal?: AbortSignal }): Steps<void> {
  requireOptions("options", options, { signal: true }) // not those of other waits: `ms` is the only limit
  yield { list: new WaitList(), atMost: requireDuration("ms", ms) }
}

/** See `Thread.sleepSync`. */
export function sleepSync(ms: number): void {
  const due = now() + requireDuration("ms", ms)
  const flow = currentFlow()
  flow.throwIfInterrupted()
  // A block may end early: the two clocks differ slightly, and other threads may have news for this thread.
  const isNoted = noteBlocked(flow.owner, "sleep")
  try {
    for (let left = ms; left > 0; left = due - now()) if (blockFor(flow, left)) flow.throwIfInterrupted()
  } finally {
    if (isNoted) noteUnblocked(flow.owner, "sleep")
  }
}
