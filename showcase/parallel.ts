import { Executors } from "corepool"
import { bestOfTwo, inMs, say, type Stage, THREADS } from "./stage.ts"
import { countPrimes } from "./tasks.ts"

const LIMIT = 2_000_000
const PIECE = 25_000

export const parallel: Stage = {
  title: "Computing in parallel",
  about: `The primes below ${LIMIT.toLocaleString("en")}, by this thread alone and by a pool of ${THREADS} worker threads.`,
  file: "parallel.ts",

  async run(): Promise<void> {
    await using pool = Executors.newFixedThreadPool(THREADS)
    pool.prestartAllCoreThreads()
    const pieces = Array.from({ length: LIMIT / PIECE }, (_, i) => [i * PIECE, (i + 1) * PIECE] as const)
    // Both warm up first: the engine compiles the function in each thread.
    countPrimes(0, PIECE)
    await Promise.all(pieces.slice(0, 2 * THREADS).map(([from, to]) => pool.submit(countPrimes, from, to)))

    const alone = await bestOfTwo(() => pieces.reduce((sum, [from, to]) => sum + countPrimes(from, to), 0))
    say(`alone      ${alone.value} primes in ${inMs(alone.ms)}`)

    const pooled = await bestOfTwo(async () => {
      const counts = await Promise.all(pieces.map(([from, to]) => pool.submit(countPrimes, from, to)))
      return counts.reduce((sum, count) => sum + count, 0)
    })
    say(`the pool   ${pooled.value} primes in ${inMs(pooled.ms)}, ${(alone.ms / pooled.ms).toFixed(1)} times as fast`)
  },
}
