/**
 * Waiting until nothing more will happen by itself, on an event loop.
 *
 * Between two callbacks of `setImmediate` the loop runs all microtasks, so after one turn whatever could go on
 * without a timer has gone on. Several turns without a change are asked for all the same: corepool is free to use a
 * turn of its own somewhere.
 */
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises"
import { type JsonObject, maybeInteger } from "./json.ts"

/** Turns in a row that must change nothing. */
const STILL_TURNS = 4

/** No scenario needs a hundredth of this; a replay that never comes to rest must end nevertheless. */
const RESTLESS_AFTER_MS = 20_000

/** A time-out up to this long is waited for; a longer one means "for ever". */
const SHORT_MS = 1000

/** How much later than due a short time-out may come before the op counts as blocked. */
const PATIENCE_MS = 10_000

/** A pause is slept in legs of this length: see {@link pause}. */
const LEG_MS = 5

/** Returns once `signature` has stayed the same for a while; it must show everything that can move. */
export async function quiescence(signature: () => string): Promise<void> {
  const deadline = performance.now() + RESTLESS_AFTER_MS
  let last = signature()
  for (let still = 0; still < STILL_TURNS;) {
    await turn()
    const now = signature()
    still = now === last ? still + 1 : 0
    last = now
    if (performance.now() > deadline) throw new Error(`No quiescence after ${RESTLESS_AFTER_MS} ms: ${now}`)
  }
}

/**
 * Sleeps at least that long, in short legs. If the loop stalls, by garbage collection or a busy machine, then a
 * single timer of ours may fire right behind one of corepool's that was due long before, and what that one sets going
 * (a further timer, say) has had no time at all. With legs a stall costs one leg and the rest is still slept.
 */
export async function pause(ms: number): Promise<void> {
  const deadline = performance.now() + ms
  for (let legs = Math.ceil(ms / LEG_MS); legs > 0 || performance.now() < deadline; legs--) await sleep(LEG_MS)
}

/** Waits for a condition that a timer will bring about; false if it has not come in time. */
export async function until(condition: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (!condition()) {
    if (performance.now() > deadline) return false
    await sleep(1)
  }
  return true
}

/** Whether a time-out expires in the course of its step. 0 has expired at once. */
export function isShort(timeoutMs: number): boolean {
  return timeoutMs > 0 && timeoutMs <= SHORT_MS
}

/**
 * If the op has a short time-out, waits until the op is over, or at least past it. First all must be quiet: an op that
 * has not even begun would seem to be past it. `real` says how long the time-out really is, where it was made longer.
 */
export async function pastShortTimeout(
  op: JsonObject,
  quiet: () => Promise<void>,
  isOver: () => boolean,
  real: (timeoutMs: number) => number = (timeoutMs) => timeoutMs,
): Promise<void> {
  const timeout = maybeInteger(op, "timeoutMs") ?? 0
  if (!isShort(timeout)) return
  await quiet()
  await until(isOver, real(timeout) + PATIENCE_MS)
}
