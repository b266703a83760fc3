/** Does the same with one thread and with all, and tells what that gains. */
import { ForkJoinPool } from "corepool"
import { availableParallelism } from "node:os"

/** What comes out, which must be the same. The times go to the standard error: they are different each time. */
export async function speedUp<T>(run: (pool: ForkJoinPool) => Promise<T>): Promise<T> {
  const threads = Math.max(availableParallelism(), 2)
  const [one, alone] = await timed(1, run)
  const [all, together] = await timed(threads, run)
  if (JSON.stringify(one) !== JSON.stringify(all)) throw new Error("One thread has another result than all of them")
  console.error(`${threads} threads are ${(alone / together).toFixed(2)} times as fast as one`)
  return all
}

const TURNS = 4

/** The best of a few turns: in the first one threads are made, modules loaded and functions compiled. */
async function timed<T>(parallelism: number, run: (pool: ForkJoinPool) => Promise<T>): Promise<[T, number]> {
  await using pool = new ForkJoinPool({ parallelism })
  let result = await run(pool)
  let best = Infinity
  for (let turn = 0; turn < TURNS; turn++) {
    const start = performance.now()
    result = await run(pool)
    best = Math.min(best, performance.now() - start)
  }
  return [result, best]
}
