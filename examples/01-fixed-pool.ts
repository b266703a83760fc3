/**
 * A fixed pool: two worker threads compute, and the main thread stays free.
 *
 * Four tasks are submitted at once. Two run, two wait in the pool's queue, and whichever thread is free takes the next one by
 * itself: the queue lies in shared memory, and the main thread has no part in that.
 */
import { Executors } from "corepool"
import { countPrimes } from "./support/primes.ts"

// `await using` closes the pool at the end of the block: it takes no new tasks and waits for those it has.
await using pool = Executors.newFixedThreadPool(2)

let turns = 0
const timer = setInterval(() => turns++, 1)

// A task is a function of a module, with its arguments behind it. What comes back is a future, which can be awaited.
const futures = [0, 100_000, 200_000, 300_000].map((from) => pool.submit(countPrimes, from, from + 100_000))
const counts = await Promise.all(futures)
clearInterval(timer)

console.log(`primes: ${counts.join(" + ")} = ${counts.reduce((sum, count) => sum + count)}`)
console.log(`${futures.length} tasks on ${pool.largestPoolSize} threads`)
console.log(`meanwhile the main thread went on: ${turns > 0}`)

// A short function can be written in place. It travels as source, so it must not use variables around it.
console.log(await pool.submit((text: string) => text.split("").reverse().join(""), "desserts"))

// What a task throws is what its future rejects with: class, message and fields.
const failing = pool.submit((text: string): unknown => JSON.parse(text), "{")
try {
  await failing
} catch (error) {
  console.log(`${failing.state}: ${error instanceof SyntaxError}`)
}

// Output:
// primes: 9592 + 8392 + 8013 + 7863 = 33860
// 4 tasks on 2 threads
// meanwhile the main thread went on: true
// stressed
// failed: true
