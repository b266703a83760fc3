/**
 * The line of a worker in the worker table: where it is, and what its words mean.
 *
 *     STATUS     FREE -> RESERVED      by the thread that admits a worker, and then writes the rest. TASK is the first
 *                                      task, if any. RESERVED is a negative number that says which thread it was
 *                RESERVED -> REQUESTED by the same thread, when nothing can prevent the start any more
 *                REQUESTED -> STARTING by the owner, which makes the thread
 *                STARTING -> RUNNING   by the new thread, which has written its TOKEN
 *                RUNNING -> UNCOUNTING by the worker, which is about to count itself down in order to leave; or back
 *                RUNNING -> ENDING     by the owner, which has asked the thread to end and no longer relies on it
 *                RUNNING -> TEARDOWN   by the worker when it leaves, if modules are to run first: see teardowns.ts
 *                any -> FREE           by the worker when it leaves, or by the owner if its thread has stopped
 *     TASK       the slot of the current task; only the worker writes it once it runs
 *     CLAIM      the slot that the worker is about to take out of the queue (memory/structures/ring.ts)
 *     RETURNS    a periodic task that the worker has run, let go of, and is putting back into the queue
 *     HANDLE     the handle of TASK: the slot may be in use again before the worker has let go of it
 *     PHASE      POOL, or the token of the worker while it runs user code: only then may it be terminated. The thread
 *                that terminates it writes HALT; a worker that still returns from user code then halts. A worker
 *                that does not get out of POOL when it should is terminated there; but not one that is LEAVING
 *     COMPLETED  how many tasks all workers of this line have completed, in two words. It stays when a worker leaves,
 *                and the next worker counts on from there, so that the sum over all lines never falls
 *     COUNTED    the low word of COMPLETED before TASK: if the worker dies, the owner sees whether TASK is counted
 */
import { LINE } from "../../../memory/layout.ts"
import { load } from "#atomics"
import { BASE, HEADER, WORKER } from "../layout.ts"
import type { PoolMemory } from "../pool-memory.ts"

/** Values of STATUS. */
export const FREE = 0
export const REQUESTED = 1
export const STARTING = 2
export const RUNNING = 3
export const ENDING = 5
export const TEARDOWN = 6
export const UNCOUNTING = 7

/** RESERVED, and by which thread. */
export function reservedBy(token: number): number {
  return -token
}

/** The thread that has reserved a line with this STATUS; 0 if it is not RESERVED. */
export function reserverIn(status: number): number {
  return status < 0 ? -status : 0
}

/** Values of PHASE. */
export const POOL = 0
export const HALT = -1
export const LEAVING = -2

/** Where the line of the worker with this number begins. */
export function entryOf(number: number): number {
  return BASE.WORKER_TABLE + number * LINE
}

/** Whether a worker was admitted for the task, and its thread has not begun. */
export function isFirstTask(memory: PoolMemory, slot: number): boolean {
  for (let number = memory.header(HEADER.WORKERS); number > 0; number--) {
    const entry = entryOf(number)
    const status = load(memory.words, entry + WORKER.STATUS)
    const isToCome = status === REQUESTED || status === STARTING || reserverIn(status) !== 0
    if (isToCome && load(memory.words, entry + WORKER.TASK) === slot) return true
  }
  return false
}
