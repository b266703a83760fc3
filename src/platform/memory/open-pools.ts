/**
 * Counts the pools of platform threads that this thread has made and that have not terminated. Each takes six mappings
 * of the process, of which Linux grants 65,530. A process that asks for one more gets no error but crashes. Hence a
 * limit, and an error that names it.
 */
import { IllegalStateError } from "../../errors.ts"
import { perThread } from "../../per-thread.ts"

export const MOST_POOLS: number = 2 ** 12

const open = perThread("open pools", () => ({ count: 0 }))

/** Call it before a pool is made. */
export function openPool(): void {
  if (open.count >= MOST_POOLS) {
    throw new IllegalStateError(
      `This thread has ${MOST_POOLS} pools of platform threads that have not ended: close() those that are not needed any more`,
    )
  }
  open.count++
}

/** Call it when a pool has terminated, or could not be made. */
export function closePool(): void {
  open.count--
}
