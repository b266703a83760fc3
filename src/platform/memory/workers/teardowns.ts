/**
 * Threads that have left their pool in order and run modules before they end (`platformThreads({ teardown })`).
 *
 *     STATUS   RUNNING -> TEARDOWN   by the worker as it leaves, when it is no longer counted. The pool may make
 *                                    another worker at once, but does not terminate
 *              TEARDOWN -> FREE      by the worker when all modules have run, or by the owner if the thread has died
 *              TEARDOWN -> ENDING    by the owner, when the time is up: it ends the thread
 *
 * The thread that makes the second or third step then asks whether the pool may terminate: the last worker has asked
 * before, and got the answer no.
 */
import { compareAndSet, load } from "#atomics"
import { HEADER, WORKER } from "../layout.ts"
import type { PoolMemory } from "../pool-memory.ts"
import { type ENDING, entryOf, type FREE, TEARDOWN } from "./worker-line.ts"

/** Ends the teardown in the thread of the worker with this number. False if another thread has done so. */
export function endTeardown({ words }: PoolMemory, worker: number, next: typeof FREE | typeof ENDING): boolean {
  return compareAndSet(words, entryOf(worker) + WORKER.STATUS, TEARDOWN, next)
}

/** Whether a thread of the pool runs its teardown. */
export function isTearingDown(memory: PoolMemory): boolean {
  for (let number = memory.header(HEADER.WORKERS); number > 0; number--)
    if (load(memory.words, entryOf(number) + WORKER.STATUS) === TEARDOWN) return true
  return false
}
