/**
 * Words of memory that a test shares with every thread it starts. Threads inherit them, so that no task has to carry them: import
 * this module in the test before the first thread is made, and in the module of the tasks. It imports nothing of ours, so
 * that a thread which needs no more than this is quickly there.
 */
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads"

const KEY = "corepool test words"
const SIZE = 65_536

if (isMainThread && getEnvironmentData(KEY) === undefined) setEnvironmentData(KEY, new SharedArrayBuffer(4 * SIZE))

export const words: Int32Array = new Int32Array(getEnvironmentData(KEY) as unknown as SharedArrayBuffer)

/** Where {@link reserve} begins; what stands before has a meaning for all threads: see held-thread.ts. */
const FIRST = 1

let used = FIRST

/** So many words, all 0, that nobody else has; where they begin. For the thread of the test alone. */
export function reserve(count: number): number {
  const at = used
  used += count
  if (used > SIZE) throw new Error("The tests of this file need more words")
  return at
}
