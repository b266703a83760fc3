/**
 * Many tasks, one wait; and waiting without `await`.
 *
 * `getSync` blocks the thread until the task is done. The pool does not need the main thread for its work, so that is no
 * deadlock, and even code that cannot be asynchronous may use every processor.
 */
import { bind, Executors, TimeoutError } from "corepool"
import { countPrimes } from "./support/primes.ts"

await using pool = Executors.newFixedThreadPool(2)

/** An ordinary function: it returns the number, not a promise. */
function primesBelow(limit: number): number {
  const half = limit / 2
  const futures = [pool.submit(countPrimes, 0, half), pool.submit(countPrimes, half, limit)]
  return futures.reduce((sum, future) => sum + future.getSync(), 0)
}
console.log(primesBelow(200_000))

// With a limit, in ms. The task goes on.
const slow = pool.submit(() => new Promise((resolve) => setTimeout(resolve, 60_000)))
try {
  slow.getSync(20)
} catch (error) {
  console.log(`gave up waiting: ${error instanceof TimeoutError}, the task: ${slow.state}`)
}
slow.cancel(true)

// All of them, each with its own outcome. `bind` keeps a function and its arguments together, and they can be sent.
const futures = await pool.invokeAll([
  bind(countPrimes, 0, 1000),
  bind((text: string) => Number(BigInt(text)), "seven"),
  bind(countPrimes, 1000, 2000),
])
console.log(futures.map((future) => future.state).join(", "))
console.log(futures[0]?.resultNow(), String(futures[1]?.exceptionNow()))

// The first to succeed; the others are stopped.
const first = await pool.invokeAny([
  bind((): never => {
    throw new Error("no luck")
  }),
  bind(countPrimes, 0, 100),
])
console.log(first)

// Output:
// 17984
// gave up waiting: true, the task: running
// success, failed, success
// 168 SyntaxError: Cannot convert seven to a BigInt
// 25
