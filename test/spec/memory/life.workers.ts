/** What the worker threads of life.test.ts do. */
import { leaveAll, threadContext } from "#src/memory/thread/this-thread.js"
import { ReentrantLock, type Shared } from "corepool"

/** How often the thread has worked, whether it is to stop, and its token. */
export const WORDS = { WORK: 0, STOP: 1, TOKEN: 2, BYTES: 12 } as const

/** Computes until it is told to stop, without a turn of its event loop. */
export function compute(words: Int32Array): void {
  Atomics.store(words, WORDS.TOKEN, threadContext().token)
  while (Atomics.load(words, WORDS.STOP) === 0) Atomics.add(words, WORDS.WORK, 1)
}

/** The same with a lock, which it keeps. */
export function computeWith(lock: Shared, words: Int32Array): void {
  ReentrantLock.from(lock).lockSync()
  compute(words)
}

/** Awaits a lock that another thread has, and counts the turns of its event loop. */
export function awaitLock(lock: Shared, words: Int32Array): void {
  void ReentrantLock.from(lock).lock()
  Atomics.store(words, WORDS.TOKEN, threadContext().token)
  setInterval(() => Atomics.add(words, WORDS.WORK, 1), 1)
}

/** Awaits a lock, leaves, and goes on for a while, as a thread does that is on its way to the end. */
export function awaitLockAndLeave(lock: Shared, words: Int32Array): void {
  void ReentrantLock.from(lock).lock()
  const { token } = threadContext()
  setImmediate(() => {
    leaveAll()
    Atomics.store(words, WORDS.TOKEN, token)
    while (Atomics.load(words, WORDS.STOP) === 0) Atomics.add(words, WORDS.WORK, 1)
    process.exit()
  })
}
