/**
 * Threads that die cost one task each, and nothing else.
 *
 * A task may end its thread: by `process.exit`, by an error in a callback that nobody catches, by using up the memory. Its future
 * fails with `ThreadDeathError`, which has the reason; the thread is replaced; and what waits in the queue is run.
 */
import { Executors, platformThreads, ThreadDeathError } from "corepool"
import { hoard, leave, throwLater } from "./support/accidents.ts"
import { countPrimes } from "./support/primes.ts"

await using pool = Executors.newFixedThreadPool(
  2,
  platformThreads({ name: (n) => `thread ${n}`, resourceLimits: { maxOldGenerationSizeMb: 32 } }),
)

const accidents = [pool.submit(leave, 3), pool.submit(throwLater), pool.submit(hoard)]
const work = Array.from({ length: 100 }, (_, i) => pool.submit(countPrimes, i * 100, (i + 1) * 100))

for (const accident of accidents) {
  try {
    await accident
  } catch (error) {
    if (!(error instanceof ThreadDeathError)) throw error
    console.log(error.message.replace(/thread \d/, "thread N"))
  }
}

let primes = 0
for (const future of work) primes += await future
console.log(`${primes} primes, and all ${work.length} tasks have run`)
console.log(`threads: ${pool.poolSize}`)

// Also while the main thread blocks for that very task: it is told, and does not wait for ever.
try {
  pool.submit(leave, 1).getSync()
} catch (error) {
  console.log(error instanceof ThreadDeathError)
}

// Output:
// Thread "thread N" ended with exit code 3 while it ran the task
// Thread "thread N" died while it ran the task: thrown by a timer
// Thread "thread N" died while it ran the task: Worker terminated due to reaching memory limit: JS heap out of memory
// 1229 primes, and all 100 tasks have run
// threads: 2
// true
