/** Tasks that leave code behind in their thread, which forks and joins when they are over. */
import { fork, type ForkJoinPool, task } from "corepool"

/** What such code says: how often it has run a fork, and how it has ended. */
export const RUNS = 0
export const RESULT = 1
export const IS_OVER = 2

export const add = task(import.meta.url, function add(a: number, b: number, words?: Int32Array): number {
  if (words !== undefined) Atomics.add(words, RUNS, 1)
  return a + b
})

/** Each gives ten. */
export const WAYS = {
  "newest first": () => {
    const [a, b] = [fork(add, 1, 2), fork(add, 3, 4)]
    return b.join() + a.join()
  },
  "oldest first": () => {
    const [a, b] = [fork(add, 1, 2), fork(add, 3, 4)]
    return a.join() + b.join()
  },
  blocking: () => fork(add, 4, 6).getSync(),
  awaiting: () => fork(add, 4, 6).get(),
} as const

export type Way = keyof typeof WAYS

export const forkLater = task(import.meta.url, function forkLater(way: Way, words: Int32Array): void {
  const run = async (): Promise<void> => {
    Atomics.store(words, RESULT, await WAYS[way]())
    Atomics.store(words, IS_OVER, 1)
  }
  setImmediate(() => void run())
})

export type End = "shutdown" | "shutdownNow"

/** Ends the pool, and forks so many microtasks later. */
export const endAndFork = task(
  import.meta.url,
  function endAndFork(pool: ForkJoinPool, end: End, steps: number, joins: boolean, words: Int32Array): void {
    const run = async (): Promise<void> => {
      pool[end]()
      for (let i = 0; i < steps; i++) await Promise.resolve()
      const forked = fork(add, 1, 2, words)
      if (joins) forked.join()
    }
    setImmediate(() => void run())
  },
)
