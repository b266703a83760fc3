/**
 * How many pools of platform threads this thread has made that have not ended. Each takes six mappings of the process,
 * of which Linux grants 65,530; a process that asks for one more does not get an error but crashes. So there is a
 * limit, and an error that says so.
 */
import { IllegalStateError } from "../../errors.ts"
import { perThread } from "../../per-thread.ts"

export const MOST_POOLS: number = 2 ** 12

const open = perThread("open pools", () => ({ count: 0 }))

/** A pool is about to be made. */
export function openPool(): void {
  if (open.count >= MOST_POOLS) {
    throw new IllegalStateError(
      `This thread has ${MOST_POOLS} pools of platform threads that have not ended: close() those that are not needed any more`,
    )
  }
  open.count++
}

/** One of them has ended, or could not be made. */
export function closePool(): void {
  open.count--
}
