/**
 * Work for a processor, as a task: other threads find the function by the URL of this module and by its name. Here it is
 * an ordinary function, and can be called as one.
 */
import { task } from "corepool"

/** How many primes there are from `from` on and below `to`. */
export const countPrimes = task(import.meta.url, function countPrimes(from: number, to: number): number {
  let count = 0
  for (let n = Math.max(from, 2); n < to; n++) if (isPrime(n)) count++
  return count
})

function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false
  return true
}
