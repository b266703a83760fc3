/** What the threads of shutdown.test.ts run. */
import { type ExecutorService, task } from "corepool"
import { dyingAfter } from "../support/mortal.ts"
import { words } from "../support/shared-words.ts"

export const add = task(import.meta.url, function add(a: number, b: number): number {
  return a + b
})

/** Submits so many tasks, says so, and gives what has become of them: states, or errors. */
export const submitMany = task(
  import.meta.url,
  async function submitMany(pool: ExecutorService, n: number, said: number): Promise<string[]> {
    const futures = Array.from({ length: n }, (_, i) => pool.submit(add, i, 1))
    Atomics.store(words, said, 1)
    await Promise.allSettled(futures)
    return futures.map((future) => (future.state === "failed" ? String(future.exceptionNow()) : future.state))
  },
)

/** How many tasks come back. */
export const stop = task(import.meta.url, function stop(pool: ExecutorService): number {
  return pool.shutdownNow().length
})

/** Dies after so many accesses to shared memory, or when it is done. */
export const stopAndDie = task(import.meta.url, function stopAndDie(pool: ExecutorService, accesses: number): never {
  dyingAfter(accesses, () => pool.shutdownNow())
  process.exit(3)
})

/** Says that it is about to stop the pool, and does. */
export const stopAndSay = task(import.meta.url, function stopAndSay(pool: ExecutorService, said: number): number {
  Atomics.store(words, said, 1)
  return pool.shutdownNow().length
})
