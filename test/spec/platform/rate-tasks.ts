/** What the threads of rate.test.ts run. */
import { type RateLimiter, task, type ThreadPoolExecutor } from "corepool"
import { note, words } from "../../support/shared-words.ts"

/** Says that it has run; how many have. */
export const mark = task(import.meta.url, function mark(index: number, base: number, id: number): number {
  return note(index, base, id)
})

/** Ends its thread a moment later, when the thread is idle or waits for the limiter. */
export const dieSoon = task(import.meta.url, function dieSoon(count: number): void {
  Atomics.add(words, count, 1)
  setTimeout(() => process.exit(3), 5)
})

export const rateOf = task(import.meta.url, function rateOf(pool: ThreadPoolExecutor): number | undefined {
  return pool.rateLimiter?.permits
})

export const takeFrom = task(import.meta.url, function takeFrom(pool: ThreadPoolExecutor): boolean {
  return (pool.rateLimiter as RateLimiter).tryAcquire()
})

const leaf = task(import.meta.url, function leaf(n: number): number {
  return n
})

/** Blocks for tasks of its own pool. */
export const blockFor = task(import.meta.url, function blockFor(pool: ThreadPoolExecutor, count: number): number {
  let sum = 0
  for (let i = 1; i <= count; i++) sum += pool.submit(leaf, i).getSync()
  return sum
})

/** Awaits tasks of its own pool. */
export const awaitAll = task(import.meta.url, async function awaitAll(pool: ThreadPoolExecutor, count: number) {
  const parts = await Promise.all(Array.from({ length: count }, (_, i) => pool.submit(leaf, i + 1)))
  return parts.reduce((sum, n) => sum + n, 0)
})
