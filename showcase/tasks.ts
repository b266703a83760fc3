/**
 * What the threads of the tour run. Tasks have a module of their own, which the threads import; `main.ts` would not do, for to
 * import that is to start the tour again.
 */
import { task, Thread, type ThreadPoolExecutor } from "corepool"

/** How many primes there are from `from` on and below `to`. */
export const countPrimes = task(import.meta.url, function countPrimes(from: number, to: number): number {
  let count = 0
  for (let n = Math.max(from, 2); n < to; n++) {
    let divisor = 2
    while (divisor * divisor <= n && n % divisor !== 0) divisor++
    if (divisor * divisor > n) count++
  }
  return count
})

/** An endless loop that nobody can talk to. */
export const spin = task(import.meta.url, function spin(): never {
  for (;;);
})

export const whoAmI = task(import.meta.url, function whoAmI(): string {
  return Thread.currentThread().name
})

/** Works, unless it is the unlucky one: that one ends its thread. */
export const pick = task(import.meta.url, function pick(apple: number, rotten: number): string {
  if (apple === rotten) process.exit(1)
  countPrimes(0, 30_000)
  return Thread.currentThread().name
})

/** Says what it does, when it does it. */
export const treat = task(import.meta.url, function treat(patient: string, ms: number): void {
  Thread.sleepSync(ms)
  console.log(`       ${Thread.currentThread().name} has treated ${patient}`)
})

/** Submits a half of its work to the pool it runs in, does the other half itself, and waits for the first. */
export const sumOfSquares = task(
  import.meta.url,
  function sumOfSquares(from: number, to: number, pool: ThreadPoolExecutor): number {
    if (to - from <= 1000) {
      let sum = 0
      for (let n = from; n < to; n++) sum += n * n
      return sum
    }
    const middle = (from + to) >> 1
    const left = pool.submit(sumOfSquares, from, middle, pool)
    const right = sumOfSquares(middle, to, pool)
    return left.getSync() + right
  },
)
