/**
 * What a thread loads before its first task if a test is to decide when that begins: a thread that starts while threads are
 * held stays here until they are let go.
 *
 *     platformThreads({ preload: [HELD_THREAD] })
 */
import { words } from "./inherited-words.ts"

export const HELD_THREAD: string = import.meta.url

const HELD = 0

while (Atomics.load(words, HELD) === 1) Atomics.wait(words, HELD, 1)

/** Holds the threads that start from now on, until disposed of. */
export function holdThreads(): Disposable {
  Atomics.store(words, HELD, 1)
  return {
    [Symbol.dispose]() {
      Atomics.store(words, HELD, 0)
      Atomics.notify(words, HELD)
    },
  }
}
