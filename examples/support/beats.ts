/** Tasks of a schedule. The words are shared with whoever started it. */
import { task, Thread } from "corepool"

/** Counts its runs in the first word. The third one takes as long as six should. */
export const beat = task(import.meta.url, function beat(words: Int32Array, period: number): void {
  if (Atomics.add(words, 0, 1) + 1 === 3) Thread.sleepSync(6 * period)
})
