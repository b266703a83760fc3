/**
 * The state of a FutureTask: one word, so that of two threads that want to complete a task exactly one does.
 *
 *     NEW -> COMPLETING -> NORMAL         a value                NEW is the only state with several successors;
 *     NEW -> COMPLETING -> EXCEPTIONAL    an error               the numbers only grow, and everything but NEW
 *     NEW -> CANCELLED                    cancel(false)          counts as done.
 *     NEW -> INTERRUPTING -> INTERRUPTED  cancel(true)
 *
 * COMPLETING lasts while the winner stores the outcome, INTERRUPTING while it interrupts the runner. Within one thread
 * only the code that the interrupt itself wakes can see these two states.
 *
 * Functions over `(words, index)` rather than an object: there may be a million tasks.
 */
import { compareAndSet, load, store } from "#atomics"

export const NEW = 0
export const COMPLETING = 1
export const NORMAL = 2
export const EXCEPTIONAL = 3
export const CANCELLED = 4
export const INTERRUPTING = 5
export const INTERRUPTED = 6

export function stateOf(words: Int32Array, index: number): number {
  return load(words, index)
}

/** NEW -> `next`. True for one caller only, which then completes the task. */
export function leaveNew(
  words: Int32Array,
  index: number,
  next: typeof COMPLETING | typeof CANCELLED | typeof INTERRUPTING,
): boolean {
  return compareAndSet(words, index, NEW, next)
}

/** COMPLETING -> NORMAL | EXCEPTIONAL, INTERRUPTING -> INTERRUPTED: by the winner of {@link leaveNew} alone. */
export function settle(
  words: Int32Array,
  index: number,
  final: typeof NORMAL | typeof EXCEPTIONAL | typeof INTERRUPTED,
): void {
  store(words, index, final)
}
